"""Several processes on one PostgreSQL: any of them serves any match, and any of them may die."""

import asyncio
import json
import random
import signal
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec
import pytest

from dice_service.subprocesses import ServiceProcess
from tests.support import postgres
from tests.support.api import COMMITMENTS, PLAYERS, SEEDS
from verifier import Verdict, read_receipts, verify_log
from verifier.receipts import RollReceipt, encode_receipt

PROCESSES = 3

Answers = dict[int, list[RollReceipt]]  # the receipts of every answer to a roll's index


@dataclass
class Farm:
    """The processes, and clients of each; what players' devices keep of every match."""

    processes: list[ServiceProcess]
    key: str
    receipts: dict[str, Answers] = field(default_factory=dict)
    openings: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clients = [
            httpx.AsyncClient(base_url=f"{process.url}/v1/matches/", timeout=15, trust_env=False)
            for process in self.processes
        ]

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it, within a minute, and close the clients."""

        async def whole() -> None:
            try:
                await asyncio.wait_for(work, 60)
            finally:
                for client in self.clients:
                    await client.aclose()

        asyncio.run(whole())

    async def put(self, path: str, body: Any, bearer: str = "", at: int | None = None) -> Any:
        """A PUT to one process, by chance; to others until it is answered."""
        while True:
            client = random.choice(self.clients) if at is None else self.clients[at]
            headers = {"authorization": f"Bearer {bearer or self.key}"}
            try:
                answer = await client.put(path, json=body, headers=headers)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code != 503:
                assert answer.is_success, answer.text
                return answer
            await asyncio.sleep(0.05)

    async def ready(self, match_id: str) -> None:
        tokens = (await self.put(match_id, PLAYERS)).json()["tokens"]
        for player, value in enumerate(COMMITMENTS):
            path = f"{match_id}/players/{player}/commitment"
            await self.put(path, {"commitment": value}, tokens[player])
        headers = {"authorization": f"Bearer {tokens[0]}"}
        receipt = await self.clients[0].get(f"{match_id}/receipt", headers=headers)
        for player, value in enumerate(SEEDS):
            await self.put(f"{match_id}/players/{player}/seed", {"seed": value}, tokens[player])
        self.openings[match_id] = receipt.content
        self.receipts[match_id] = {}

    async def roll(self, match_id: str, index: int, at: int | None = None) -> int:
        answer = await self.put(f"{match_id}/rolls/{index}", {}, at=at)
        self.keep(match_id, index, answer.json())
        return int(answer.status_code)

    def answered(self) -> int:
        """How many different rolls were answered."""
        return sum(map(len, self.receipts.values()))

    def keep(self, match_id: str, index: int, answer: Any) -> None:
        receipt = msgspec.convert(answer["receipt"], RollReceipt)
        self.receipts[match_id].setdefault(index, []).append(receipt)

    async def end(self, match_id: str, rolls: int) -> None:
        """End a match, and hold its log to every answer that was given."""
        await self.put(f"{match_id}/end", {"reason": "finished"})
        logs = [(await client.get(f"{match_id}/log")).content for client in self.clients]
        assert len(set(logs)) == 1
        assert list(self.receipts[match_id]) == list(range(rolls))
        kept = [receipt for found in self.receipts[match_id].values() for receipt in found]
        lines = b"".join(encode_receipt(receipt) + b"\n" for receipt in kept)
        report = verify_log(logs[0], [read_receipts(self.openings[match_id] + lines)])
        assert (report.verdict, report.rolls) == (Verdict.VERIFIED, rolls), report


@pytest.fixture(scope="module")
def processes(
    pg_cluster: postgres.Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[ServiceProcess]]:
    folder = tmp_path_factory.mktemp("farm")
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                ServiceProcess(
                    folder / str(number),
                    DICE_DATABASE=pg_cluster.url,
                    DICE_KEYS=str(folder / "keys"),
                )
            )
            for number in range(PROCESSES)
        ]


@pytest.fixture
def farm(processes: list[ServiceProcess]) -> Farm:
    return Farm(processes, processes[0].command("api-key", "create", "--owner", "club"))


async def raw(port: int, request: bytes, go: asyncio.Event) -> tuple[int, Any]:
    """Connect, wait for the others, ask; the status and the JSON."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await go.wait()
    writer.write(request)
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return int(head.split(b" ")[1]), json.loads(body)


def test_a_thousand_who_ask_at_once_for_one_roll_get_one_roll(farm: Farm) -> None:
    async def hammer() -> None:
        await farm.ready("one")
        await farm.roll("one", 0)
        go = asyncio.Event()
        head = (
            "PUT /v1/matches/one/rolls/1 HTTP/1.1\r\nhost: dice\r\nconnection: close\r\n"
            f"authorization: Bearer {farm.key}\r\ncontent-length: 0\r\n\r\n"
        )
        asking = [
            asyncio.ensure_future(raw(farm.processes[number % PROCESSES].port, head.encode(), go))
            for number in range(1000)
        ]
        await asyncio.sleep(0.5)
        go.set()
        answers = await asyncio.gather(*asking)
        assert Counter(status for status, _ in answers) == {201: 1, 200: 999}
        for _, answer in answers:
            farm.keep("one", 1, answer)
        assert len({json.dumps(answer, sort_keys=True) for _, answer in answers}) == 1
        await farm.end("one", 2)

    farm.run(hammer())


def test_rolls_asked_of_every_process_at_once_are_dense_and_each_is_made_once(farm: Farm) -> None:
    rolls, matches = 25, ("a", "b")

    async def race(match_id: str) -> None:
        await farm.ready(match_id)
        for index in range(rolls):
            asking = (farm.roll(match_id, index, at) for at in range(PROCESSES))
            assert sorted(await asyncio.gather(*asking)) == [200, 200, 201]
            assert len(set(farm.receipts[match_id][index])) == 1
        await farm.end(match_id, rolls)

    async def races() -> None:
        await asyncio.gather(*map(race, matches))

    farm.run(races())


def test_what_was_answered_outlives_a_killed_process_and_a_crashed_server(
    farm: Farm, pg_cluster: postgres.Cluster
) -> None:
    matches = [f"m-{number}" for number in range(6)]
    stop = asyncio.Event()

    async def play(match_id: str) -> int:
        index = 0
        while not stop.is_set():
            await farm.roll(match_id, index)
            index += 1
        return index

    async def faults() -> None:
        await asyncio.sleep(0.5)
        for victim in farm.processes[:2]:
            victim.kill()
            await asyncio.sleep(0.3)
            pg_cluster.stop(signal.SIGQUIT)
            await asyncio.to_thread(pg_cluster.start)
            await asyncio.to_thread(victim.start)
            await answered_more(60)
        stop.set()

    async def answered_more(count: int) -> None:
        count += farm.answered()
        while farm.answered() < count:  # noqa: ASYNC110 - no event for what six players do together
            await asyncio.sleep(0.05)

    async def run() -> None:
        await asyncio.gather(*map(farm.ready, matches))
        hurting = asyncio.ensure_future(faults())
        counts = await asyncio.gather(*map(play, matches))
        await hurting
        for match_id, count in zip(matches, counts, strict=True):
            await farm.end(match_id, count)

    farm.run(run())


def test_processes_say_in_a_line_that_the_server_was_gone(processes: list[ServiceProcess]) -> None:
    """After the test above."""
    text = b"".join(process.log_file.read_bytes() for process in processes).decode()
    told = [json.loads(line) for line in text.splitlines() if "postgresql" in line]
    assert any("failed tries" in line["event"] for line in told)
    assert "Traceback" not in text
