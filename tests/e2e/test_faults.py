"""Every fault of tests/faults once, under load: a short ``make soak``."""

import asyncio
import os
import random
from pathlib import Path

import pytest

from tests.faults.faults import FAULTS, strike
from tests.faults.load import Load, Tally
from tests.faults.place import Place, place
from tests.support.postgres import NoPostgresError

SEED = 20_260_101


async def all_faults(found: Place) -> tuple[list[str], Tally]:
    source = random.Random(SEED)
    load = Load(
        found.processes, found.processes[0].command("api-key", "create", "--owner", "club"), SEED
    )
    load.start()
    played = []
    try:
        for fault in FAULTS:
            if fault.of(found) and not fault.missing(found):
                await strike(fault, found, load, source)
                played.append(fault.name)
    finally:
        tally = await load.finish()
    return played, tally


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_was_acknowledged_outlives_every_fault_and_the_service_says_what_happened(
    kind: str, tmp_path: Path
) -> None:
    try:
        with place(kind, tmp_path) as found:
            played, tally = asyncio.run(all_faults(found))
            missing = [fault.name for fault in FAULTS if fault.of(found) and fault.missing(found)]
    except NoPostgresError as why:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no PostgreSQL: {why}")
    assert tally.good, tally
    assert tally.matches > 10
    # Where nothing can be mounted, the disk's faults are left to make test on machines that can.
    assert set(missing) <= {"clock jumps", "disk full", "disk fails"}
    assert {"kill -9", "kill -9 at a point", "SIGTERM", "rude clients"} <= set(played)
