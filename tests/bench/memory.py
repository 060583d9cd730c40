"""The service's memory over a million rolls of many matches.

The ratios are readings over the last twentieth of the rolls against the reading after the first
50,000; the control is that reading repeated while nothing happens.
"""

import time
from pathlib import Path
from typing import Final

from tests.bench.harness import Figure, Measured, Plan
from tests.bench.http import ROLLS, running
from tests.bench.prepared import scratch
from tests.bench.processes import LoadProcess, load_process

CONNECTIONS: Final = 64
STEP: Final = 0.5  # seconds of load between two readings


def resident(pid: int) -> int:
    """A process's resident memory, in kilobytes (proc(5))."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0])


def _measure(plan: Plan) -> Measured:
    rolls = plan.sized(1_000_000, 20_000)
    count = rolls // ROLLS + CONNECTIONS
    with scratch() as folder, running(folder, count) as ours:
        assert ours.service._process is not None
        pid = ours.service._process.pid
        with load_process(ours.load(CONNECTIONS, count)) as load:
            played = _play(load, 0, rolls // 20)
            first = resident(pid)
            controls = []
            for _ in range(plan.rounds):
                time.sleep(0.1)
                controls.append(resident(pid) / first)
            played = _play(load, played, rolls * 19 // 20)
            ratios: list[float] = []
            while played < rolls or len(ratios) < plan.rounds:
                played = _play(load, played, played + 1)
                ratios.append(resident(pid) / first)
        ours.verify_one()
    return Measured(ratios, controls)


def _play(load: LoadProcess, played: int, until: int) -> int:
    while played < until:
        played += load.play(0, STEP)[0]
    return played


FIGURES: Final = (
    Figure(
        name="memory",
        what="resident memory of the service at the end of a million rolls of many matches",
        baseline="its own after the first 50,000 rolls",
        goal=1.1,
        direction="at_most",
        measure=_measure,
    ),
)
