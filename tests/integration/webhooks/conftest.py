"""Matches, webhooks and their deliverer over a real database, on a clock that a test moves."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from dice_service.clock import at
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage.databases import open_storage
from dice_service.storage.webhooks import Database, DeliveryRow
from dice_service.webhooks.delivering import Deliverer
from dice_service.webhooks.registry import Webhooks
from dice_service.webhooks.sending import Sender
from tests.support.receiver import Receiver, receiver


@dataclass
class World:
    """``now`` is the time for all of it; ``outcomes`` is told what came of each attempt."""

    url: str
    storage: Database
    sealing: SealingRing
    matches: Matches
    now: float
    outcomes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    deliverers: list[Deliverer] = field(default_factory=list)

    @property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.storage.webhooks, self.sealing, "local", clock=lambda: at(self.now))

    def start(self, sender: Sender | None = None, **options: Any) -> Deliverer:
        """A deliverer at work, by default one that may post to this machine."""
        deliverer = Deliverer(
            options.pop("storage", self.storage).webhooks,
            options.pop("sealing", self.sealing),
            sender or Sender("local"),
            self.matches.view,
            on_attempt=self.outcomes.put_nowait,
            poll=0.01,
            clock=lambda: self.now,
            **options,
        )
        deliverer.start()
        self.deliverers.append(deliverer)
        return deliverer

    async def hook(self, url: str, webhook_id: str = "hook", owner: str = "club") -> str:
        """A webhook; its secret."""
        made = await self.webhooks.register(owner, webhook_id, url=url, events=["match.ended"])
        assert made.created
        return made.value.secret

    async def end(self, *match_ids: str, owner: str = "club") -> None:
        """Matches that are opened and end."""
        for match_id in match_ids:
            await self.matches.open(owner, match_id, players=("Ayşe", "Bora"))
            await self.matches.end(match_id, reason="abort")

    async def came(self, count: int = 1) -> list[str]:
        """What came of the next attempts."""
        async with asyncio.timeout(30):
            return [await self.outcomes.get() for _ in range(count)]

    async def row(self, webhook_id: str = "hook") -> DeliveryRow:
        """The newest delivery of a webhook."""
        return (await self.storage.webhooks.deliveries("club", webhook_id))[0]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, database_of: Callable[[str], str]) -> str:
    return database_of(request.param)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    storage = open_storage(database_url)
    sealing = SealingRing.generate()
    matches = Matches(storage, SigningRing.generate(), sealing, clock=lambda: at(found.now))
    found = World(database_url, storage, sealing, matches, time.time())
    yield found
    for deliverer in found.deliverers:
        await deliverer.close(0)
    await matches.close()
    await storage.close()


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A receiver."""
    with receiver() as found:
        yield found
