"""Real processes, killed and side by side: every end is told, and each has one id."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from dice_service.clock import at
from dice_service.sealing import SealingRing
from dice_service.storage.databases import open_storage
from dice_service.subprocesses import ServiceProcess
from dice_service.webhooks.delivering import LEASE, Deliverer
from dice_service.webhooks.sending import Sender
from tests.support.api import PLAYERS, opened
from tests.support.receiver import Receiver

pytestmark = pytest.mark.anyio


class Server:
    """A game server that registers a webhook, and opens and ends matches."""

    def __init__(self, process: ServiceProcess) -> None:
        key = process.command("api-key", "create", "--owner", "club")
        headers = {"authorization": f"Bearer {key}"}
        self.http = httpx.AsyncClient(base_url=process.url, headers=headers, trust_env=False)

    async def hook(self, there: Receiver) -> None:
        answer = await self.http.put("/v1/webhooks/hook", json={"url": there.url})
        assert answer.status_code == 201, answer.text

    async def open(self, match_id: str) -> None:
        answer = await self.http.put(f"/v1/matches/{match_id}", json=PLAYERS)
        assert answer.is_success

    async def end(self, match_id: str) -> None:
        answer = await self.http.put(f"/v1/matches/{match_id}/end", json={"reason": "abort"})
        assert answer.is_success

    async def watch(self) -> None:
        """Ask until there is no answer."""
        for _ in range(1_000):
            answer = await self.http.get("/v1/webhooks/hook/deliveries")
            assert answer.json()["deliveries"][0]["state"] == "pending"


def process(folder: Path, database: str, crash_at: str = "") -> ServiceProcess:
    return ServiceProcess(
        folder,
        DICE_DATABASE=database,
        DICE_WEBHOOK_TARGETS="local",
        DICE_TEST_CRASH_AT=crash_at,
    )


@pytest.mark.parametrize("point", ["after-commit", "before-answer"])
async def test_an_end_that_was_written_when_the_process_died_is_told_by_the_next(
    tmp_path: Path, database_url: str, there: Receiver, point: str
) -> None:
    with process(tmp_path, database_url, f"{point}:2") as dying:  # open, end
        server = Server(dying)
        await server.hook(there)
        await server.open("m")
        with pytest.raises(httpx.TransportError):
            await server.end("m")
        await server.http.aclose()
    assert there.requests == []
    with process(tmp_path, database_url):
        await there.has(1)
    assert there.told == ["m"]


async def test_an_end_that_was_not_written_is_told_to_nobody(
    tmp_path: Path, database_url: str, there: Receiver
) -> None:
    with process(tmp_path, database_url, "before-commit:2") as dying:
        server = Server(dying)
        await server.hook(there)
        await server.open("m")
        with pytest.raises(httpx.TransportError):
            await server.end("m")
        await server.http.aclose()
    async with opened(tmp_path, database=database_url) as api:
        assert await api.service.storage.webhooks.pending() == 0
        assert (await api.service.matches.view("m")).view.phase == "commitments"


async def test_one_that_died_after_it_sent_is_taken_over_with_the_same_id(
    tmp_path: Path, database_url: str, there: Receiver
) -> None:
    with process(tmp_path, database_url, "webhook-sent") as dying:
        server = Server(dying)
        await server.hook(there)
        await server.open("m")
        await server.end("m")
        await there.has(1)
        with pytest.raises(httpx.TransportError):  # it dies when it has read the answer
            await server.watch()
        await server.http.aclose()
    storage = open_storage(database_url)
    async with opened(tmp_path, database=database_url) as api:
        begin = time.time()
        assert await storage.webhooks.claim(at(begin), at(begin + 1), 1) == []
        deliverer = Deliverer(
            storage.webhooks,
            SealingRing.load(tmp_path / "keys"),
            Sender("local"),
            api.service.matches.view,
            clock=lambda: begin + LEASE,
        )
        deliverer.start()
        await there.has(2)
        await deliverer.close(20)
    await storage.close()
    assert there.told == ["m", "m"]
    assert list(there.ids.values()) == [2]


async def test_two_processes_on_one_postgresql_tell_each_end_once(
    tmp_path: Path, database_of: Callable[[str], str], there: Receiver
) -> None:
    url = database_of("postgres")
    with process(tmp_path, url) as one, process(tmp_path, url) as two:
        servers = [Server(one), Server(two)]
        await servers[0].hook(there)
        match_ids = [f"m-{number}" for number in range(40)]

        async def play(number: int) -> None:
            await servers[number % 2].open(match_ids[number])
            await asyncio.gather(*(server.end(match_ids[number]) for server in servers))

        await asyncio.gather(*map(play, range(40)))
        await there.has(40)
        for server in servers:
            await server.http.aclose()
    assert sorted(there.told) == sorted(match_ids)
