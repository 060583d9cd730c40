"""One running service: its settings, keys, storage and matches, opened and closed together."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from dice_service import telemetry
from dice_service.api.auth import Authenticator
from dice_service.api.gauges import Gauges
from dice_service.api.metrics import Metrics
from dice_service.errors import Refusal, ServiceError, SetupError
from dice_service.matches import Matches
from dice_service.sealing import SealingRing, Secrets
from dice_service.settings import Settings
from dice_service.signing import SigningRing
from dice_service.storage import Storage
from dice_service.storage.batcher import Batch
from dice_service.storage.databases import open_storage
from dice_service.storage.webhooks import Database
from dice_service.streams import Streams
from dice_service.sweeper import Sweeper, Timeouts
from dice_service.telemetry import Telemetry
from dice_service.webhooks.delivering import Deliverer
from dice_service.webhooks.registry import Webhooks
from dice_service.webhooks.sending import Sender


class Readiness:
    """Whether the service can do its work, found out at most once a second: anyone may ask."""

    LIFE: Final = 1.0

    def __init__(self, storage: Storage, signing: SigningRing, sealing: SealingRing) -> None:
        self._storage = storage
        self._signing = signing
        self._sealing = sealing
        self._lock = asyncio.Lock()
        self._checked_at = float("-inf")
        self._failure = ""

    async def failure(self) -> str:
        """The code of what is wrong; "" if storage and keys do what they are for."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= self.LIFE:
                self._failure = await self._check()
                self._checked_at = time.monotonic()
            return self._failure

    async def _check(self) -> str:
        try:
            await self._storage.ping()
            self._signing.active.sign_head("ready", 0, "0" * 64)
            secret = Secrets.make()
            self._sealing.open("ready", *self._sealing.seal("ready", secret))
        except ServiceError as error:
            return error.code
        return ""


@dataclass(frozen=True, slots=True)
class Service:
    """What the API needs to answer a request."""

    settings: Settings
    storage: Database
    signing: SigningRing
    matches: Matches
    webhooks: Webhooks
    auth: Authenticator
    readiness: Readiness
    metrics: Metrics
    gauges: Gauges
    streams: Streams
    traces: Telemetry | None

    async def ended(self, match_id: str) -> bool:
        """Whether there is such a match and it has ended."""
        try:
            return (await self.matches.view(match_id)).view.phase == "ended"
        except Refusal as refusal:
            if refusal.code == "not-found":
                return False
            raise


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Service]:
    """Read the keys, open the storage, and close it at the end, when all is written.

    Raises :class:`dice_service.errors.SetupError`.
    """
    signing = SigningRing.load(settings.keys)
    sealing = SealingRing.load(settings.keys)
    metrics = Metrics()
    traces = telemetry.start()
    storage = open_storage(settings.database)
    try:
        if (copied_at := await storage.restored.mark()) is not None:
            raise SetupError(
                "database-restored",
                f"this database is a backup of {copied_at}, and what was signed since is missing;"
                " run: dice-service restore --help",
            )

        def on_batch(batch: Batch) -> None:
            metrics.batch(batch)
            streams.written(batch)
            if traces is not None:
                traces.batch(batch)

        matches = Matches(
            storage,
            signing,
            sealing,
            queue_limit=settings.queue_limit,
            on_batch=on_batch,
        )
        streams = Streams(storage, matches, settings.stream_limit)
        metrics.streams.set_function(lambda: streams.open)
        metrics.queue_depth.set_function(lambda: matches.waiting)
        auth = Authenticator(storage)
        readiness = Readiness(storage, signing, sealing)
        gauges = Gauges(metrics, storage, settings.keys)
        webhooks = Webhooks(storage.webhooks, sealing, settings.webhook_targets)
        deliverer = Deliverer(
            storage.webhooks,
            sealing,
            Sender(settings.webhook_targets),
            matches.view,
            on_attempt=lambda outcome: metrics.webhook_attempts.labels(outcome).inc(),
        )
        deliverer.start()
        timeouts = Timeouts(settings.opening_timeout, settings.idle_timeout)
        sweeper = Sweeper(
            storage,
            matches,
            timeouts,
            on_swept=lambda phase: metrics.swept.labels(phase).inc(),
        )
        sweeping = asyncio.create_task(sweeper.run())
        try:
            yield Service(
                settings,
                storage,
                signing,
                matches,
                webhooks,
                auth,
                readiness,
                metrics,
                gauges,
                streams,
                traces,
            )
        finally:
            streams.close()
            sweeping.cancel()
            await asyncio.wait({sweeping})
            await deliverer.close(settings.drain_timeout)
            await matches.close()
    finally:
        await storage.close()
        if traces is not None:
            await asyncio.to_thread(traces.close)
