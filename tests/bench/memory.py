"""The service's memory: over a million rolls of many matches, and of a worker that has just begun.

Over a million: the ratios are readings over the last twentieth of the rolls against the reading
after the first 50,000; the control is that reading repeated while nothing happens.
"""

import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.bench.harness import Figure, Measured, Plan
from tests.bench.http import ROLLS, Running, running
from tests.bench.prepared import scratch
from tests.bench.processes import LoadProcess, baseline_process, load_process

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
        pid = _pid(ours)
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


def _measure_worker(plan: Plan) -> Measured:
    measured = Measured([], [])
    with scratch() as folder, ExitStack() as stack:
        count = CONNECTIONS * 2
        ours = stack.enter_context(running(folder, count))
        port, other = stack.enter_context(baseline_process("baseline_empty"))
        load = ours.load(CONNECTIONS, count)
        loads = [stack.enter_context(load_process(one)) for one in (load, replace(load, port=port))]
        for _ in range(plan.rounds):
            for one in loads:
                one.play(0, 0.2)
            baseline = resident(other)
            measured.ratios.append(resident(_pid(ours)) / baseline)
            measured.controls.append(resident(other) / baseline)
    return measured


def _pid(ours: Running) -> int:
    assert ours.service._process is not None
    return ours.service._process.pid


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
    Figure(
        name="memory-worker",
        what="resident memory of a worker that has answered some thousand rolls",
        baseline="that of an empty FastAPI PUT's worker after as long a load",
        goal=2.0,
        direction="at_most",
        measure=_measure_worker,
    ),
)
