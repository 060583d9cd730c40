"""Counting on one thread: what Prometheus's own counters do, but without a lock at every number.

They are collectors: registered, and asked for their numbers when these are scraped.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector


class Counts(Collector):
    """A counter with labels."""

    def __init__(self, name: str, what: str, labels: Sequence[str]) -> None:
        self._family = (name, what, None, labels)
        self._counts: dict[tuple[str | int, ...], int] = {}

    def add(self, *labels: str | int) -> None:
        """One more with these labels."""
        self._counts[labels] = self._counts.get(labels, 0) + 1

    def collect(self) -> Iterator[Metric]:
        """The numbers by now."""
        family = CounterMetricFamily(*self._family)
        for labels, count in self._counts.items():
            family.add_metric([str(label) for label in labels], count)
        yield family


class Spread(Collector):
    """A histogram; ``bounds`` are the largest values of its buckets, ascending."""

    def __init__(self, name: str, what: str, bounds: Sequence[float]) -> None:
        self._name, self._what = name, what
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """One more value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def collect(self) -> Iterator[Metric]:
        """The numbers by now."""
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        buckets = list(zip(names, accumulate(self._counts), strict=True))
        yield HistogramMetricFamily(self._name, self._what, buckets, self._sum)
