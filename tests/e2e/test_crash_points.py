"""kill -9 at every named point between receiving and answering, of every kind of write."""

import hashlib
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

from dice_service.crash import POINTS
from dice_service.subprocesses import ServiceProcess
from verifier import Verdict, read_receipts, verify_log
from verifier.receipts import RollReceipt, encode_receipt

SEEDS = tuple(hashlib.sha256(name).hexdigest() for name in (b"player 0", b"player 1"))
COMMITMENTS = tuple(hashlib.sha256(bytes.fromhex(seed)).hexdigest() for seed in SEEDS)
WRITTEN = {"after-commit", "before-answer"}


class Step(NamedTuple):
    path: str
    body: dict[str, Any]
    player: int | None = None


STEPS = (
    Step("m-1", {"players": ["Ayşe", "Bora"]}),
    *(Step(f"m-1/players/{p}/commitment", {"commitment": COMMITMENTS[p]}, p) for p in (0, 1)),
    *(Step(f"m-1/players/{p}/seed", {"seed": SEEDS[p]}, p) for p in (0, 1)),
    *(Step(f"m-1/rolls/{index}", {}) for index in (0, 1)),
    Step("m-1/end", {"reason": "finished"}),
)


@pytest.fixture(params=["sqlite", "postgres"])
def service(
    request: pytest.FixtureRequest, tmp_path: Path, database_of: Callable[[str], str]
) -> Iterator[ServiceProcess]:
    process = ServiceProcess(tmp_path, DICE_DATABASE=database_of(request.param))
    process.command("init")
    yield process
    process.kill()


class Caller:
    """Asks as the game server and as the players, and keeps what is answered."""

    def __init__(self, service: ServiceProcess) -> None:
        self.service = service
        self.key = service.command("api-key", "create", "--owner", "club")
        self.tokens: list[str] = []
        self.opening = b""
        self.receipts: list[bytes] = []

    def ask(self, step: Step) -> int:
        """The status of the answer, whose tokens and receipts are kept."""
        bearer = self.key if step.player is None else self.tokens[step.player]
        url = f"{self.service.url}/v1/matches/"
        headers = {"authorization": f"Bearer {bearer}"}
        answer = httpx.put(url + step.path, json=step.body, headers=headers, trust_env=False)
        assert answer.is_success, answer.text
        told = answer.json()
        self.tokens = told.get("tokens", self.tokens)
        if "dice" in told:
            self.receipts.append(encode_receipt(msgspec.convert(told["receipt"], RollReceipt)))
        if step == STEPS[2]:
            found = httpx.get(f"{url}m-1/receipt", headers=headers, trust_env=False)
            self.opening = found.content
        return answer.status_code

    def lost(self, step: Step) -> None:
        """Ask, and get no answer: the service dies at the point that it was told."""
        with pytest.raises(httpx.TransportError):
            self.ask(step)
        process = self.service._process
        assert process is not None
        assert process.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_of_any_write_loses_and_doubles_nothing(
    service: ServiceProcess, point: str
) -> None:
    caller = Caller(service)
    sqlite = service._environment["DICE_DATABASE"].startswith("sqlite")
    steps = STEPS[:1] if point == "sealed" else STEPS if sqlite else STEPS[2:3] + STEPS[5:]
    before = STEPS[: STEPS.index(steps[0])]
    usual = service._environment
    if before:
        service.start()
        assert [caller.ask(step) for step in before] == [201] * len(before)
        service.stop()
    for number, step in enumerate(steps):
        # A repeat of what was written passes no point that follows its commit; others do.
        count = 2 if number and point not in WRITTEN else 1
        service._environment = usual | {"DICE_TEST_CRASH_AT": f"{point}:{count}"}
        service.start()
        if number:
            assert caller.ask(steps[number - 1]) == (200 if point in WRITTEN else 201)
        caller.lost(step)
    service._environment = usual
    service.start()
    assert caller.ask(steps[-1]) == (200 if point in WRITTEN else 201)
    assert [caller.ask(step) for step in steps] == [200] * len(steps)
    for step in STEPS[STEPS.index(steps[-1]) + 1 :]:
        assert caller.ask(step) == 201
    log = httpx.get(f"{service.url}/v1/matches/m-1/log", trust_env=False).content
    assert log.count(b'"type":"roll"') == 2
    assert len(set(caller.receipts)) == 2
    kept = caller.opening + b"".join(line + b"\n" for line in caller.receipts)
    report = verify_log(log, [read_receipts(kept)])
    assert (report.verdict, report.rolls) == (Verdict.VERIFIED, 2)
    told = [json.loads(line) for line in service.log_file.read_text().splitlines() if "{" in line]
    events = [line["event"] for line in told]
    # Whoever reads "started" with no "stopped" before it sees that it was killed.
    assert events.count("started") - events.count("stopped") == len(steps) + 1
    assert events.count("stopped") == bool(before)
    assert "exception" not in service.log_file.read_text()
