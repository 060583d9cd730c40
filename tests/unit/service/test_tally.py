"""What is counted without locks reads as Prometheus's own counters of the same numbers do."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from dice_service.api.tally import Counts, Spread

BOUNDS = (0.0005, 0.25, 1, 2.5, 64)


def lines(registry: CollectorRegistry) -> list[str]:
    """The exposition, but for the times at which Prometheus's own were made."""
    text = generate_latest(registry).decode()
    return [line for line in text.splitlines() if "_created" not in line]


@given(st.lists(st.one_of(st.floats(0, 100), st.sampled_from(BOUNDS))))
def test_a_spread_is_a_histogram(values: Iterable[float]) -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    spread = Spread("dice_x", "What it is", BOUNDS)
    ours.register(spread)
    histogram = Histogram("dice_x", "What it is", buckets=BOUNDS, registry=theirs)
    for value in values:
        spread.observe(value)
        histogram.observe(value)
    assert lines(ours) == lines(theirs)


@given(st.lists(st.tuples(st.sampled_from(["/a/{b}", "(unknown)"]), st.sampled_from([200, 503]))))
def test_counts_are_a_counter(requests: Iterable[tuple[str, int]]) -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    counts = Counts("dice_x", "What it is", ("route", "status"))
    ours.register(counts)
    counter = Counter("dice_x", "What it is", ["route", "status"], registry=theirs)
    for route, status in requests:
        counts.add(route, status)
        counter.labels(route, str(status)).inc()
    assert lines(ours) == lines(theirs)
