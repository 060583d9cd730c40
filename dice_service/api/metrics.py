"""What Prometheus may ask. Labels are path templates, never paths: those may hold anything."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from dice_service.api.rolls import ROLL

CONTENT_TYPE = CONTENT_TYPE_LATEST
UNKNOWN = "(unknown)"


class Metrics:
    """One process's numbers. Every request is told to :meth:`request` when it is answered."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "dice_requests",
            "Requests answered",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self._rolls = Histogram(
            "dice_roll_seconds",
            "Time to answer a roll, durable and signed",
            buckets=(
                0.0005,
                0.001,
                0.0025,
                0.005,
                0.01,
                0.025,
                0.05,
                0.1,
                0.25,
                0.5,
                1,
                2.5,
                5,
                10,
            ),
            registry=self.registry,
        )
        self.batches = Histogram(
            "dice_batch_size",
            "Appends that shared one durable write",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
            registry=self.registry,
        )
        self._counters: dict[tuple[str, str, int], Counter] = {}

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answered request; ``route`` is a template, ``method`` one that it has."""
        labels = (route, method, status)
        counter = self._counters.get(labels)
        if counter is None:
            counter = self._counters[labels] = self._requests.labels(*map(str, labels))
        counter.inc()
        if route == ROLL:
            self._rolls.observe(seconds)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a number that is read when asked for."""
        self.registry.register(_Gauge(name, text, read))

    def exposition(self) -> bytes:
        """All of them, in Prometheus's text format."""
        return generate_latest(self.registry)


class _Gauge(Collector):
    def __init__(self, name: str, text: str, read: Callable[[], float]) -> None:
        self._family = (name, text)
        self._read = read

    def collect(self) -> Iterable[Metric]:
        yield GaugeMetricFamily(*self._family, value=self._read())
