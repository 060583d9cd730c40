"""``python -m tests.bench``: measure, print a table, write ``bench.json``."""

import argparse
import sys
import time
from pathlib import Path

from tests.bench import (
    browser,
    harness,
    http,
    http_actions,
    http_postgres,
    memory,
    playing,
    postgres,
    startup,
    storage_growth,
    verifying,
)

FIGURES = {
    figure.name: figure
    for module in (
        *(verifying, playing, startup, http, http_actions),
        *(http_postgres, postgres, storage_growth, memory, browser),
    )
    for figure in module.FIGURES
}
QUICK_ROUNDS = 3


def main() -> int:
    """Exit status 0 whether goals are met or not: the table says so."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", allow_abbrev=False)
    parser.add_argument("--only", nargs="+", choices=sorted(FIGURES), metavar="NAME")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default: {harness.ROUNDS}")
    parser.add_argument(
        "--rows",
        type=int,
        default=harness.ROWS,
        metavar="N",
        help=f"rolls stored where many are to be; default: {harness.ROWS}",
    )
    parser.add_argument("--quick", action="store_true", help="few short rounds: does it work?")
    parser.add_argument("--list", action="store_true", help="the figures, and leave")
    parser.add_argument("--output", type=Path, default=Path("bench.json"), metavar="FILE")
    given = parser.parse_args()
    if given.list:
        for figure in FIGURES.values():
            _say(f"{figure.name:<24}{figure.what}\n{'':<24}against {figure.baseline}")
        return 0
    rounds = given.rounds or (QUICK_ROUNDS if given.quick else harness.ROUNDS)
    plan = harness.Plan(rounds, given.quick, given.rows)
    results = []
    _say(harness.HEADER)
    wanted = [name for name in FIGURES if not given.only or name in given.only]
    for number, name in enumerate(wanted, 1):
        figure = FIGURES[name]
        begin = time.monotonic()
        sys.stderr.write(f"{number} of {len(wanted)}: {name} …\n")
        try:
            results.append(harness.run(figure, plan))
        except harness.Unavailable as lack:
            _say(f"{name:<24}not measured: {lack}")
            continue
        _say(f"{harness.row(results[-1])}   {time.monotonic() - begin:.0f} s")
        harness.write(results, given.output)
    missed = [result.figure.name for result in results if result.verdict == "MISSED"]
    _say(f"missed: {', '.join(missed)}" if missed else "no goal is missed")
    if given.quick:
        _say("(quick: these numbers mean little)")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
