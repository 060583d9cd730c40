"""What ``/metrics`` asks the storage for: at most every few seconds, however many ask."""

import asyncio
import math
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from dice_service import sealing, signing
from dice_service.api.metrics import COUNTED, OPEN, Metrics
from dice_service.clock import at
from dice_service.errors import ServiceError
from dice_service.keyfiles import active_since
from dice_service.storage.webhooks import Database


class Gauges:
    """The numbers of all processes together, which only the storage knows, and the keys' ages.

    When the storage does not answer they are NaN, and ``dice_storage_up`` is 0: the process's own
    numbers are wanted most just then.
    """

    LIFE: Final = 5.0  # seconds
    PATIENCE: Final = 3.0  # seconds: a scrape is not to wait for a database that is gone

    def __init__(self, metrics: Metrics, storage: Database, keys: Path) -> None:
        self._metrics = metrics
        self._storage = storage
        self._lock = asyncio.Lock()
        self._asked_at = -math.inf
        for kind in (signing.KIND, sealing.KIND):
            since = active_since(keys, kind)
            metrics.key_age.labels(kind).set_function(partial(_seconds_since, since))

    async def refresh(self) -> None:
        """Ask, unless it was asked a moment ago."""
        async with self._lock:
            if time.monotonic() - self._asked_at >= self.LIFE:
                await self._ask()
                self._asked_at = time.monotonic()

    async def _ask(self) -> None:
        found = self._metrics
        phases: dict[str, float] = dict.fromkeys(OPEN, math.nan)
        pending, age, up = math.nan, math.nan, 0
        try:
            async with asyncio.timeout(self.PATIENCE):
                phases = dict.fromkeys(OPEN, 0.0) | await self._storage.open_matches(COUNTED)
                oldest = await self._storage.opened_until(at(time.time()), limit=1)
                pending = await self._storage.webhooks.pending()
            age = _age(oldest[0].opened_at) if oldest else 0.0
            up = 1
        except (ServiceError, TimeoutError):
            phases = dict.fromkeys(OPEN, math.nan)
        for phase, count in phases.items():
            found.matches.labels(phase).set(count)
        found.unrevealed.set(sum(phases.values()))
        found.unrevealed_age.set(age)
        found.webhooks_pending.set(pending)
        found.storage_up.set(up)


def _seconds_since(moment: float) -> float:
    return time.time() - moment


def _age(opened_at: str) -> float:
    return _seconds_since(datetime.fromisoformat(opened_at).timestamp())
