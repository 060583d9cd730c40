"""Killed at the worst moments, and raced by another process: what was answered stays true."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dice_service.storage.databases import open_storage
from tests.support.roller import MATCH, make_keys
from verifier import Verdict, verify_log

ROLLS = 4
STEPS = 1 + 2 + 2 + ROLLS + 1  # open, commitments, seeds, rolls, end: one append each


class Place(NamedTuple):
    """Where the keys are, and where the matches."""

    folder: Path
    database: str


@pytest.fixture(params=["sqlite", "postgres"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, database_of: Callable[[str], str]
) -> Place:
    make_keys(tmp_path)
    return Place(tmp_path, database_of(request.param))


def start(place: Place, rolls: int = ROLLS, crash_at: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.roller", *map(str, place), str(rolls)],
        env={**os.environ, "DICE_TEST_CRASH_AT": crash_at},
        stdout=subprocess.PIPE,
        text=True,
    )


def answers(process: subprocess.Popen[str]) -> tuple[list[str], list[str]]:
    """Each answer's "new" or "old", and its JSON."""
    output, _ = process.communicate(timeout=60)
    pairs = [line.split(" ", 1) for line in output.splitlines()]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def stored_log(place: Place) -> bytes:
    async def read() -> list[bytes]:
        storage = open_storage(place.database)
        try:
            return await storage.lines(MATCH)
        finally:
            await storage.close()

    return b"".join(line + b"\n" for line in asyncio.run(read()))


@pytest.mark.parametrize(
    ("place", "step"),
    [*(("sqlite", step) for step in (1, 3, 6, STEPS)), ("postgres", 1), ("postgres", 6)],
    indirect=["place"],
)
@pytest.mark.parametrize("point", ["before-commit", "after-commit", "before-answer"])
def test_after_a_crash_every_answer_stands_and_a_retry_gets_the_same(
    place: Place, point: str, step: int
) -> None:
    crashed = start(place, crash_at=f"{point}:{step}")
    _, told = answers(crashed)
    assert crashed.returncode == -signal.SIGKILL
    assert len(told) == step - 1
    log = stored_log(place)
    if log:
        assert verify_log(log).verdict is not Verdict.FAILED
    kinds, again = answers(start(place))
    assert again[: len(told)] == told
    written = step if point != "before-commit" else step - 1
    assert kinds == ["old"] * written + ["new"] * (STEPS - written)
    assert stored_log(place).startswith(log)
    report = verify_log(stored_log(place))
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, ROLLS)
    _, third = answers(start(place))
    assert third == again


def test_two_processes_on_one_match_roll_each_index_once(place: Place) -> None:
    rolls = 150
    one, two = start(place, rolls), start(place, rolls)
    kinds_one, told_one = answers(one)
    kinds_two, told_two = answers(two)
    assert told_one == told_two
    assert len(told_one) == rolls + 6
    # Of the two answers to one request exactly one says that it was done now.
    assert [sorted(pair) for pair in zip(kinds_one, kinds_two, strict=True)] == (
        [["new", "old"]] * (rolls + 6)
    )
    report = verify_log(stored_log(place))
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, rolls)
