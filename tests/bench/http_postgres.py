"""The service on PostgreSQL: against itself on SQLite, with a second worker, with much stored.

Nothing has a core of its own here: two workers, load generator and database share what there is.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from dice_service.storage.databases import open_storage
from dice_service.subprocesses import ServiceProcess
from tests.bench.harness import Figure, Measured, Pair, Plan, Unavailable, paired
from tests.bench.http import FASTEST, ROLLS, Running, remember, running
from tests.bench.prepared import scratch
from tests.bench.processes import LoadProcess, load_process
from tests.bench.stored import fill
from tests.support import postgres

CONNECTIONS: Final = 64


class Ready(NamedTuple):
    """Workers on one database, and who asks them for rolls."""

    process: LoadProcess
    spans: tuple[float, float]

    def rate(self) -> float:
        """Rolls a second of one round."""
        return self.process.rate(*self.spans)

    def latencies(self, pace: float) -> tuple[float, float]:
        """The median and the 99th percentile of one round at a pace."""
        return self.process.latencies(*self.spans, pace)


def _spans(plan: Plan) -> tuple[float, float]:
    return (0.1, 0.2) if plan.quick else (0.2, 0.7)


def _matches(plan: Plan) -> int:
    return int(plan.rounds * sum(_spans(plan)) * FASTEST / ROLLS) + CONNECTIONS


@contextmanager
def ready(
    plan: Plan, folder: Path, database: str | None, workers: int = 1, stored: int = 0
) -> Iterator[Ready]:
    """So many workers on a database (None: SQLite in the folder) with so many rolls stored."""
    count = _matches(plan)
    with ExitStack() as stack:
        if stored:
            assert database is not None
            open_storage(database)
            fill(database, stored)
        first = stack.enter_context(running(folder, count, database, pinned=False))
        remember(first, count)
        load, more = first.load(CONNECTIONS, count), []
        for number in range(1, workers):
            assert database is not None
            place = folder / f"worker-{number}"
            keys = str((folder / "keys").absolute())
            other = ServiceProcess(place, DICE_DATABASE=database, DICE_KEYS=keys)
            stack.enter_context(other)
            remember(Running(other, first.key), count)
            more.append(other.port)
        load = replace(load, more_ports=more)
        process = stack.enter_context(load_process(load, pinned=False))
        yield Ready(process, _spans(plan))
        first.verify_one()


@contextmanager
def _server() -> Iterator[tuple[Callable[[], AbstractContextManager[str]], Path]]:
    """Makes empty databases on a server of our own, and a folder for files."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgres.server())
        except postgres.NoPostgresError as lack:
            raise Unavailable(str(lack)) from None
        yield partial(postgres.empty_database, url), stack.enter_context(scratch())


@contextmanager
def _against_sqlite(plan: Plan) -> Iterator[Pair]:
    with _server() as (database, folder), ExitStack() as stack:
        url = stack.enter_context(database())
        ours = stack.enter_context(ready(plan, folder / "postgres", url))
        other = stack.enter_context(ready(plan, folder / "sqlite", None))
        yield Pair(ours.rate, other.rate)


@contextmanager
def _two_workers(plan: Plan) -> Iterator[Pair]:
    with _server() as (database, folder), ExitStack() as stack:
        pair = []
        for workers in (2, 1):
            url = stack.enter_context(database())
            made = ready(plan, folder / str(workers), url, workers)
            pair.append(stack.enter_context(made).rate)
        yield Pair(*pair)


@contextmanager
def _stored(plan: Plan) -> Iterator[Pair]:
    with _server() as (database, folder), ExitStack() as stack:
        pair = []
        for name, stored in (("many", plan.sized(plan.rows, 10_000)), ("few", 0)):
            url = stack.enter_context(database())
            made = ready(plan, folder / name, url, stored=stored)
            pair.append(stack.enter_context(made).rate)
        yield Pair(*pair)


def _latency(plan: Plan, *, stored: bool = False, on_postgres: bool = True) -> Measured:
    """p99 to the median, both of one round, at half of the highest rate of a few rounds.

    The control: the median to that of the round before.
    """
    with _server() as (database, folder), ExitStack() as stack:
        rows = plan.sized(plan.rows, 10_000) if stored else 0
        url = stack.enter_context(database()) if on_postgres else None
        made = stack.enter_context(ready(plan, folder / "one", url, stored=rows))
        pace = max(made.rate() for _ in range(5)) / 2
        measured = Measured([], [])
        before = made.latencies(pace)[0]
        for _ in range(plan.rounds):
            middle, p99 = made.latencies(pace)
            measured.ratios.append(p99 / middle)
            measured.controls.append(middle / before)
            before = middle
    return measured


def _figure(
    name: str,
    what: str,
    baseline: str,
    goal: float,
    prepare: Callable[[Plan], AbstractContextManager[Pair]],
) -> Figure:
    return Figure(name, what, baseline, goal, "at_least", paired(prepare))


def _latency_figure(name: str, where: str, measure: Callable[[Plan], Measured]) -> Figure:
    return Figure(
        name,
        f"99th percentile of a roll's latency over HTTP at half of the highest rate, {where}",
        "the median in the same round",
        10,
        "at_most",
        measure,
    )


_RATE: Final = f"durable signed rolls a second over HTTP, {CONNECTIONS} connections, PostgreSQL"

FIGURES: Final = (
    _figure(
        "postgres-http-64",
        f"{_RATE}, one worker",
        "the same on SQLite, one worker",
        0.7,
        _against_sqlite,
    ),
    _figure(
        "postgres-2-workers",
        f"{_RATE}, two workers",
        "the same with one worker",
        1.0,
        _two_workers,
    ),
    _figure(
        "postgres-stored",
        f"{_RATE}, one worker, with many rolls stored (--rows)",
        "the same with none stored before",
        0.8,
        _stored,
    ),
    _latency_figure("latency-sqlite", "SQLite", partial(_latency, on_postgres=False)),
    _latency_figure("latency-postgres", "PostgreSQL", _latency),
    _latency_figure(
        "latency-stored",
        "PostgreSQL with many rolls stored (--rows)",
        partial(_latency, stored=True),
    ),
)
