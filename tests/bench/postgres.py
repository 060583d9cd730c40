"""The storage alone on PostgreSQL, beside SQLite and pgbench: ``python -m tests.bench.postgres``.

Batcher and adapter, no HTTP: callers that each append a roll's line after the last one is durable.
pgbench: 16 clients, each transaction one INSERT of such a row, on the same server. The rounds
alternate, as what else the machine does meets all of them.
"""

import asyncio
import hashlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Final

from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage import Append, MatchRow
from dice_service.storage.batcher import Batcher
from dice_service.storage.databases import open_storage
from tests.bench.harness import Figure, Pair, Plan, Unavailable, paired
from tests.support import postgres
from verifier.events import Player

CALLERS = 64
SECONDS = 3.0
LINE = b'{"type":"roll","prev":"%b","time":"2026-11-30T18:00:00.000Z","index":0,' % (b"a" * 64)
LINE += b'"dice":[3,1],"purpose":"turn","player":null}'
PGBENCH = """
\\set match random(1, 1000000000)
INSERT INTO plain VALUES (:match::text || '-' || :client_id, 0, '{line}') ON CONFLICT DO NOTHING;
"""


async def appends(url: str, run: str, callers: int, seconds: float = SECONDS) -> float:
    """Durable lines a second."""
    storage = open_storage(url)
    batcher = Batcher(storage, 10_000)
    until = 0.0

    async def call(number: int) -> int:
        match_id, seq = f"m-{run}-{number}", 1
        row = MatchRow(match_id, "o", "direct", None, "t", None, "rolling", b"s" * 92, "k", "s")
        await batcher.submit(Append(match_id, 0, (LINE,), opening=row))
        await started.wait()
        while time.monotonic() < until:
            assert await batcher.submit(Append(match_id, seq, (LINE,)))
            seq += 1
        return seq - 1

    started = asyncio.Event()
    calls = [asyncio.ensure_future(call(number)) for number in range(callers)]
    await asyncio.sleep(0.3)
    begin = time.monotonic()
    until = begin + seconds
    started.set()
    done = sum(await asyncio.gather(*calls))
    rate = done / (time.monotonic() - begin)
    await batcher.close()
    await storage.close()
    return rate


def pgbench(server: postgres.Cluster, script: Path, seconds: float = SECONDS) -> float:
    """Single-row transactions a second."""
    command = [*("-n", "-M", "prepared", "-c", "16", "-j", "1", "-T", str(round(seconds)))]
    program = server.programs / "pgbench"
    where = ["-h", str(server.folder), "-U", "zarf", "postgres", "-f", str(script)]
    done = subprocess.run([program, *command, *where], check=True, capture_output=True, text=True)
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found is not None
    return float(found[1])


async def together(url: str, run: int) -> float:
    """Durable lines a second of two processes with half the callers each."""
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        half = [
            loop.run_in_executor(pool, alone, url, f"{run}-{number}", CALLERS // 2)
            for number in range(2)
        ]
        return sum(await asyncio.gather(*half))


def alone(url: str, run: str, callers: int = CALLERS, seconds: float = SECONDS) -> float:
    """Durable lines a second of this process."""
    return asyncio.run(appends(url, run, callers, seconds))


@contextmanager
def _against_pgbench(_: Plan, callers: int) -> Iterator[Pair]:
    seconds, runs = 1, count()
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres.cluster())
        except postgres.NoPostgresError as lack:
            raise Unavailable(str(lack)) from None
        if not (server.programs / "pgbench").is_file():
            raise Unavailable(f"no pgbench in {server.programs}")
        url = stack.enter_context(postgres.empty_database(server.url))
        script = prepare_pgbench(server, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        yield Pair(
            lambda: alone(url, f"{next(runs)}", callers, seconds),
            lambda: pgbench(server, script, seconds),
        )


def prepare_pgbench(server: postgres.Cluster, folder: Path) -> Path:
    """Make its table, and its script in a folder."""
    postgres.execute(server.url, "CREATE TABLE plain (a text, b int, c text, PRIMARY KEY (a, b))")
    script = folder / "insert.sql"
    script.write_text(PGBENCH.format(line="x" * len(LINE)))
    return script


async def matches(url: str, number: int, rolls: int) -> None:
    """Whole dice-only matches, with their keys and signatures."""
    storage = open_storage(url)
    service = Matches(storage, SigningRing.generate(), SealingRing.generate())
    players: tuple[Player, Player] = (0, 1)
    seeds = [hashlib.sha256(bytes([player])).hexdigest() for player in players]

    async def play(match_id: str) -> None:
        await service.open("club", match_id, players=("Ayşe", "Bora"))
        for player, seed in zip(players, seeds, strict=True):
            commitment = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
            await service.commit(match_id, player, commitment)
        for player, seed in zip(players, seeds, strict=True):
            await service.open_seed(match_id, player, seed)
        for index in range(rolls):
            await service.roll(match_id, index)
        await service.end(match_id, reason="finished")

    await asyncio.gather(*(play(f"cup-2026.match-{place:05}") for place in range(number)))
    await service.close()
    await storage.close()


def main(rounds: int) -> None:
    """Print the figures of each round, and their medians."""
    figures: dict[str, list[float]] = {}
    with ExitStack() as stack:
        server = stack.enter_context(postgres.cluster())
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        whole, parts, real = (
            stack.enter_context(postgres.empty_database(server.url)) for _ in range(3)
        )
        postgres.partition(parts)
        script = prepare_pgbench(server, Path(folder))
        for run in range(rounds):
            found = {
                "pgbench, 16 clients": pgbench(server, script),
                "PostgreSQL, one process": alone(whole, str(run)),
                "PostgreSQL, two processes": asyncio.run(together(whole, run)),
                "PostgreSQL, one process, 8 partitions": alone(parts, str(run)),
                "SQLite, one process": alone(f"sqlite:///{folder}/dice.db", str(run)),
            }
            for name, value in found.items():
                figures.setdefault(name, []).append(value)
        asyncio.run(matches(real, 400, 60))
        sizes = "SELECT (SELECT count(*) FROM lines)::float, pg_total_relation_size('lines')::float"
        ((rows, size),) = postgres.execute(real, sizes)
    (first, baseline), *_ = figures.items()
    for name, values in figures.items():
        ratio = median(ours / theirs for ours, theirs in zip(values, baseline, strict=True))
        say(
            f"{name}: {median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f}) lines/s,"
            f" {ratio:.2f} of {first} in the same round"
        )
    say(f"a match of 60 rolls: {rows / 400:.0f} lines, {size / 400:,.0f} bytes with their index")


FIGURES: Final = tuple(
    Figure(
        name=f"storage-pgbench-{callers}",
        what=f"durable lines a second, batcher and PostgreSQL's adapter, {callers} callers",
        baseline="pgbench on the same server: 16 clients, one single-row INSERT a transaction",
        goal=1.0,
        direction="at_least",
        measure=paired(partial(_against_pgbench, callers=callers)),
    )
    for callers in (16, CALLERS)
)


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
