from collections import defaultdict
from contextlib import suppress
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agreement import hold_together
from tests.unit.rules.positions import STYLES, Roll, random_positions
from verifier.rules.board import BAR, START, Side, at, pack, position
from verifier.rules.direct import check, read, text_of
from verifier.rules.messages import MESSAGES, RuleError
from verifier.rules.moves import STANDARD, Style, legal_plays
from verifier.rules.notation import ordered

NO_RUN = Style(no_hit_and_run_at_home=True)


def refusal(
    me: Side, opp: Side, roll: Roll, moves: str, style: Style = STANDARD
) -> tuple[str, dict[str, str | int | None]]:
    with pytest.raises(RuleError) as refused:
        check(me, opp, roll, moves, style)
    return refused.value.code, refused.value.params


def side(**points: int) -> Side:
    """A side by its points: ``side(p13=2, bar=1)``."""
    return sum(at(BAR if name == "bar" else int(name[1:]), count) for name, count in points.items())


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_the_direct_check_takes_exactly_the_plays_of_the_enumeration(style: Style) -> None:
    hold_together(4, 2_500, style)


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_two_plays_have_one_text_exactly_when_they_lead_to_one_position(style: Style) -> None:
    for me, opp, roll in random_positions(5, 2_000, style):
        texts: defaultdict[str, set[tuple[Side, Side]]] = defaultdict(set)
        for result, steps in legal_plays(me, opp, roll, style).items():
            assert steps == ordered(steps)
            texts[text_of(opp, steps)].add(result)
        assert all(len(results) == 1 for results in texts.values())


def test_every_order_and_split_of_a_play_is_read_as_the_same_play() -> None:
    for me, opp, roll in random_positions(6, 1_500):
        for result, steps in legal_plays(me, opp, roll).items():
            text = text_of(opp, steps)
            apart = [f"{point}/{max(point - die, 0)}" for point, die in reversed(ordered(steps))]
            for written in (text.upper(), ", ".join(apart), text.replace("bar", "25")):
                assert read(me, opp, roll, written) == (text, *result)


def test_the_tricky_reading_is_settled_by_the_marks() -> None:
    """Tricky position 27: 13/10*/9 or 13/12/9."""
    me, opp = side(p13=1, p1=14), side(p15=1, p22=14)
    assert read(me, opp, (3, 1), "13/9").moves == "13/9"
    assert read(me, opp, (3, 1), "13/10*/9").moves == "13/10*/9"
    assert read(me, opp, (3, 1), "13/10 10/9").moves == "13/10*/9"
    assert refusal(me, opp, (3, 1), "13/10/9")[0] == "notation_not_canonical"


def test_a_text_that_can_mean_two_hits_is_ambiguous() -> None:
    me, opp = side(p13=1, p1=14), side(p15=1, p13=1, p22=13)
    with pytest.raises(RuleError) as refused:
        read(me, opp, (3, 1), "13/9")
    assert refused.value.code == "notation_ambiguous"
    assert {refused.value.params["first"], refused.value.params["second"]} == {
        "13/10*/9",
        "13/12*/9",
    }


class Refused(NamedTuple):
    code: str
    me: Side
    opp: Side
    roll: Roll
    moves: str
    style: Style


REFUSALS = [
    Refused("play_bar_first", side(bar=1, p13=14), START, (3, 1), "13/9", STANDARD),
    Refused("play_bar_empty", side(p13=15), START, (3, 1), "bar/22 13/12", STANDARD),
    Refused("play_no_checker", START, START, (3, 1), "7/3", STANDARD),
    Refused("play_entry_blocked", side(bar=1, p13=14), START, (6, 1), "bar/19 13/12", STANDARD),
    Refused("play_point_blocked", START, START, (5, 1), "24/19 6/5", STANDARD),
    Refused("play_not_home", side(p7=1, p6=14), START, (6, 2), "6/off 6/4", STANDARD),
    Refused("play_higher_first", side(p6=1, p2=2), START, (4, 3), "2/off(2)", STANDARD),
    Refused("play_hit_unmarked", side(p13=2), side(p15=1), (3, 1), "13/10 13/12", STANDARD),
    Refused("play_nothing_hit", START, START, (3, 1), "8/5* 6/5", STANDARD),
    Refused("play_hit_and_run", side(p8=1, p2=14), side(p20=1, p24=2), (3, 1), "8/5*/4", NO_RUN),
    Refused("play_missing", START, START, (3, 1), "", STANDARD),
    Refused("play_dice_left", START, START, (3, 1), "8/5", STANDARD),
    Refused("play_larger_die", side(p20=1, p1=14), side(p16=2, p22=13), (6, 5), "20/15", STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "8-5", STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "13/26", STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "8/5 " * 40, STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "6/off*", STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "5/8", STANDARD),
    Refused("notation_unreadable", START, START, (3, 1), "8/\u0665", STANDARD),
    Refused("notation_not_these_dice", START, START, (3, 1), "8/6 6/5", STANDARD),
    Refused("notation_not_these_dice", START, START, (3, 1), "6/5(2)", STANDARD),
    Refused("notation_not_canonical", START, START, (3, 1), "6/5 8/5", STANDARD),
    Refused("notation_not_canonical", START, START, (3, 1), "8/5  6/5", STANDARD),
    Refused("notation_not_canonical", START, START, (3, 1), "8/7 7/4", STANDARD),
]


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: f"{row.code} {row.moves}")
def test_an_illegal_play_is_refused_with_its_reason(row: Refused) -> None:
    code, params = refusal(*row[1:])
    assert code == row.code
    assert MESSAGES[code].en.format(**params)


def test_a_play_of_one_die_where_two_can_be_played_is_refused() -> None:
    """carsten-wenderdel/wildbg issue 29: 8/2 alone for 6-2, though 24/22 can be played too."""
    me = side(p24=1, p8=1, p6=13)
    opp = side(p5=4, p6=4, p7=3, p9=2, p21=2)
    assert refusal(me, opp, (6, 2), "8/2") == ("play_dice_left", {})
    assert check(me, opp, (6, 2), "24/22 8/2")


def test_the_smaller_die_alone_may_bear_off() -> None:
    """ichabod801/t_games issue 194: 5 and 2 left, roll 4-2."""
    me, opp = position([0, 1, 0, 0, 1] + [0] * 20, [15] + [0] * 24)
    assert check(me, opp, (4, 2), "5/1 2/off") == (side(p1=1), opp)


def test_a_checker_moved_without_a_die_is_refused() -> None:
    """HamedMP/matrix-os pull 321: a third move on a roll that is no double."""
    assert refusal(START, START, (3, 1), "8/5 6/5 6/5")[0] == "notation_not_these_dice"
    assert refusal(START, START, (1, 1), "8/7(2) 6/5(3)")[0] == "notation_unreadable"


words = st.sampled_from(
    ["bar", "off", "25", "0", "*", "/", "(2)", "(4)", " ", "13", "8", "6", "5", "24", "1", "7", ","]
)


@settings(deadline=None)
@given(
    st.one_of(st.text(max_size=30), st.lists(words, max_size=24).map("".join)),
    st.integers(0, 10**6),
    st.sampled_from(STYLES),
)
def test_nothing_but_rule_errors_comes_out_of_any_text(text: str, seed: int, style: Style) -> None:
    *_, (me, opp, roll) = random_positions(seed, seed % 90 + 1, style)
    for judge in (check, read):
        with suppress(RuleError):
            judge(me, opp, roll, text, style)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 25), st.integers(0, 24), st.booleans()), min_size=1, max_size=4
    ),
    st.integers(0, 10**6),
    st.sampled_from(STYLES),
)
def test_a_well_formed_text_is_taken_only_if_it_is_legal(
    moves: list[tuple[int, int, bool]], seed: int, style: Style
) -> None:
    *_, (me, opp, roll) = random_positions(seed, seed % 90 + 1, style)
    text = " ".join(f"{a}/{b}{'*' if b and star else ''}" for a, b, star in moves if a > b)
    try:
        played = read(me, opp, roll, text, style)
    except RuleError:
        return
    legal = legal_plays(me, opp, roll, style)
    assert (played.me, played.opp) in legal or not legal


def test_pack_and_side_agree() -> None:
    assert side(p1=2, bar=1) == pack([2] + [0] * 23 + [1])
