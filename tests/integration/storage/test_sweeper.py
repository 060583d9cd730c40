"""Idle matches end by abort, with their reveal; played ones never do, whatever the clocks say."""

import asyncio
import io
import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import structlog

from dice_service import logs, sweeper
from dice_service.actions import RollAction
from dice_service.errors import Refusal
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage import Append, MatchRow, Phase, Storage, StorageError
from dice_service.sweeper import Sweeper, Timeouts
from tests.support import postgres
from tests.support.api import COMMITMENTS, SEEDS
from verifier import Verdict, read_receipts, verify_log
from verifier.events import Player

pytestmark = pytest.mark.anyio

HOUR, DAY = 3600.0, 86400.0
START = datetime(2026, 1, 31, 18, tzinfo=UTC).timestamp()
BOTH: tuple[Player, Player] = (0, 1)
Open = Callable[[], Storage]


class World:
    """Processes on one database, and the time: ``now`` can be set, ``steady`` only goes on."""

    def __init__(self, open_storage: Open) -> None:
        self.now, self.steady = START, 1000.0
        self.storage = open_storage()
        self.rings = SigningRing.generate(), SealingRing.generate()
        self.swept: list[str] = []
        self.matches = self.process()

    def process(self, storage: Storage | None = None, behind: float = 0.0) -> Matches:
        def stamp() -> str:
            moment = datetime.fromtimestamp(self.now - behind, UTC)
            return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"

        return Matches(storage or self.storage, *self.rings, clock=stamp)

    def sweeper(
        self, matches: Matches | None = None, opening: float = HOUR, idle: float = DAY
    ) -> Sweeper:
        return Sweeper(
            self.storage,
            matches or self.matches,
            Timeouts(opening, idle),
            on_swept=self.swept.append,
            clock=lambda: self.now,
            steady=lambda: self.steady,
        )

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.steady += seconds

    async def over(self, sweeper: Sweeper, seconds: float, step: float = 60.0) -> int:
        """How many matches it ends while time goes by."""
        swept = 0
        for _ in range(int(seconds / step)):
            self.wait(step)
            swept += await sweeper.round()
        return swept

    async def ready(self, match_id: str, matches: Matches | None = None, **terms: Any) -> None:
        matches = matches or self.matches
        await matches.open("club", match_id, players=("Ayşe", "Bora"), **terms)
        for player in BOTH:
            await matches.commit(match_id, player, COMMITMENTS[player])
        for player in BOTH:
            await matches.open_seed(match_id, player, SEEDS[player])

    async def log(self, match_id: str) -> list[dict[str, Any]]:
        data = (await self.process().log(match_id)).data
        return [json.loads(line) for line in data.splitlines()]

    async def phase(self, match_id: str) -> str:
        row = await self.storage.match(match_id)
        assert row is not None
        return row.phase


@pytest.fixture
def world(open_storage: Open) -> World:
    return World(open_storage)


@pytest.fixture
def log_lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    logs.configure("info", stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


async def test_a_match_that_nobody_opens_is_aborted_with_its_reveal(
    world: World, log_lines: io.StringIO
) -> None:
    await world.matches.open("club", "m", players=("Ayşe", "Bora"))
    await world.matches.commit("m", 0, COMMITMENTS[0])
    sweeper = world.sweeper()
    assert await world.over(sweeper, HOUR - 60) == 0
    assert await world.over(sweeper, 120) == 1
    end, reveal, signature = (await world.log("m"))[-3:]
    assert (end["type"], end["reason"], end["winner"]) == ("match_end", "abort", None)
    assert (reveal["type"], signature["type"]) == ("reveal", "signature")
    assert await world.phase("m") == "ended"
    report = verify_log((await world.matches.log("m")).data, [])
    assert report.verdict is not Verdict.FAILED
    assert world.swept == ["commitments"]
    [told] = [line for line in log_lines.getvalue().splitlines() if "match swept" in line]
    assert json.loads(told)["match_id"] == "m"
    assert reveal["server_seed"] not in log_lines.getvalue()
    assert await world.over(sweeper, HOUR) == 0


async def test_a_played_match_is_aborted_a_whole_timeout_after_its_last_line(world: World) -> None:
    await world.ready("m")
    receipt = await world.matches.receipt("m")
    sweeper = world.sweeper()
    assert await world.over(sweeper, DAY - 600, 600) == 0
    await world.matches.roll("m", 0)
    assert await world.over(sweeper, DAY - 600, 600) == 0
    await world.matches.roll("m", 1)
    assert await world.over(sweeper, DAY - 600, 600) == 0
    assert await world.over(sweeper, 1200, 600) == 1
    report = verify_log((await world.matches.log("m")).data, [read_receipts(receipt)])
    assert (report.verdict, report.rolls) == (Verdict.VERIFIED, 2)


async def test_a_refereed_match_is_aborted_within_a_game(world: World) -> None:
    await world.ready("m", rules="oyna-backgammon", length=5)
    receipt = await world.matches.receipt("m")
    await world.matches.action("m", 0, RollAction(player=None))
    assert await world.over(world.sweeper(), DAY + 1200, 600) == 1
    report = verify_log((await world.matches.log("m")).data, [read_receipts(receipt)])
    assert report.verdict is Verdict.VERIFIED
    assert (await world.log("m"))[-3]["reason"] == "abort"


@pytest.mark.parametrize(("opening", "idle", "ended"), [(0, DAY, "played"), (HOUR, 0, "opened")])
async def test_a_timeout_of_zero_is_never(
    world: World, opening: float, idle: float, ended: str
) -> None:
    await world.matches.open("club", "opened", players=("Ayşe", "Bora"))
    await world.ready("played")
    assert await world.over(world.sweeper(opening=opening, idle=idle), 3 * DAY, 1800) == 1
    assert await world.phase(ended) == "ended"


async def test_without_timeouts_nothing_is_ever_looked_at(world: World) -> None:
    await asyncio.wait_for(world.sweeper(opening=0, idle=0).run(), 1)


async def test_of_two_that_sweep_at_once_one_ends_the_match_and_neither_minds(
    world: World, open_storage: Open
) -> None:
    names = [f"m-{n}" for n in range(30)]
    for name in names:
        await world.matches.open("club", name, players=("Ayşe", "Bora"))
    sweepers = [world.sweeper(), world.sweeper(world.process(open_storage()))]
    swept = 0
    for _ in range(62):
        world.wait(60)
        swept += sum(await asyncio.gather(*(each.round() for each in sweepers)))
    assert (swept, len(world.swept)) == (30, 30)
    for name in names:
        types = [line["type"] for line in await world.log(name)]
        assert types == ["match", "signature", "match_end", "reveal", "signature"]


async def test_a_roll_that_comes_at_the_same_time_wins_or_is_refused(
    world: World, open_storage: Open
) -> None:
    names = [f"m-{n}" for n in range(24)]
    for name in names:
        await world.ready(name)
    sweeper, other = world.sweeper(), world.process(open_storage())
    for name in names:
        await other.view(name)
    await world.over(sweeper, DAY - 600, 600)
    world.wait(700)

    async def roll(place: int, name: str) -> str:
        for _ in range(place):  # some before, some after, most in the middle of it
            await asyncio.sleep(0)
        try:
            await other.roll(name, 0)
        except Refusal as refusal:
            return refusal.code
        return "rolled"

    swept, *codes = await asyncio.gather(sweeper.round(), *map(roll, range(len(names)), names))
    assert set(codes) <= {"rolled", "match-ended"}
    assert swept == codes.count("match-ended")
    for name, code in zip(names, codes, strict=True):
        won = code == "rolled"
        types = [line["type"] for line in await world.log(name)]
        assert types.count("roll") == won
        assert types.count("match_end") == (not won)


async def test_a_clock_that_jumps_by_days_ends_nothing_that_was_not_idle_so_long(
    world: World, log_lines: io.StringIO
) -> None:
    await world.ready("m")
    sweeper = world.sweeper()
    assert await world.over(sweeper, 2 * HOUR, 600) == 0
    world.now += 3 * DAY
    assert await world.over(sweeper, DAY - 600, 600) == 0
    assert log_lines.getvalue().count("clock jumped") == 1
    assert await world.over(sweeper, 1800, 600) == 1


async def test_a_clock_set_back_ends_nothing_too_early(world: World) -> None:
    await world.ready("m")
    sweeper = world.sweeper()
    assert await world.over(sweeper, 2 * HOUR, 600) == 0
    world.now -= 3 * DAY
    assert await world.over(sweeper, DAY, 600) == 0


async def test_after_a_start_with_nobody_there_before_a_whole_timeout_passes(world: World) -> None:
    await world.ready("m")
    world.wait(3 * DAY)  # the service is away; or its clock is wrong, which looks the same
    sweeper = world.sweeper()
    assert await world.over(sweeper, DAY - 600, 600) == 0
    assert await world.over(sweeper, 1200, 600) == 1


async def test_a_restart_does_not_begin_the_time_anew(world: World) -> None:
    await world.ready("m")
    sweeper = world.sweeper()
    assert await world.over(sweeper, DAY - HOUR, 600) == 0
    await world.matches.open("club", "another", players=("Ayşe", "Bora"))
    sweeper = world.sweeper(opening=0)
    assert await world.over(sweeper, HOUR - 600, 600) == 0
    assert await world.over(sweeper, 1200, 600) == 1
    assert await world.phase("m") == "ended"


async def test_a_match_played_on_a_machine_with_a_slow_clock_goes_on(world: World) -> None:
    behind = world.process(behind=5 * DAY)
    await world.ready("slow", behind)
    await world.ready("fresh")
    sweeper = world.sweeper()
    for index in range(20):
        assert await world.over(sweeper, 240) == 0
        await behind.roll("slow", index)
    assert await world.over(sweeper, 600) == 1  # nobody plays on, and its lines are days old


async def test_more_than_a_round_holds_are_ended_in_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "PAGE", 4)
    monkeypatch.setattr(sweeper, "PAGES", 2)
    await world.ready("old-and-played")
    for n in range(20):
        await world.matches.open("club", f"m-{n:02}", players=("Ayşe", "Bora"))
    one = world.sweeper()
    assert await world.over(one, 2 * HOUR) == 20
    assert await world.phase("old-and-played") == "rolling"


async def test_a_match_whose_key_is_missing_is_left_and_told_once(
    world: World, log_lines: io.StringIO
) -> None:
    await world.matches.open("club", "lost", players=("Ayşe", "Bora"))
    world.rings = world.rings[0], SealingRing({"new": bytes(32)}, "new")
    matches = world.process()
    await matches.open("club", "m", players=("Ayşe", "Bora"))
    sweeper = world.sweeper(matches)
    assert await world.over(sweeper, 2 * HOUR) == 1
    assert (await world.phase("lost"), await world.phase("m")) == ("commitments", "ended")
    [told] = [line for line in log_lines.getvalue().splitlines() if "match left" in line]
    assert (json.loads(told)["match_id"], json.loads(told)["reason"]) == ("lost", "key-missing")


async def test_one_damaged_match_does_not_keep_the_others_open(world: World) -> None:
    for name in ("a", "b", "c"):
        await world.matches.open("club", name, players=("Ayşe", "Bora"))
    row = await world.storage.match("b")
    assert row is not None
    assert await world.storage.reseal(row, b"\xa5" * len(row.sealed), row.sealing_key_id)
    assert await world.over(world.sweeper(world.process()), 2 * HOUR) == 2
    assert [await world.phase(name) for name in "abc"] == ["ended", "commitments", "ended"]


async def test_a_database_that_fails_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch, log_lines: io.StringIO
) -> None:
    await world.matches.open("club", "m", players=("Ayşe", "Bora"))
    one = world.sweeper(opening=0.4)
    world.now += 10
    await one.round()
    real, done, failures = world.storage.opened_until, asyncio.Event(), 2

    async def failing(*arguments: Any) -> Any:
        nonlocal failures
        world.wait(0.3)
        if failures:
            failures -= 1
            raise StorageError("The disk is full.")
        return await real(*arguments)

    monkeypatch.setattr(world.storage, "opened_until", failing)
    one._on_swept = lambda _: done.set()
    task = asyncio.create_task(one.run())
    await asyncio.wait_for(done.wait(), 10)
    task.cancel()
    assert log_lines.getvalue().count("The disk is full.") == 2


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_ended_matches_cost_a_round_nothing(storage: Storage, database_url: str) -> None:
    def row(n: int) -> MatchRow:
        time = f"2026-01-01T00:{n // 60 % 60:02}:{n % 60:02}.000Z"
        phase: Phase = "ended" if n % 1000 else "rolling"
        return MatchRow(f"m-{n}", "club", "direct", None, time, time, phase, b"", "key-1", "sign-1")

    for start in range(0, 20_000, 2_000):
        rows = map(row, range(start, start + 2_000))
        await storage.append([Append(r.match_id, 0, (b"x",), opening=r) for r in rows])
    sql = (
        "SELECT match_id FROM matches WHERE phase <> 'ended' AND opened_at <= '2026-02'"
        " AND (opened_at, match_id) > ('', '') ORDER BY opened_at, match_id LIMIT 200"
    )
    for step in ("", "ANALYZE matches"):  # whatever it knows of the table
        if step:
            postgres.execute(database_url, step)
        plan = "\n".join(line for (line,) in postgres.execute(database_url, f"EXPLAIN {sql}"))
        assert "matches_open_by_opening" in plan, plan
        assert "Seq Scan" not in plan
    assert len(await storage.opened_until("2026-02")) == 20
