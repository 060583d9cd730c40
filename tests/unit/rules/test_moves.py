import json
from pathlib import Path
from typing import Any

import bgbot_cpp
import gnubg_nn
import numpy as np
import pytest

from tests.unit.rules.naive import legal_results
from tests.unit.rules.positions import STYLES, Roll, random_positions
from verifier.rules.board import START, Side, pack, position, unpack
from verifier.rules.direct import text_of
from verifier.rules.moves import Style, dice_of, legal_plays, single_moves
from verifier.rules.possible import more_playable, playable

VECTORS = Path(__file__).parents[2] / "vectors" / "rules"
TRICKY = json.loads((VECTORS / "tricky.json").read_text(encoding="utf-8"))


def style_of(names: list[str]) -> Style:
    return Style(**dict.fromkeys(names, True))


@pytest.mark.parametrize("row", TRICKY, ids=[row["name"] for row in TRICKY])
def test_tricky_positions_have_exactly_these_plays(row: dict[str, Any]) -> None:
    me, opp = position(row["me"], row["opp"])
    plays = legal_plays(me, opp, tuple(row["dice"]), style_of(row["style"]))
    assert sorted(text_of(opp, steps) for steps in plays.values()) == row["plays"]


def by_gnubg(me: Side, opp: Side, roll: Roll) -> set[tuple[Side, Side]]:
    """GNU Backgammon's legal plays, in process, as positions."""
    mine, theirs = list(unpack(me)), list(unpack(opp))
    results = set()
    for _, steps in gnubg_nn.moves([theirs, mine], *roll, 1):
        after, against = mine.copy(), theirs.copy()
        for start, end in steps:
            after[start - 1] -= 1
            if end >= 1:
                after[end - 1] += 1
                if against[24 - end]:
                    against[24 - end] -= 1
                    against[24] += 1
        results.add((pack(after), pack(against)))
    return results - {(me, opp)}


def by_bgsage(me: Side, opp: Side, roll: Roll) -> set[tuple[Side, Side]]:
    """The same by BGSage: my bar at 25, the opponent's at 0, its checkers negative."""
    mine, theirs = unpack(me), unpack(opp)
    board = [theirs[24], *(mine[p] - theirs[23 - p] for p in range(24)), mine[24]]
    results = set()
    for after in bgbot_cpp.possible_moves(np.array(board, dtype=np.int32), *roll):
        points = [int(count) for count in after]
        results.add(
            (
                pack([max(count, 0) for count in points[1:25]] + [points[25]]),
                pack([max(-count, 0) for count in points[24:0:-1]] + [points[0]]),
            )
        )
    return results - {(me, opp)}


def test_the_plays_of_20000_positions_are_those_of_two_other_engines() -> None:
    for number, (me, opp, roll) in enumerate(random_positions(1, 20_000)):
        plays = set(legal_plays(me, opp, roll))
        assert plays == by_gnubg(me, opp, roll), (unpack(me), unpack(opp), roll)
        if number % 4 == 0:
            assert plays == by_bgsage(me, opp, roll), (unpack(me), unpack(opp), roll)


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_under_every_option_the_plays_are_those_of_the_plain_search(style: Style) -> None:
    for me, opp, roll in random_positions(2, 1_500, style):
        expected = legal_results(
            unpack(me),
            unpack(opp),
            roll,
            loose=style.loose_bearing_off,
            no_run=style.no_hit_and_run_at_home,
        )
        found = {
            (unpack(mine), unpack(theirs)) for mine, theirs in legal_plays(me, opp, roll, style)
        }
        assert found == expected, (unpack(me), unpack(opp), roll)


def test_single_moves_are_those_of_one_checker_by_one_die() -> None:
    """Page 001's start: a 5 moves from 13 and 8, not from 24 to the opponent's 19, not from 6."""
    assert set(single_moves(START, START, 5).values()) == {((13, 5),), ((8, 5),)}
    on_bar = pack([0] * 12 + [14] + [0] * 11 + [1])
    assert set(single_moves(on_bar, START, 6).values()) == set()
    assert set(single_moves(on_bar, START, 2).values()) == {((25, 2),)}


@pytest.mark.parametrize("style", STYLES)
def test_something_is_playable_exactly_where_there_is_a_legal_play(style: Style) -> None:
    stuck = 0
    for me, opp, roll in random_positions(4, 4_000, style):
        found = playable(me, opp, roll, style)
        assert found == bool(legal_plays(me, opp, roll, style)), (unpack(me), unpack(opp), roll)
        stuck += not found
    assert stuck > 50


@pytest.mark.parametrize("style", STYLES)
def test_more_dice_are_playable_exactly_where_the_legal_plays_use_more(style: Style) -> None:
    short = 0
    for me, opp, roll in random_positions(8, 4_000, style):
        plays = legal_plays(me, opp, roll, style)
        most = max(map(len, plays.values()), default=0)
        dice = len(dice_of(roll))
        for used in range(1, dice):
            found = more_playable(me, opp, roll, used, style)
            assert found == (most > used), (unpack(me), unpack(opp), roll, used)
        short += 0 < most < dice
    assert short > 50


def test_loose_bearing_off_adds_only_plays_that_bear_off_below_a_higher_checker() -> None:
    """Page 000: the only difference is a larger die than the point, with checkers higher up."""
    differing = 0
    for me, opp, roll in random_positions(3, 6_000, Style(loose_bearing_off=True)):
        strict = legal_plays(me, opp, roll)
        loose = legal_plays(me, opp, roll, Style(loose_bearing_off=True))
        added = loose.keys() - strict.keys()
        differing += bool(added)
        for result in added:
            assert any(die > point for point, die in loose[result])
        if strict.keys() - loose.keys():  # then more dice can be played than strictly
            assert len(next(iter(loose.values()))) > len(next(iter(strict.values())))
    assert differing > 100


def test_a_double_can_open_only_where_the_starter_rolls_anew() -> None:
    """Page 001: 21 first rolls, 15 of them no doubles; every one of them can be played."""
    rolls = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
    assert len(rolls) == 21
    assert sum(a != b for a, b in rolls) == 15
    assert all(legal_plays(START, START, roll) for roll in rolls)


@pytest.mark.parametrize("held", range(7))
def test_a_checker_enters_with_chance_1_minus_k_sixths_squared(held: int) -> None:
    """Page 001: with k of the six points held, 36 rolls counted one by one."""
    me = pack([0] * 24 + [1])
    opp = pack([2] * held + [0] * (25 - held))
    entering = sum(bool(legal_plays(me, opp, (a, b))) for a in range(1, 7) for b in range(1, 7))
    assert entering == 36 - held**2


def test_a_roll_is_294_pips_in_36() -> None:
    """Page 001: a roll moves 294/36 pips on average, a double counting four dice."""
    me, opp = pack([0] * 23 + [15, 0]), 0
    moved = 0
    for a in range(1, 7):
        for b in range(1, 7):
            steps = next(iter(legal_plays(me, opp, (a, b)).values()))
            moved += sum(die for _, die in steps)
    assert moved == 294
