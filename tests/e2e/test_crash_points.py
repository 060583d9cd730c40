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
    usual = service._environment
    hurt = STEPS if usual["DICE_DATABASE"].startswith("sqlite") else STEPS[::2] + STEPS[-1:]
    hurt = STEPS[:1] if point == "sealed" else hurt
    waiting: list[tuple[Step, int]] = []  # steps before the next that is hurt, and their status
    for step in STEPS[: STEPS.index(hurt[-1]) + 1]:
        if step in hurt:
            # Each write passes the point once, a repeat of what was written does not.
            count = 1 + sum(status == 201 for _, status in waiting)
            service._environment = usual | {"DICE_TEST_CRASH_AT": f"{point}:{count}"}
            service.start()
            assert [caller.ask(one) for one, _ in waiting] == [status for _, status in waiting]
            caller.lost(step)
            waiting = [(step, 200 if point in WRITTEN else 201)]
        else:
            waiting.append((step, 201))
    service._environment = usual
    service.start()
    assert [caller.ask(one) for one, _ in waiting] == [status for _, status in waiting]
    rest = STEPS[STEPS.index(hurt[-1]) + 1 :]
    assert [caller.ask(step) for step in rest] == [201] * len(rest)
    assert [caller.ask(step) for step in STEPS] == [200] * len(STEPS)
    log = httpx.get(f"{service.url}/v1/matches/m-1/log", trust_env=False).content
    assert log.count(b'"type":"roll"') == 2
    assert len(set(caller.receipts)) == 2
    kept = caller.opening + b"".join(line + b"\n" for line in caller.receipts)
    report = verify_log(log, [read_receipts(kept)])
    assert (report.verdict, report.rolls) == (Verdict.VERIFIED, 2)
    told = [json.loads(line) for line in service.log_file.read_text().splitlines() if "{" in line]
    events = [line["event"] for line in told]
    # Whoever reads "started" with no "stopped" before it sees that it was killed.
    assert (events.count("started"), events.count("stopped")) == (len(hurt) + 1, 0)
    assert "exception" not in service.log_file.read_text()
