"""Killed at the worst moments, and raced by another process: what was answered stays true."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dice_service.storage.sqlite import SqliteStorage
from tests.support.roller import MATCH, make_keys
from verifier import Verdict, verify_log

ROLLS = 4
STEPS = 1 + 2 + 2 + ROLLS + 1  # open, commitments, seeds, rolls, end: one append each


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_keys(tmp_path)
    return tmp_path


def start(folder: Path, rolls: int = ROLLS, crash_at: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.roller", str(folder), str(rolls)],
        env={**os.environ, "DICE_TEST_CRASH_AT": crash_at},
        stdout=subprocess.PIPE,
        text=True,
    )


def answers(process: subprocess.Popen[str]) -> tuple[list[str], list[str]]:
    """Each answer's "new" or "old", and its JSON."""
    output, _ = process.communicate(timeout=60)
    pairs = [line.split(" ", 1) for line in output.splitlines()]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def stored_log(folder: Path) -> bytes:
    async def read() -> list[bytes]:
        storage = SqliteStorage(folder / "dice.db")
        try:
            return await storage.lines(MATCH)
        finally:
            await storage.close()

    return b"".join(line + b"\n" for line in asyncio.run(read()))


@pytest.mark.parametrize("step", [1, 3, 6, STEPS])
@pytest.mark.parametrize("point", ["before-commit", "after-commit", "before-answer"])
def test_after_a_crash_every_answer_stands_and_a_retry_gets_the_same(
    folder: Path, point: str, step: int
) -> None:
    crashed = start(folder, crash_at=f"{point}:{step}")
    _, told = answers(crashed)
    assert crashed.returncode == -signal.SIGKILL
    assert len(told) == step - 1
    log = stored_log(folder)
    if log:
        assert verify_log(log).verdict is not Verdict.FAILED
    kinds, again = answers(start(folder))
    assert again[: len(told)] == told
    written = step if point != "before-commit" else step - 1
    assert kinds == ["old"] * written + ["new"] * (STEPS - written)
    assert stored_log(folder).startswith(log)
    report = verify_log(stored_log(folder))
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, ROLLS)
    _, third = answers(start(folder))
    assert third == again


def test_two_processes_on_one_match_roll_each_index_once(folder: Path) -> None:
    rolls = 150
    one, two = start(folder, rolls), start(folder, rolls)
    kinds_one, told_one = answers(one)
    kinds_two, told_two = answers(two)
    assert told_one == told_two
    assert len(told_one) == rolls + 6
    # Of the two answers to one request exactly one says that it was done now.
    assert [sorted(pair) for pair in zip(kinds_one, kinds_two, strict=True)] == (
        [["new", "old"]] * (rolls + 6)
    )
    report = verify_log(stored_log(folder))
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, rolls)
