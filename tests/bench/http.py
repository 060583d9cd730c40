"""A durable signed roll over HTTP, by the real ``dice-service serve``, against other endpoints."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from dice_service.subprocesses import ServiceProcess
from tests.bench.harness import Figure, Pair, Plan, paired
from tests.bench.load import Load
from tests.bench.prepared import make_matches, match_ids, scratch, sqlite_url
from tests.bench.processes import LoadProcess, baseline_server, load_process, server_cores
from verifier import Verdict, verify_log

ROLLS: Final = 300  # in a match, before a connection goes on to its next
FASTEST: Final = 8_000  # requests a second: so many matches are opened beforehand

Baseline = Callable[[Path, int], AbstractContextManager[int]]  # folder, matches -> port


class Running(NamedTuple):
    """The service with matches to play."""

    service: ServiceProcess
    key: str

    def load(self, connections: int, count: int) -> Load:
        """Rolls from the first ``count`` matches, dealt to so many connections."""
        return Load(self.service.port, self.key, dealt(count, connections), ROLLS)

    def verify_one(self) -> None:
        """End the match that was played first, and hold what was measured to be real."""
        headers = {"authorization": f"Bearer {self.key}"}
        place = f"{self.service.url}/v1/matches/{match_ids(1)[0]}"
        with httpx.Client(headers=headers, trust_env=False) as http:
            rolls = http.get(place).json()["rolls"]
            http.put(f"{place}/end", json={"reason": "finished", "winner": 0}).raise_for_status()
            report = verify_log(http.get(f"{place}/log").content)
        assert report.verdict is Verdict.CONSISTENT, report
        assert report.rolls == rolls > 0


def dealt(count: int, connections: int) -> list[list[str]]:
    """The matches that each connection plays."""
    ids = match_ids(count)
    return [ids[seat::connections] for seat in range(connections)]


@contextmanager
def running(
    folder: Path, count: int, database: str | None = None, *, pinned: bool = True
) -> Iterator[Running]:
    """The service with its keys in a folder, with ``count`` matches whose rolls are due.

    ``database``: a URL, None for SQLite in the folder; on the server's core if ``pinned``.
    """
    service = ServiceProcess(folder, DICE_DATABASE=database or sqlite_url(folder))
    service.command("init")
    key = service.command("api-key", "create", "--owner", "bench")
    make_matches(folder, match_ids(count), database)
    with ExitStack() as stack:
        with server_cores() if pinned else nullcontext():
            stack.enter_context(service)
        yield Running(service, key)


def remember(running: Running, count: int) -> None:
    """Have the service read its matches, as when they had been opened over HTTP."""
    headers = {"authorization": f"Bearer {running.key}"}
    with httpx.Client(headers=headers, base_url=running.service.url, trust_env=False) as http:
        for match_id in match_ids(count):
            http.get(f"/v1/matches/{match_id}").raise_for_status()


@contextmanager
def _pair(plan: Plan, connections: int, baseline: Baseline) -> Iterator[Pair]:
    warm_up, seconds = (0.1, 0.2) if plan.quick else (0.2, 1.0)
    count = int(plan.rounds * (warm_up + seconds) * FASTEST / ROLLS) + connections
    with scratch() as folder, ExitStack() as stack:
        ours = stack.enter_context(running(folder, count))
        remember(ours, count)
        port = stack.enter_context(baseline(folder, count))
        other = Load(port, ours.key, dealt(count, connections), ROLLS)

        def rate(load: LoadProcess) -> float:
            return load.rate(warm_up, seconds)

        yield Pair(
            partial(rate, stack.enter_context(load_process(ours.load(connections, count)))),
            partial(rate, stack.enter_context(load_process(other))),
        )
        ours.verify_one()


def _empty(_folder: Path, _count: int) -> AbstractContextManager[int]:
    return baseline_server("baseline_empty")


def _usual(folder: Path, count: int) -> AbstractContextManager[int]:
    return baseline_server("baseline_usual", str(folder / "usual.db"), str(count))


def _against_empty(connections: int, goal: float, aim: float | None) -> Figure:
    return Figure(
        name=f"roll-http-{connections}",
        what=f"durable signed rolls a second over HTTP, {connections} connection(s), one worker",
        baseline="an empty FastAPI PUT with pydantic path and body on the same uvicorn settings",
        goal=goal,
        direction="at_least",
        measure=paired(partial(_pair, connections=connections, baseline=_empty)),
        aim=aim,
    )


FIGURES: Final = (
    _against_empty(1, 0.5, None),
    _against_empty(16, 0.8, 1.0),
    _against_empty(64, 0.8, 1.0),
    Figure(
        name="roll-http-16-usual",
        what="durable signed rolls a second over HTTP, 16 connections, one worker",
        baseline="FastAPI with SQLAlchemy async on aiosqlite, one transaction a request",
        goal=5,
        direction="at_least",
        measure=paired(partial(_pair, connections=16, baseline=_usual)),
    ),
)
