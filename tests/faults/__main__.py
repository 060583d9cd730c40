"""``make soak``: load and faults by chance for SOAK_SECONDS, on SQLite and PostgreSQL at once.

Every fault that this machine can play is played once, then they are drawn by SOAK_SEED, which is
printed. Ends with a table and ``soak.json``; status 1 if anything acknowledged is lost or doubled,
a log does not verify, or the service said nothing of a fault.
"""

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.faults.faults import FAULTS, Fault, strike
from tests.faults.load import Load, Tally
from tests.faults.place import Place, place, resident

PROCESSES: Final = {"sqlite": 2, "postgres": 3}
REPORT: Final = Path("soak.json")


@dataclass
class Soak:
    """What came of one place."""

    kind: str
    processes: int
    tally: Tally = field(default_factory=Tally)
    faults: Counter[str] = field(default_factory=Counter)
    not_played: dict[str, str] = field(default_factory=dict)
    memory_seconds: int = 0  # how long the witness ran between the two figures
    memory_start: int = 0  # kilobytes
    memory_end: int = 0

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return self.tally.good and bool(self.faults)

    def report(self) -> dict[str, Any]:
        """As it stands in the report."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__}
        own |= {"tally": asdict(self.tally), "faults": dict(self.faults), "good": self.good}
        return own


async def soak(found: Place, seconds: float, seed: str) -> Soak:
    """Play on a place for so long."""
    source = random.Random(f"{seed} {found.kind}")
    result = Soak(found.kind, len(found.processes))
    key = found.processes[0].command("api-key", "create", "--owner", "club")
    load = Load(found.processes, key, source.getrandbits(32))
    load.start()
    missing = {fault.name: fault.missing(found) for fault in FAULTS}
    result.not_played = {
        fault.name: missing[fault.name]
        for fault in FAULTS
        if fault.of(found) and missing[fault.name]
    }
    able = [fault for fault in FAULTS if not missing[fault.name]]
    lasting = [fault for fault in able if not fault.stops_all]
    waiting = source.sample(lasting, len(lasting))
    waiting += [fault for fault in able if fault.stops_all]  # which come first, from the end
    begin = time.monotonic()
    seen: float | None = None
    while (now := time.monotonic()) < begin + seconds and load.playing_on:
        fault = waiting.pop() if waiting else source.choice(lasting)
        if seen is None and not fault.stops_all and now > begin + min(60, seconds / 4):
            seen, result.memory_start = now, resident(found.witness)
        await _strike(fault, found, load, source, result)
        await asyncio.sleep(source.uniform(0.5, 3))
    result.memory_end = resident(found.witness)
    result.memory_seconds = round(time.monotonic() - (seen or time.monotonic()))
    result.tally = await load.finish()
    return result


async def _strike(
    fault: Fault, found: Place, load: Load, source: random.Random, result: Soak
) -> None:
    try:
        said = await strike(fault, found, load, source)
    except Exception as error:  # noqa: BLE001 - reported, and the soak goes on
        said = f"WRONG: {type(error).__name__}: {error}"
        load.tally.wrong.append(f"{fault.name}: {said}")
    result.faults[fault.name] += 1
    print(f"{time.strftime('%H:%M:%S')} {found.kind:8} {fault.name}: {said[:100]}", flush=True)


def table(results: list[Soak]) -> str:
    """The report for people."""
    rows: list[tuple[str, list[object]]] = [
        ("processes", [one.processes for one in results]),
        ("faults played", [one.faults.total() for one in results]),
        ("rolls acknowledged", [one.tally.acknowledged for one in results]),
        ("rolls checked", [one.tally.checked for one in results]),
        ("doubles", [one.tally.doubles for one in results]),
        ("losses", [one.tally.losses for one in results]),
        ("logs", [one.tally.matches for one in results]),
        ("logs verified", [one.tally.verified for one in results]),
        ("other faults found", [len(one.tally.wrong) for one in results]),
        ("memory, start (kB)", [one.memory_start for one in results]),
        ("memory, end (kB)", [one.memory_end for one in results]),
        ("  over (s)", [one.memory_seconds for one in results]),
    ]
    names = sorted({name for one in results for name in one.faults})
    rows += [(f"  {name}", [one.faults[name] for one in results]) for name in names]
    head = f"{'':24}" + "".join(f"{one.kind:>12}" for one in results)
    lines = [f"{name:24}" + "".join(f"{value!s:>12}" for value in row) for name, row in rows]
    return "\n".join([head, *lines])


async def both(places: list[Place], seconds: float, seed: str) -> list[Soak]:
    """All places at once."""
    return await asyncio.gather(*(soak(one, seconds, seed) for one in places))


def main() -> int:
    """Exit status: 0 if all is well."""
    seconds = float(os.environ.get("SOAK_SECONDS") or 1800)
    seed = os.environ.get("SOAK_SEED") or str(random.SystemRandom().randrange(10**9))
    print(f"soak: {seconds:g} s, SOAK_SEED={seed}", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zarf-soak-")))
        places = []
        for kind, processes in PROCESSES.items():
            (folder / kind).mkdir()
            places.append(
                stack.enter_context(
                    place(
                        kind,
                        folder / kind,
                        processes=processes,
                        megabytes=256 + round(seconds / 4),
                    )
                )
            )
        results = asyncio.run(both(places, seconds, seed))
    print(table(results))
    for one in results:
        for what in one.tally.wrong:
            print(f"WRONG, {one.kind}: {what}")
        for name, lacks in one.not_played.items():
            print(f"{one.kind}: {name} was not played; it needs: {lacks}")
    report = {"seconds": seconds, "seed": seed, "places": [one.report() for one in results]}
    REPORT.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    print(f"{REPORT} written; seed {seed}")
    return 0 if all(one.good for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
