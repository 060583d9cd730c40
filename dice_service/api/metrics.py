"""What Prometheus may ask. Labels are path templates, never paths: those may hold anything."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from dice_service.api.places import ROLL
from dice_service.api.tally import Counts, Spread
from dice_service.storage.batcher import Batch

CONTENT_TYPE = CONTENT_TYPE_LATEST
UNKNOWN = "(unknown)"
COUNTED: Final = 100_000  # open matches counted at most: a scrape costs so much and no more
OPEN: Final = ("commitments", "seeds", "rolling")  # the phases of a match that has not ended
SECONDS: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1, 2.5, 5, 10),
)
BATCH_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """One process's numbers. Every request is told to :meth:`request` when it is answered."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counts("dice_requests", "Requests answered", ("route", "method", "status"))
        self._rolls = Spread(
            "dice_roll_seconds", "Time to answer a roll, durable and signed", SECONDS
        )
        self._batches = Spread(
            "dice_batch_size", "Appends that shared one durable write", BATCH_SIZES
        )
        self._batch_seconds = Spread(
            "dice_batch_seconds", "Time that the storage took for one durable write", SECONDS
        )
        for often in (self._requests, self._rolls, self._batches, self._batch_seconds):
            self.registry.register(often)
        self._phases = Counter(
            "dice_match_phases",
            "Matches that this process brought into a phase; commitments or seeds: opened them",
            ["phase"],
            registry=self.registry,
        )
        self.queue_depth = Gauge(
            "dice_queue_depth",
            "Appends that wait for the durable write at work",
            registry=self.registry,
        )
        self.storage_up = Gauge(
            "dice_storage_up",
            "Whether the storage answered when the numbers below were last asked for",
            registry=self.registry,
        )
        self.matches = Gauge(
            "dice_matches",
            f"Matches in the storage that have not ended, of the {COUNTED} oldest",
            ["phase"],
            registry=self.registry,
        )
        self.unrevealed = Gauge(
            "dice_unrevealed_matches",
            f"Matches whose secret is not revealed yet: the sum of those, {COUNTED} at most",
            registry=self.registry,
        )
        self.unrevealed_age = Gauge(
            "dice_unrevealed_oldest_seconds",
            "How long ago the oldest of them was opened",
            registry=self.registry,
        )
        self.key_age = Gauge(
            "dice_key_age_seconds",
            "How long ago the active key was made",
            ["kind"],
            registry=self.registry,
        )
        self.webhook_attempts = Counter(
            "dice_webhook_attempts",
            "Attempts to deliver a webhook's message, by what came of them",
            ["outcome"],
            registry=self.registry,
        )
        self.webhooks_pending = Gauge(
            "dice_webhooks_pending",
            "Messages to webhooks that are neither delivered nor given up",
            registry=self.registry,
        )
        self.swept = Counter(
            "dice_matches_swept",
            "Idle matches that were ended by abort, by the phase they were in",
            ["phase"],
            registry=self.registry,
        )
        self.streams = Gauge(
            "dice_event_streams",
            "Event streams that are open",
            registry=self.registry,
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answered request; ``route`` is a template, ``method`` one that it has."""
        self._requests.add(route, method, status)
        if route == ROLL:
            self._rolls.observe(seconds)

    def batch(self, batch: Batch) -> None:
        """Count what was written together."""
        self._batches.observe(len(batch.appends))
        self._batch_seconds.observe((batch.ended - batch.began) / 1e9)
        for append, won in zip(batch.appends, batch.won, strict=False):
            phase = append.phase or (append.opening and append.opening.phase)
            if won and phase:
                self._phases.labels(phase).inc()

    def exposition(self) -> bytes:
        """All of them, in Prometheus's text format."""
        return generate_latest(self.registry)
