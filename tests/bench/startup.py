"""``dice-verify`` as a whole process, against a Python that does nothing."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench.harness import Figure, Pair, Plan, paired
from tests.bench.prepared import scratch
from tests.support.bots import play_out
from tests.support.scribe import honest

VERIFY: Final = Path(sys.executable).with_name("dice-verify")
ROLLS: Final = 300
RULE_SET, LENGTH = "tavlino", 7


def _seconds(command: list[str | Path], times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


@contextmanager
def _process(plan: Plan, *, plays: bool) -> Iterator[Pair]:
    scribe = play_out(RULE_SET, LENGTH) if plays else honest(ROLLS)
    times = plan.sized(5, 1)
    with scratch() as folder:
        log = folder / "log.zarf.jsonl"
        log.write_bytes(scribe.data)
        yield Pair(
            lambda: _seconds([VERIFY, log], times),
            lambda: _seconds([sys.executable, "-c", "pass"], times),
        )


FIGURES: Final = (
    Figure(
        name="process-dice",
        what=f"dice-verify of a {ROLLS}-roll log as a whole process, seconds",
        baseline="python -c pass",
        goal=6,
        direction="at_most",
        measure=paired(partial(_process, plays=False)),
    ),
    Figure(
        name="process-plays",
        what=f"dice-verify of a refereed match to {LENGTH} points as a whole process, seconds",
        baseline="python -c pass",
        goal=7,
        direction="at_most",
        measure=paired(partial(_process, plays=True)),
    ),
)
