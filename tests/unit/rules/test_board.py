import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.rules import board
from verifier.rules.board import START, borne_off, pack, pips, unpack
from verifier.rules.messages import RuleError


@st.composite
def sides(draw: st.DrawFn) -> list[int]:
    points = draw(st.lists(st.integers(0, 24), max_size=15))
    return [points.count(point) for point in range(25)]


def test_each_side_starts_with_167_pips_and_nothing_borne_off() -> None:
    # page 001: 2 x 24 + 5 x 13 + 3 x 8 + 5 x 6
    assert pips(START) == 167
    assert borne_off(START) == 0
    assert unpack(START) == (0,) * 5 + (5, 0, 3) + (0,) * 4 + (5,) + (0,) * 10 + (2, 0)


@settings(deadline=None)
@given(sides())
def test_a_side_is_its_25_counts(counts: list[int]) -> None:
    side = pack(counts)
    assert list(unpack(side)) == counts
    assert pips(side) == sum(point * count for point, count in enumerate(counts, start=1))
    assert borne_off(side) == 15 - sum(counts)
    assert board.on_bar(side) == counts[24]
    assert board.all_home(side) == (sum(counts[6:]) == 0)


@settings(deadline=None)
@given(sides(), sides())
def test_closed_out_means_on_the_bar_with_six_points_held(me: list[int], opp: list[int]) -> None:
    expected = me[24] > 0 and all(count >= 2 for count in opp[:6])
    assert board.closed_out(pack(me), pack(opp)) == expected


def test_a_full_board_closes_out() -> None:
    assert board.closed_out(pack([0] * 24 + [1]), pack([2] * 6 + [0] * 19))
    assert not board.closed_out(pack([0] * 24 + [1]), pack([2] * 5 + [1] + [0] * 19))
    assert not board.closed_out(pack([0] * 23 + [1, 0]), pack([2] * 6 + [0] * 19))


@pytest.mark.parametrize(
    "counts", [[0] * 24, [0] * 26, [16] + [0] * 24, [-1, 2] + [0] * 23, [8, 8] + [0] * 23]
)
def test_counts_that_are_no_side_are_refused(counts: list[int]) -> None:
    with pytest.raises(RuleError) as refusal:
        pack(counts)
    assert refusal.value.code == "board_counts"


def test_both_sides_on_one_point_are_refused() -> None:
    mine, theirs = [0] * 25, [0] * 25
    mine[3] = theirs[20] = 1
    with pytest.raises(RuleError) as refusal:
        board.position(mine, theirs)
    assert (refusal.value.code, refusal.value.params) == ("board_shared_point", {"point": 4})


def test_mirroring_twice_is_the_same_board() -> None:
    position = board.position([2] + [0] * 24, [0, 3] + [0] * 23)
    assert position.mirrored().me == position.opp
    assert position.mirrored().mirrored() == position
