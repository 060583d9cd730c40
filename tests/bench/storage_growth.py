"""How long a roll takes with many matches stored, against few.

``Matches.roll`` in process, one after the other: all that a roll is but HTTP, which would only
hide a difference. The matches played lie evenly among all, each roll is another match's than
the one before, and a run's figure is its median. What fills the file has the lines of a match
whose rolls are due (one in a thousand is played); the file's depth is what is measured.
"""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

from dice_service.matches import Matches
from dice_service.storage.sqlite import SqliteStorage
from tests.bench.harness import Figure, Pair, Plan, paired
from tests.bench.prepared import OWNER, make_keys, make_matches, open_matches, scratch

FEW: Final = 1_000
PLAYED: Final = 250
TEMPLATE: Final = "0" * 7 + "-template"


def names(stored: int) -> list[str]:
    """The matches that are played, spread among ``stored``."""
    return [f"{number * stored // PLAYED:07}-played00" for number in range(PLAYED)]


def fill(folder: Path, stored: int) -> None:
    """Fill ``dice.db`` with copies of one match, ids in order, and then those to be played."""
    make_matches(folder, [TEMPLATE])
    db = sqlite3.connect(folder / "dice.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")  # a file to be thrown away needs no safety yet
    db.execute("PRAGMA synchronous = OFF")
    lines = db.execute("SELECT seq, line FROM lines ORDER BY seq").fetchall()
    columns = "seeding, rules, opened_at, ended_at, phase, sealed, sealing_key_id, signing_key_id"
    db.execute("BEGIN")
    db.executemany(
        f"INSERT INTO matches (match_id, owner, {columns})"
        f" SELECT ?, ?, {columns} FROM matches WHERE match_id = '{TEMPLATE}'",
        ((f"{number:07}-stored00", OWNER) for number in range(stored - PLAYED)),
    )
    db.executemany(
        "INSERT INTO lines (match_id, seq, line) VALUES (?, ?, ?)",
        (
            (name, seq, line.replace(TEMPLATE, name))
            for name in (f"{number:07}-stored00" for number in range(stored - PLAYED))
            for seq, line in lines
        ),
    )
    db.execute("COMMIT")
    db.close()
    make_matches(folder, names(stored))


class Player:
    """Rolls in the matches of one file."""

    def __init__(self, matches: Matches, stored: int) -> None:
        self._matches = matches
        self._rolls = ((name, index) for index in count() for name in names(stored))

    async def median_latency(self, rolls: int) -> float:
        """The median over so many rolls, in seconds."""
        latencies = []
        for _ in range(rolls):
            name, index = next(self._rolls)
            begin = time.perf_counter()
            outcome = await self._matches.roll(name, index)
            latencies.append(time.perf_counter() - begin)
            assert outcome.created
        return median(latencies)


def _close(runner: asyncio.Runner, storage: SqliteStorage) -> None:
    runner.run(storage.close())


@contextmanager
def _growth(plan: Plan, stored: int) -> Iterator[Pair]:
    rolls = plan.sized(PLAYED, 50)
    with scratch() as root, asyncio.Runner() as runner, ExitStack() as stack:
        players = []
        for number in (plan.sized(stored, stored // 50), FEW):
            folder = root / str(number)
            folder.mkdir()
            make_keys(folder)
            fill(folder, number)
            storage = SqliteStorage(folder / "dice.db")
            stack.callback(partial(_close, runner, storage))
            player = Player(open_matches(folder, storage), number)
            runner.run(player.median_latency(PLAYED))  # every match has been read
            players.append(player)
        many, few = players
        yield Pair(
            lambda: runner.run(many.median_latency(rolls)),
            lambda: runner.run(few.median_latency(rolls)),
        )


def _figure(stored: int, said: str) -> Figure:
    return Figure(
        name=f"growth-{said}",
        what=f"median seconds of Matches.roll with {stored:,} matches in the file",
        baseline=f"the same with {FEW:,} matches in the file",
        goal=1.15,
        direction="at_most",
        measure=paired(partial(_growth, stored=stored)),
    )


FIGURES: Final = (_figure(100_000, "100k"), _figure(1_000_000, "1m"))
