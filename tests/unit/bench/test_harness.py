import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench.harness import (
    Direction,
    Figure,
    Interval,
    Measured,
    Pair,
    Plan,
    Result,
    interval,
    paired,
    row,
    run,
    write,
)


def figure(goal: float | None = 1.0, direction: Direction = "at_least") -> Figure:
    return Figure("name", "what", "baseline", goal, direction, lambda _: Measured([1.0], [1.0]))


def result(low: float, high: float, goal: float, direction: Direction) -> Result:
    return Result(figure(goal, direction), Interval(1.0, low, high), Interval(1, 1, 1), 15)


def test_of_fifteen_the_interval_goes_from_the_fourth_to_the_twelfth() -> None:
    # P(3 or fewer of 15 coins) = (1 + 15 + 105 + 455) / 32768 = 1.76 %, twice that is 3.5 %;
    # with the 1365 ways of four it would be 5.9 % a side.
    values = [float(n) for n in (9, 1, 15, 3, 7, 12, 2, 14, 5, 11, 4, 13, 6, 10, 8)]
    assert interval(values) == (8, 4, 12)


def test_of_six_the_interval_is_all_of_them_and_of_nine_all_but_the_ends() -> None:
    # 2 / 2**6 = 3.1 %, 2 * (1 + 6) / 2**6 = 22 %; 2 * (1 + 9) / 2**9 = 3.9 %.
    assert interval([6, 5, 4, 3, 2, 1]) == (3.5, 1, 6)
    assert interval([9, 8, 7, 6, 5, 4, 3, 2, 1]) == (5, 2, 8)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_too_few_values_give_their_whole_range(count: int) -> None:
    assert interval(range(1, count + 1)) == ((count + 1) / 2, 1, count)


@pytest.mark.parametrize(
    ("low", "high", "goal", "direction", "verdict"),
    [
        (1.3, 1.5, 1.3, "at_least", "goal met"),
        (1.2, 1.4, 1.3, "at_least", "within noise"),
        (1.1, 1.2, 1.3, "at_least", "MISSED"),
        (5.0, 6.0, 6.0, "at_most", "goal met"),
        (5.9, 6.1, 6.0, "at_most", "within noise"),
        (6.1, 6.2, 6.0, "at_most", "MISSED"),
    ],
)
def test_a_goal_is_judged_by_the_interval(
    low: float, high: float, goal: float, direction: Direction, verdict: str
) -> None:
    judged = result(low, high, goal, direction)
    assert judged.verdict == verdict
    assert verdict in row(judged)


def test_each_side_is_as_often_first_as_last_and_ours_beside_its_baseline() -> None:
    calls: list[str] = []

    def noted(name: str, value: float) -> float:
        calls.append(name)
        return value

    @contextmanager
    def pair(_: Plan) -> Iterator[Pair]:
        yield Pair(lambda: noted("ours", 6.0), lambda: noted("base", 2.0 + len(calls)))

    measured = paired(pair)(Plan(rounds=2))
    assert calls == ["base", "ours", "base"] * 2
    # Baselines read 2, 4 and then, the other way round, 5 (the control) and 7.
    assert measured.ratios == [6 / 2, 6 / 7]
    assert measured.controls == [4 / 2, 5 / 7]


def test_the_same_work_twice_is_near_one() -> None:
    import time

    def work() -> float:
        begin = time.process_time()
        sum(range(20_000))
        return time.process_time() - begin

    @contextmanager
    def pair(_: Plan) -> Iterator[Pair]:
        yield Pair(work, work)

    measured = run(Figure("a-a", "", "", 1, "at_least", paired(pair)), Plan(rounds=31))
    assert measured.rounds == 31
    assert 0.7 < measured.ratio.middle < 1.4
    assert 0.7 < measured.control.middle < 1.4


def test_the_file_holds_what_was_agreed(tmp_path: Path) -> None:
    measured = Result(figure(0.8), Interval(1.23456, 1.1, 1.4), Interval(1, 0.9, 1.1), 15)
    write([measured], tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text("utf-8")) == [
        {
            "name": "name",
            "ratio": 1.2346,
            "low": 1.1,
            "high": 1.4,
            "goal": 0.8,
            "direction": "at_least",
            "rounds": 15,
            "baseline": "baseline",
        }
    ]


def test_a_figure_without_a_goal_is_shown_and_not_recorded(tmp_path: Path) -> None:
    ceiling = Result(figure(None), Interval(1.6, 1.5, 1.7), Interval(1, 1, 1), 15)
    assert ceiling.verdict == ""
    assert "none" in row(ceiling)
    write([ceiling, result(1, 2, 1, "at_least")], tmp_path / "bench.json")
    assert len(json.loads((tmp_path / "bench.json").read_text("utf-8"))) == 1
