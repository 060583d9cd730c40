"""Ratios to a baseline: measured in paired rounds, with an interval and an A/A control.

A round runs the baseline, then ours, then the baseline again as the control; the next round the
other way round. So each side is as often first as last, ours always stands beside the baseline
it is divided by, and what the machine does meanwhile meets both. The control is the baseline
divided by itself, measured exactly as the figure is: how far it strays from 1 is what a ratio
here can be wrong by.
"""

import gc
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import comb
from pathlib import Path
from statistics import median
from typing import Final, Literal, NamedTuple

ROUNDS: Final = 15
ROWS: Final = 1_000_000
CONFIDENCE: Final = 0.95

Direction = Literal["at_least", "at_most"]
Run = Callable[[], float]


class Unavailable(Exception):  # noqa: N818 - no error: this machine cannot measure it
    """What a figure needs is not installed; the message says what."""


class Plan(NamedTuple):
    """How thoroughly to measure; ``quick`` only shows that it works.

    ``rows``: how many rolls are stored where many are to be.
    """

    rounds: int = ROUNDS
    quick: bool = False
    rows: int = ROWS

    def sized(self, full: int, quick: int) -> int:
        """The amount of work for this plan."""
        return quick if self.quick else full


class Pair(NamedTuple):
    """One run of either side: each call gives a fresh measurement in the same unit."""

    ours: Run
    baseline: Run


class Measured(NamedTuple):
    """The paired ratios of ours to the baseline, and of the baseline to itself."""

    ratios: list[float]
    controls: list[float]


@dataclass(frozen=True)
class Figure:
    """One thing measured. ``aim`` is what is hoped for beyond the ``goal``.

    One without a goal says what another could reach at most; it is not written to ``bench.json``.
    """

    name: str
    what: str
    baseline: str
    goal: float | None
    direction: Direction
    measure: Callable[[Plan], Measured]
    aim: float | None = None


class Interval(NamedTuple):
    """A median and where, with 95 % confidence, the true one lies."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Result:
    """A figure measured."""

    figure: Figure
    ratio: Interval
    control: Interval
    rounds: int

    @property
    def verdict(self) -> str:
        """Whether the goal is met; "within noise" where the interval holds it."""
        low, high, goal = self.ratio.low, self.ratio.high, self.figure.goal
        if goal is None:
            return ""
        if self.figure.direction == "at_most":
            low, high, goal = -high, -low, -goal
        return "goal met" if low >= goal else "MISSED" if high < goal else "within noise"

    @property
    def record(self) -> dict[str, str | float | int | None]:
        """What ``bench.json`` says of it."""
        return {
            "name": self.figure.name,
            "ratio": round(self.ratio.middle, 4),
            "low": round(self.ratio.low, 4),
            "high": round(self.ratio.high, 4),
            "goal": self.figure.goal,
            "direction": self.figure.direction,
            "rounds": self.rounds,
            "baseline": self.figure.baseline,
        }


def paired(prepare: Callable[[Plan], AbstractContextManager[Pair]]) -> Callable[[Plan], Measured]:
    """A measurement in paired rounds of what ``prepare`` sets up."""

    def measure(plan: Plan) -> Measured:
        measured = Measured([], [])
        with prepare(plan) as pair:
            runs = [pair.baseline, pair.ours, pair.baseline]
            for turn in range(plan.rounds):
                order = (0, 1, 2) if turn % 2 == 0 else (2, 1, 0)
                values = [0.0, 0.0, 0.0]
                for place in order:
                    gc.collect()
                    values[place] = runs[place]()
                baseline, ours, again = values
                measured.ratios.append(ours / baseline)
                measured.controls.append(again / baseline)
        return measured

    return measure


def interval(values: Sequence[float]) -> Interval:
    """The median of ``values``, and an interval for it that assumes nothing of how they spread.

    The true median lies below the k-th smallest of n values if fewer than k of n fair coins fall
    on one side: the largest k is taken for which both tails together are at most 5 %
    (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., 3.2). Five values or fewer
    cannot be that sure: then it is the least and the greatest.
    """
    ordered = sorted(values)
    count = len(ordered)
    tail, cut = 0.0, 0
    while cut < count // 2:
        tail += 2 * comb(count, cut) / 2**count
        if tail > 1 - CONFIDENCE:
            break
        cut += 1
    cut = max(cut - 1, 0)
    return Interval(median(ordered), ordered[cut], ordered[-1 - cut])


def run(figure: Figure, plan: Plan) -> Result:
    """Measure a figure."""
    ratios, controls = figure.measure(plan)
    return Result(figure, interval(ratios), interval(controls), len(ratios))


HEADER: Final = (
    f"{'figure':<24}{'ratio':>8}  {'95 % interval':<17}{'goal':<18}{'':<14}"
    f"{'A/A control':<24}{'rounds':>6}"
)


def row(result: Result) -> str:
    """A result as a line of the table."""
    figure, ratio, control = result.figure, result.ratio, result.control
    sign = "≥" if figure.direction == "at_least" else "≤"
    goal = "none" if figure.goal is None else f"{sign} {figure.goal:g}"
    goal += f" (aim {figure.aim:g})" if figure.aim else ""
    return (
        f"{figure.name:<24}{ratio.middle:>8.3f}  {_span(ratio):<17}{goal:<18}{result.verdict:<14}"
        f"{control.middle:.3f} {_span(control):<18}{result.rounds:>6}"
    )


def _span(ratio: Interval) -> str:
    return f"{ratio.low:.3f} – {ratio.high:.3f}"


def write(results: Iterable[Result], path: Path) -> None:
    """Write ``bench.json``."""
    records = [result.record for result in results if result.figure.goal is not None]
    path.write_text(json.dumps(records, indent=2, ensure_ascii=False) + "\n", "utf-8")
