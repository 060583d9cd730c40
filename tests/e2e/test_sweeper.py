"""Processes on one database end a match that nobody opens, once, and no match that is played."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from dice_service.client import DiceClient
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import PLAYERS, opened
from verifier import Verdict, verify_log

TIMEOUTS = {"DICE_OPENING_TIMEOUT": "2", "DICE_IDLE_TIMEOUT": "3600"}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_processes_end_it_once(
    kind: str, tmp_path: Path, database_of: Callable[[str], str]
) -> None:
    settings = {**TIMEOUTS, "DICE_DATABASE": database_of(kind), "DICE_KEYS": str(tmp_path / "keys")}
    with ExitStack() as stack:
        one = stack.enter_context(ServiceProcess(tmp_path / "one", **settings))
        two = stack.enter_context(ServiceProcess(tmp_path / "two", **settings))
        key = one.command("api-key", "create", "--owner", "club")
        with DiceClient(one.url, key) as dice, DiceClient(two.url, key) as other:
            for device in opened(dice, one.url, tmp_path, "played"):
                device.close()
            dice.open_match("unopened", players=PLAYERS)
            until = time.monotonic() + 30
            while other.state("unopened").phase != "ended" and time.monotonic() < until:
                time.sleep(0.1)
            log = dice.log("unopened").data
            assert [line for line in log.splitlines() if b'"reason":"abort"' in line]
            assert log.count(b'"type":"match_end"') == 1
            assert verify_log(log, []).verdict is not Verdict.FAILED
            assert other.state("played").phase == "rolling"
        numbers = "".join(httpx.get(f"{each.url}/metrics").text for each in (one, two))
        swept = [line for line in numbers.splitlines() if line.startswith("dice_matches_swept_t")]
        assert sum(float(line.split()[-1]) for line in swept) == 1
        told = "".join(each.log_file.read_text() for each in (one, two))
        assert told.count("match swept") == 1
        assert '"level":"error"' not in told
