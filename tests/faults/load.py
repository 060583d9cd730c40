"""Players who play matches over HTTP through thick and thin, keep every answer, and check it all.

What was acknowledged is what a client has read a 2xx answer to. It is held against the logs that
the service has in the end, by the verifier.
"""

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import msgspec

from dice_service.subprocesses import ServiceProcess
from verifier import Verdict, read_receipts, verify_log
from verifier.log import line_hash
from verifier.receipts import RollReceipt, encode_receipt

PLAYERS: Final = {"players": ["Ayşe", "Bora"]}
PATIENCE: Final = 90.0  # seconds for one request to be answered, over all its tries
RETRIED: Final = {408, 503}


class LoadError(Exception):
    """The service did what it must not: refused what is right, or did not answer for long."""


@dataclass
class Kept:
    """What the devices and the game server keep of a match."""

    match_id: str
    tokens: list[str]
    seeds: tuple[str, str]
    opening: bytes = b""
    receipts: dict[int, list[RollReceipt]] = field(default_factory=dict)  # by the roll's index
    made: Counter[int] = field(default_factory=Counter)  # how often 201 was said, by index
    ended: bool = False

    def file(self) -> bytes:
        """A receipt file of everything."""
        kept = [one for found in self.receipts.values() for one in found]
        return self.opening + b"".join(encode_receipt(one) + b"\n" for one in kept)


@dataclass
class Tally:
    """What came out."""

    matches: int = 0
    acknowledged: int = 0
    checked: int = 0
    doubles: int = 0
    losses: int = 0
    verified: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether everything acknowledged is there, once, in logs that verify."""
        return (
            self.checked == self.acknowledged > 0
            and self.verified == self.matches
            and not (self.doubles or self.losses or self.wrong)
        )


class Load:
    """``players`` matches at a time, against any of the processes."""

    def __init__(
        self, processes: Sequence[ServiceProcess], key: str, seed: int, players: int = 6
    ) -> None:
        self.processes = processes
        self.key = key
        self.tally = Tally()
        self.playing: dict[str, Kept] = {}
        self._players = players
        self._random = random.Random(seed)
        self._stop = asyncio.Event()
        self._progress = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []
        self._clients = [
            httpx.AsyncClient(base_url=f"{process.url}/v1/matches/", timeout=15, trust_env=False)
            for process in processes
        ]

    def start(self) -> None:
        """Let the players begin."""
        self._tasks = [asyncio.create_task(self._play(name)) for name in range(self._players)]

    @property
    def playing_on(self) -> bool:
        """Whether any player still plays."""
        return any(not task.done() for task in self._tasks)

    async def finish(self) -> Tally:
        """Let every player end the match at hand and check it."""
        self._stop.set()
        try:
            for done in await asyncio.gather(*self._tasks, return_exceptions=True):
                if isinstance(done, BaseException):
                    self.tally.wrong.append(f"{type(done).__name__}: {done}")
        finally:
            for client in self._clients:
                await client.aclose()
        return self.tally

    async def more(self, rolls: int, seconds: float = 60.0) -> None:
        """Wait until so many more rolls were acknowledged. Raises what stopped a player."""
        wanted = self.tally.acknowledged + rolls

        def there() -> bool:
            for task in self._tasks:
                if task.done() and (error := task.exception()):
                    raise error
            return self.tally.acknowledged >= wanted

        async with self._progress:
            try:
                await asyncio.wait_for(self._progress.wait_for(there), seconds)
            except TimeoutError:
                raise LoadError(f"not {rolls} rolls in {seconds:g} s") from None

    async def put(self, path: str, body: Any, bearer: str = "") -> httpx.Response:
        """A PUT to one process by chance, and again until it is answered."""
        until = asyncio.get_running_loop().time() + PATIENCE
        said = ""
        while asyncio.get_running_loop().time() < until:
            try:
                answer = await self._client().put(path, json=body, headers=self._as(bearer))
            except httpx.TransportError as error:
                said = type(error).__name__
            else:
                if answer.is_success:
                    return answer
                said = f"{answer.status_code} {answer.text}"
                if answer.status_code not in RETRIED:
                    break
            await asyncio.sleep(self._random.uniform(0.02, 0.1))
        raise LoadError(f"PUT {path}: {said}")

    async def get(self, path: str, bearer: str = "") -> bytes:
        """A GET, and again until it is answered."""
        until = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < until:
            try:
                answer = await self._client().get(path, headers=self._as(bearer))
            except httpx.TransportError:
                pass
            else:
                if answer.is_success:
                    return answer.content
                if answer.status_code not in RETRIED:
                    raise LoadError(f"GET {path}: {answer.status_code} {answer.text}")
            await asyncio.sleep(0.05)
        raise LoadError(f"GET {path}: not answered")

    async def ready(self, match_id: str) -> Kept:
        """Open a match, take both commitments, keep the receipt, open both seeds."""
        seeds = (_seed(self._random), _seed(self._random))
        tokens = (await self.put(match_id, PLAYERS)).json()["tokens"]
        kept = Kept(match_id, tokens, seeds)
        for player, seed in enumerate(seeds):
            commitment = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
            place = f"{match_id}/players/{player}/commitment"
            await self.put(place, {"commitment": commitment}, tokens[player])
        kept.opening = await self.get(f"{match_id}/receipt", tokens[0])
        for player, seed in enumerate(seeds):
            await self.put(f"{match_id}/players/{player}/seed", {"seed": seed}, tokens[player])
        return kept

    async def roll(self, kept: Kept, index: int) -> None:
        """Ask for a roll, and keep its receipt."""
        answer = await self.put(f"{kept.match_id}/rolls/{index}", {})
        receipt = msgspec.convert(answer.json()["receipt"], RollReceipt)
        found = kept.receipts.setdefault(index, [])
        self.tally.acknowledged += not found
        found.append(receipt)
        kept.made[index] += answer.status_code == 201
        async with self._progress:
            self._progress.notify_all()

    async def end(self, kept: Kept) -> None:
        """End a match, and hold its log to all that was kept."""
        await self.put(f"{kept.match_id}/end", {"reason": "finished"})
        kept.ended = True
        self.check(kept, await self.get(f"{kept.match_id}/log"))

    def check(self, kept: Kept, log: bytes) -> None:
        """Count what of a match is there once, not at all, or twice."""
        tally = self.tally
        tally.matches += 1
        lines = log.splitlines()
        rolls = Counter(_index(line) for line in lines if line.startswith(b'{"type":"roll"'))
        for index, receipts in kept.receipts.items():
            tally.checked += 1
            stands = all(
                one.seq < len(lines)
                and lines[one.seq] == one.line.encode()
                and line_hash(lines[one.seq]) == one.head
                for one in receipts
            )
            tally.losses += not stands
            tally.doubles += (
                rolls[index] > 1 or kept.made[index] > 1 or len({one.line for one in receipts}) > 1
            )
        report = verify_log(log, [read_receipts(kept.file())])
        good = report.verdict is Verdict.VERIFIED and report.rolls == len(kept.receipts)
        tally.verified += good
        if not good:
            tally.wrong.append(f"{kept.match_id}: {report}")

    async def _play(self, name: int) -> None:
        number = 0
        while not self._stop.is_set():
            match_id = f"p{name}-{number}"
            kept = self.playing[match_id] = await self.ready(match_id)
            for index in range(self._random.randint(10, 60)):
                await self.roll(kept, index)
                if self._stop.is_set():
                    break
                await asyncio.sleep(self._random.uniform(0.001, 0.03))
            await self.end(kept)
            del self.playing[match_id]
            number += 1

    def _client(self) -> httpx.AsyncClient:
        return self._random.choice(self._clients)

    def _as(self, bearer: str) -> dict[str, str]:
        return {"authorization": f"Bearer {bearer or self.key}"}


def _seed(source: random.Random) -> str:
    return source.randbytes(32).hex()


def _index(line: bytes) -> int:
    return int(msgspec.json.decode(line)["index"])
