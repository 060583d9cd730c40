"""Results beside what the board gives (rules_scoring: a gammon needs a loser with nothing off)."""

import pytest

from verifier.formats import results
from verifier.formats.results import Found
from verifier.formats.transcript import Game, Resign, Result, Turn
from verifier.rules.board import at
from verifier.rules.game import Game as Board
from verifier.rules.game import Result as Ended
from verifier.rules.rulesets import JACOBY_MATCH, OYNA_BACKGAMMON

FAR = at(24) + at(6, 14)  # a checker in the winner's home board: a backgammon
HOME = at(6, 15)  # a gammon
SOME_OFF = at(6, 14)


def told(
    points: int,
    loser: int,
    *,
    cube: int = 1,
    ended: tuple[int, str] | None = None,
    score: tuple[int, int] = (0, 0),
    target: int | None = 7,
    jacoby: bool = False,
    match_over: bool = False,
) -> list[str]:
    """The faults of a game that player 0 won; `ended`: points and kind, when the board says so."""
    rules = JACOBY_MATCH if jacoby else OYNA_BACKGAMMON
    board = Board(rules, crawford=False, sides=(0 if ended else at(1), loser), cube=cube)
    if cube > 1:
        board = board._replace(owner=1)
    if ended:
        board = board._replace(result=Ended(0, ended[0], ended[1]))  # type: ignore[arg-type]
    game = Game(1, 1, score, 1, (), Result(9, 0, points, match_over))
    return [fault.code for fault in results.judge(game, board, Found(None), score, target)]


@pytest.mark.parametrize(
    ("points", "codes"),
    [
        (4, []),
        (2, ["result-low"]),  # github.com/KristianEkman/Backgammon/issues/6: a gammon as a single
        (8, ["result-high"]),
        (6, ["result-high"]),
    ],
)
def test_a_gammon_with_the_cube_at_two_is_four_points(points: int, codes: list[str]) -> None:
    assert told(points, HOME, cube=2, ended=(4, "gammon")) == codes


def test_a_gammon_is_not_scored_against_a_player_who_has_borne_off() -> None:
    """lists.gnu.org/archive/html/bug-gnubg/2013-09/msg00002.html"""
    assert told(2, SOME_OFF, ended=(1, "single")) == ["gammon-with-off"]
    assert told(2, SOME_OFF) == ["gammon-with-off"]
    assert told(1, SOME_OFF, ended=(1, "single")) == []


def test_a_gammon_scored_as_one_with_the_cube_in_the_middle_is_the_jacoby_rule() -> None:
    assert told(1, HOME, ended=(2, "gammon")) == ["result-as-jacoby"]
    assert told(1, HOME, ended=(1, "single"), jacoby=True) == []


def test_points_may_be_cut_to_the_length_or_to_what_was_missing() -> None:
    assert told(3, HOME, cube=2, ended=(4, "gammon"), score=(2, 0), target=3) == ["result-capped"]
    assert told(1, HOME, cube=2, ended=(4, "gammon"), score=(2, 0), target=3) == ["result-capped"]
    assert told(2, HOME, cube=2, ended=(4, "gammon"), score=(0, 0), target=3) == ["result-low"]


@pytest.mark.parametrize(
    ("points", "loser", "cube", "codes"),
    [
        (2, HOME, 2, []),
        (4, HOME, 2, []),
        (6, FAR, 2, []),
        (5, HOME, 1, ["result-forfeit"]),  # just what a player at 0 of 5 needs
        (4016, HOME, 1, ["result-impossible"]),
        (3, HOME, 2, ["result-impossible"]),
    ],
)
def test_a_game_given_up_is_worth_one_two_or_three_times_the_cube(
    points: int, loser: int, cube: int, codes: list[str]
) -> None:
    assert told(points, loser, cube=cube, target=5) == codes


def test_under_jacoby_a_game_given_up_before_the_cube_is_taken_is_one_point() -> None:
    assert told(2, HOME, jacoby=True) == ["result-high"]


def test_who_lost_on_the_board_or_gave_up_is_not_the_winner() -> None:
    board = Board(OYNA_BACKGAMMON, crawford=False)
    game = Game(1, 1, (0, 0), 1, (), Result(9, 0, 1))
    lost = board._replace(result=Ended(1, 1, "single"))
    assert [f.code for f in results.judge(game, lost, Found(None), (0, 0), 7)] == ["result-winner"]
    found = Found("resigned", Resign(8, 0))
    assert "result-winner" in [f.code for f in results.judge(game, board, found, (0, 0), 7)]
    found = Found("resigned", Resign(8, 1, 3))
    assert [f.code for f in results.judge(game, board, found, (0, 0), 7)] == ["resign-points"]


def test_a_game_that_is_over_needs_its_result() -> None:
    board = Board(OYNA_BACKGAMMON, crawford=False)._replace(result=Ended(0, 2, "gammon"))
    game = Game(1, 1, (0, 0), 1, (Turn(7, 0, (1, 1), "1/off"),))
    (fault,) = results.judge(game, board, Found(None), (0, 0), 7)
    assert (fault.code, fault.line) == ("result-missing", 7)
    assert results.after(game, board, (1, 1)) == ((3, 1), 0)
