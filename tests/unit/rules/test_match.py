"""The course of a match, by the numbers of verifier/rules/README.md."""

from typing import Any

import pytest

from verifier.rules.board import BAR, START, Side, at
from verifier.rules.events import (
    Double,
    Drop,
    Event,
    GameEnd,
    MatchEnd,
    PassUnrolled,
    Play,
    Reason,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Roll,
    Take,
)
from verifier.rules.match import Due, MatchState
from verifier.rules.messages import RuleError
from verifier.rules.rulesets import resolve

CLOSED = sum(at(point, 2) for point in range(1, 7)) + at(8, 2)
"""A side that holds its whole home board."""


LAST = at(1)
"""A side with one checker left."""


def start(name: str = "tavlino", length: int | None = 5, **options: bool | int) -> MatchState:
    return MatchState.start(resolve(name, length, options), length)


def after(state: MatchState, *events: Event) -> MatchState:
    for event in events:
        state = state.apply(event)
    return state


def refused(state: MatchState, event: Event) -> str:
    with pytest.raises(RuleError) as refusal:
        state.apply(event)
    assert refusal.value.text("en")
    assert refusal.value.text("tr")
    return refusal.value.code


def opening(first: int, second: int) -> Roll:
    return Roll("opening", None, (first, second))


def turn(player: int, first: int, second: int) -> Roll:
    return Roll("turn", player, (first, second))


def on_roll(state: MatchState, player: int, mine: Side, theirs: Side, **fields: Any) -> MatchState:
    """The match with these sides (`player`'s first) and `player` on roll."""
    sides = (theirs, mine) if player else (mine, theirs)
    game = state.game._replace(phase="roll", player=player, sides=sides, **fields)
    return state._replace(game=game)


def won_by(state: MatchState, winner: int, loser_side: Side, **fields: Any) -> MatchState:
    """The match after `winner` bore off its last checker, one on its 1-point."""
    state = on_roll(state, winner, at(1), loser_side, **fields)
    return after(state, turn(winner, 2, 1), Play(winner, "1/off", auto=False))


def finished(state: MatchState, winner: int, loser_side: Side = LAST) -> MatchState:
    """The same with the lines that follow of themselves."""
    state = won_by(state, winner, loser_side)
    while (event := state.follows()) is not None:
        state = state.apply(event)
    return state


# rolls


def test_an_opening_tie_is_rolled_again() -> None:
    """R5"""
    state = after(start(), opening(3, 3))
    assert state.due() == Due("opening_roll", None)
    assert after(state, opening(2, 5)).due() == Due("play", 1)


def test_the_starter_plays_the_opening_dice() -> None:
    """R6"""
    for name in ("oyna-backgammon", "tavlino", "jacoby-match"):
        state = after(start(name), opening(3, 1))
        assert state.due() == Due("play", 0)
        assert after(state, Play(0, "8/5 6/5", auto=False)).due() == Due("roll", 1)


def test_the_starter_rolls_anew_and_may_roll_a_double() -> None:
    """R6"""
    for name in ("kafadinle", "oyna-tavla"):
        state = after(start(name), opening(3, 1))
        assert state.due() == Due("roll", 0)
        assert refused(state, Play(0, "8/5 6/5", auto=False)) == "due_roll"
        state = after(state, turn(0, 6, 6), Play(0, "24/18(2) 13/7(2)", auto=False))
        assert state.due() == Due("roll", 1)


def test_no_roll_is_taken_that_is_not_due() -> None:
    """R5, R7, R8"""
    state = start()
    assert refused(state, turn(0, 3, 1)) == "due_opening_roll"
    assert refused(state, Roll("opening", 0, (3, 1))) == "due_opening_roll"
    state = after(state, opening(3, 1))
    assert refused(state, turn(0, 3, 1)) == "due_play"
    assert refused(state, opening(3, 1)) == "due_play"
    state = after(state, Play(0, "8/5 6/5", auto=False))
    assert refused(state, turn(0, 3, 1)) == "due_from_other"
    assert refused(state, opening(3, 1)) == "due_roll"
    assert refused(after(state, turn(1, 6, 6)), turn(1, 6, 6)) == "due_play"


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("kafadinle", Due("roll", 1)),
        ("oyna-tavla", Due("opening_roll", None)),
        ("oyna-backgammon", Due("opening_roll", None)),
        ("tavlino", Due("opening_roll", None)),
        ("jacoby-match", Due("opening_roll", None)),
    ],
)
def test_the_next_game_begins_with_an_opening_roll_or_with_its_winner(name: str, due: Due) -> None:
    """R4"""
    state = finished(start(name), 1)
    assert (state.due(), state.score, state.number) == (due, (0, 1), 2)
    assert state.game.sides == (START, START)


def test_a_play_that_is_no_play_of_the_roll_is_refused() -> None:
    """R8, R10"""
    state = after(start(), opening(3, 1))
    assert refused(state, Play(1, "8/5 6/5", auto=False)) == "due_from_other"
    assert refused(state, Play(0, "6/5 8/5", auto=False)) == "notation_not_canonical"
    assert refused(state, Play(0, "8/5", auto=False)) == "play_dice_left"
    assert state.read("6/5 8/5") == "8/5 6/5"
    assert len(state.legal()) == 16  # tricky position 34
    with pytest.raises(RuleError) as refusal:
        start().legal()
    assert refusal.value.code == "due_opening_roll"


@pytest.mark.parametrize("name", ["oyna-backgammon", "tavlino", "jacoby-match"])
def test_a_closed_out_player_rolls_where_the_page_does_not_say_otherwise(name: str) -> None:
    """R13"""
    state = on_roll(start(name), 1, at(BAR) + at(6, 14), CLOSED)
    state = state._replace(game=state.game._turn_of(1, state.game.sides))
    assert state.due() == Due("roll", 1)
    state = after(state, turn(1, 6, 6))
    assert state.follows() == Play(1, "", auto=False)
    assert refused(state, ResignOffer(1, 3)) == "due_play"
    assert refused(state, Play(1, "", auto=True)) == "play_empty_auto"
    assert after(state, Play(1, "", auto=False)).due() == Due("roll", 0)


@pytest.mark.parametrize("name", ["kafadinle", "oyna-tavla"])
def test_a_closed_out_player_does_not_roll(name: str) -> None:
    """R14"""
    state = on_roll(start(name), 0, CLOSED + at(9), at(BAR) + at(6, 14))
    state = after(state, turn(0, 2, 1), Play(0, "9/6", auto=False))
    assert state.due() == Due("pass_unrolled", 1)
    assert state.follows() == PassUnrolled(1)
    assert refused(state, turn(1, 3, 1)) == "due_pass_unrolled"
    assert state.commands(1) == frozenset()
    assert after(state, PassUnrolled(1)).due() == Due("roll", 0)
    assert refused(after(state, PassUnrolled(1)), PassUnrolled(0)) == "due_roll"


def test_an_empty_play_stands_only_where_nothing_can_be_played() -> None:
    """R13"""
    state = after(start(), opening(3, 1))
    assert state.follows() is None
    assert refused(state, Play(0, "", auto=False)) == "play_missing"
    assert after(state, Play(0, "8/5 6/5", auto=True)).due() == Due("roll", 1)


# the cube


def cubed(state: MatchState, **fields: Any) -> MatchState:
    return on_roll(state, 0, START, START, **fields)


def test_the_cube_is_offered_taken_and_then_belongs_to_the_taker() -> None:
    """R15, R16, R17"""
    state = cubed(start())
    assert state.commands(0) == {"roll", "double", "resign_offer"}
    assert state.commands(1) == {"resign_offer"}
    assert refused(state, Double(1)) == "due_from_other"
    assert refused(state, Take(1)) == "due_from_other"
    state = after(state, Double(0))
    assert state.due() == Due("double_answer", 1)
    assert state.commands(1) == {"take", "drop"}
    assert refused(state, turn(0, 3, 1)) == "due_from_other"
    assert refused(state, Take(0)) == "due_from_other"
    assert refused(state, ResignOffer(0, 3)) == "due_from_other"
    state = after(state, Take(1))
    assert (state.game.cube, state.game.owner, state.due()) == (2, 1, Due("roll", 0))
    assert refused(state, Double(0)) == "cube_not_yours"
    state = after(state, turn(0, 3, 1))
    assert refused(state, Double(0)) == "cube_after_roll"
    state = after(state, Play(0, "8/5 6/5", auto=False), Double(1), Take(0))
    assert (state.game.cube, state.game.owner) == (4, 0)


def test_a_dropped_cube_pays_its_value_before_the_double() -> None:
    """R18; page 001: 1 at 1, 2 at 2."""
    for cube in (1, 2):
        state = after(cubed(start(), cube=cube, owner=0 if cube > 1 else None), Double(0), Drop(1))
        assert state.follows() == GameEnd(0, cube, "drop", (cube, 0))


def test_the_cube_stops_at_64() -> None:
    """R15"""
    state = after(cubed(start("jacoby-match", 99), cube=32, owner=0), Double(0), Take(1))
    assert state.game.cube == 64
    state = after(state, turn(0, 3, 1), Play(0, "8/5 6/5", auto=False))
    assert refused(state, Double(1)) == "cube_limit"


def test_there_is_no_cube_where_the_page_has_none_or_it_is_switched_off() -> None:
    """R15, R33"""
    for state in (
        start("kafadinle"),
        start("oyna-tavla"),
        start("tavlino", 1),
        start("tavlino", 5, cube=False),
    ):
        assert refused(cubed(state), Double(0)) == "cube_none"
        assert "double" not in cubed(state).commands(0)


def test_the_crawford_game_is_the_first_with_a_player_one_point_away_and_only_that() -> None:
    """R19"""
    state = start("oyna-backgammon", 3)
    state = finished(state, 0, at(6, 15))  # a gammon: 2-0
    assert (state.score, state.game.crawford) == ((2, 0), True)
    assert refused(cubed(state), Double(0)) == "cube_crawford"
    state = finished(state, 1)  # 2-1
    assert (state.score, state.game.crawford) == ((2, 1), False)
    assert after(cubed(state), Double(0)).due() == Due("double_answer", 1)
    state = finished(state, 1)  # 2-2
    assert (state.score, state.game.crawford) == ((2, 2), False)


def test_a_one_point_match_has_no_crawford_game_and_crawford_can_be_switched_off() -> None:
    """R19, R33"""
    assert not start("oyna-backgammon", 1).game.crawford
    state = finished(start("tavlino", 3, crawford=False), 0, at(6, 15))
    assert (state.score, state.game.crawford) == ((2, 0), False)


# results


SINGLE = at(6, 14)
GAMMON = at(6, 15)
ON_BAR = at(BAR) + at(6, 14)
IN_HOME = at(19) + at(6, 14)
JUST_OUT = at(18) + at(6, 14)
OFF_BUT_ON_BAR = at(BAR) + at(6, 13)


@pytest.mark.parametrize(
    ("name", "side", "points", "kind"),
    [
        (name, side, points, kind)
        for name, big in [
            ("kafadinle", 2),
            ("oyna-tavla", 2),
            ("oyna-backgammon", 3),
            ("tavlino", 3),
        ]
        for side, points, kind in [
            (SINGLE, 1, "single"),
            (OFF_BUT_ON_BAR, 1, "single"),
            (GAMMON, 2, "gammon"),
            (JUST_OUT, 2, "gammon"),
            (ON_BAR, big, "backgammon" if big == 3 else "gammon"),
            (IN_HOME, big, "backgammon" if big == 3 else "gammon"),
        ]
    ],
)
def test_a_game_is_worth_what_the_page_says(name: str, side: Side, points: int, kind: str) -> None:
    """R24, R25"""
    for winner in (0, 1):
        event = won_by(start(name), winner, side).follows()
        assert isinstance(event, GameEnd)
        assert (event.winner, event.points, event.kind) == (winner, points, kind)
        assert event.score[winner] == points


def test_the_cube_multiplies_page_001_4_makes_8_and_12() -> None:
    """R24"""
    for side, points in ((SINGLE, 4), (GAMMON, 8), (ON_BAR, 12)):
        event = won_by(start(), 0, side, cube=4, owner=1).follows()
        assert isinstance(event, GameEnd)
        assert event.points == points


def test_under_jacoby_gammons_count_only_after_a_double_was_taken() -> None:
    """R24, R25; the cube's owner decides, not its value."""
    state = start("jacoby-match", 9)
    for side in (GAMMON, ON_BAR):
        assert won_by(state, 0, side).follows() == GameEnd(0, 1, "single", (1, 0))
    assert won_by(state, 0, GAMMON, cube=2, owner=1).follows() == GameEnd(0, 4, "gammon", (4, 0))
    expected = GameEnd(0, 6, "backgammon", (6, 0))
    assert won_by(state, 0, ON_BAR, cube=2, owner=1).follows() == expected
    without = start("jacoby-match", 9, jacoby=False)
    assert won_by(without, 0, GAMMON).follows() == GameEnd(0, 2, "gammon", (2, 0))


def test_the_end_of_a_game_must_say_what_happened() -> None:
    """R27: a gammon as a single game, a gammon where checkers are off, the score turned round."""
    state = won_by(start(), 0, GAMMON)
    assert state.due() == Due("game_end", None)
    for wrong in (
        GameEnd(0, 1, "single", (1, 0)),
        GameEnd(0, 2, "gammon", (0, 2)),
        GameEnd(1, 2, "gammon", (0, 2)),
        GameEnd(0, 2, "backgammon", (2, 0)),
    ):
        assert refused(state, wrong) == "game_end_differs"
    assert refused(state, turn(1, 3, 1)) == "due_game_end"
    assert refused(start(), GameEnd(0, 1, "single", (1, 0))) == "due_opening_roll"


def test_the_score_may_pass_the_length_and_the_match_then_ends() -> None:
    """R27, R30, R31; page 001: at 3-4 of five a gammon makes 5-4."""
    state = start("oyna-tavla", 5)._replace(score=(3, 4))
    state = won_by(state, 0, GAMMON)
    state = after(state, GameEnd(0, 2, "gammon", (5, 4)))
    assert state.follows() == MatchEnd(0, "score", (5, 4))
    assert refused(state, opening(3, 1)) == "due_match_end"
    assert refused(state, MatchEnd(1, "score", (5, 4))) == "match_end_differs"
    assert refused(state, MatchEnd(0, "resign", (5, 4))) == "match_end_differs"
    state = after(state, MatchEnd(0, "score", (5, 4)))
    assert state.due() == Due("nothing", None)
    assert refused(state, opening(3, 1)) == "match_over"
    assert refused(state, MatchEnd(0, "score", (5, 4))) == "match_over"
    over = won_by(start("tavlino", 3), 1, GAMMON, cube=4, owner=0).follows()
    assert over == GameEnd(1, 8, "gammon", (0, 8))


def test_no_match_ends_below_its_length() -> None:
    """R30; lila pull 1022: declared won on a gammon flag."""
    state = finished(start("tavlino", 5), 0, GAMMON)
    assert refused(state, MatchEnd(0, "score", (2, 0))) == "due_opening_roll"


def test_five_points_of_oyna_tavla_take_at_least_three_games() -> None:
    state = start("oyna-tavla", 5)
    while state.stage == "game":
        state = finished(state, 0, GAMMON)
    assert (state.number, state.score) == (3, (6, 0))


def test_of_five_games_three_win() -> None:
    """R3"""
    state = start("oyna-tavla", None, best_of_games=5, gammon=1)
    for winner in (0, 1, 1, 0):
        state = finished(state, winner, GAMMON)
    assert (state.score, state.stage) == ((2, 2), "game")
    assert finished(state, 1).stage == "over"


# resigning


@pytest.mark.parametrize(
    ("name", "side", "value"),
    [
        ("kafadinle", SINGLE, 1),
        ("kafadinle", IN_HOME, 2),
        ("oyna-tavla", SINGLE, 1),
        ("oyna-tavla", GAMMON, 2),
        ("oyna-backgammon", SINGLE, 1),
        ("oyna-backgammon", GAMMON, 2),
        ("oyna-backgammon", ON_BAR, 3),
        ("oyna-backgammon", IN_HOME, 3),
        ("tavlino", IN_HOME, 3),
        ("jacoby-match", IN_HOME, 1),
    ],
)
def test_resigning_costs_what_the_board_says(name: str, side: Side, value: int) -> None:
    """R21, R22"""
    state = on_roll(start(name), 0, side, at(6, 15))
    for wrong in {0, 1, 2, 3, 4} - {value}:
        assert refused(state, ResignOffer(0, wrong)) == "resign_value"
    state = after(state, ResignOffer(0, value))
    assert state.due() == Due("resign_answer", 1)
    assert state.commands(1) == {"resign_accept", "resign_refuse"}
    assert state.commands(0) == frozenset()
    state = after(state, ResignAccept(1))
    assert state.follows() == GameEnd(1, value, "resign", (0, value))


def test_a_resignation_is_multiplied_by_the_cube_and_counted_once() -> None:
    """R22; a resignation processed three times made 3 to 6."""
    state = on_roll(start(), 0, GAMMON, SINGLE, cube=2, owner=0)
    state = after(state, ResignOffer(0, 2), ResignAccept(1))
    assert refused(state, ResignAccept(1)) == "due_game_end"
    assert state.follows() == GameEnd(1, 4, "resign", (0, 4))


def test_nobody_resigns_or_answers_for_the_other() -> None:
    """R22"""
    state = on_roll(start(), 0, GAMMON, SINGLE)
    state = after(state, ResignOffer(1, 1))  # also when not on turn
    assert refused(state, ResignAccept(1)) == "due_from_other"
    assert refused(state, ResignRefuse(1)) == "due_from_other"
    assert refused(state, ResignOffer(0, 2)) == "due_resign_answer"
    assert refused(state, turn(0, 3, 1)) == "due_resign_answer"


def test_a_refused_offer_is_not_repeated_in_the_same_turn() -> None:
    """R20, R22"""
    state = on_roll(start(), 0, START, START)
    state = after(state, ResignOffer(1, 3), ResignRefuse(0))
    assert state.due() == Due("roll", 0)
    assert refused(state, ResignOffer(1, 3)) == "resign_again"
    assert "resign_offer" not in state.commands(1)
    assert "resign_offer" in state.commands(0)
    state = after(state, turn(0, 3, 1))
    assert refused(state, ResignOffer(1, 3)) == "resign_again"
    state = after(state, Play(0, "8/5 6/5", auto=False))
    assert after(state, ResignOffer(1, 3)).due() == Due("resign_answer", 0)


# early ends


@pytest.mark.parametrize("reason", ["resign", "timeout", "disconnect", "abandon"])
def test_an_early_end_closes_the_game_as_a_forfeit_without_points(reason: Reason) -> None:
    """R28, R29"""
    for before in (start(), after(cubed(start()), Double(0)), after(start(), opening(3, 1))):
        game_end, match_end = before.ending(reason, 1)
        assert game_end == GameEnd(1, 0, "forfeit", (0, 0))
        assert match_end == MatchEnd(1, reason, (0, 0))
        assert refused(before, match_end) == "match_end_needs_forfeit"
        state = after(before, game_end)
        assert state.due() == Due("match_end", None)
        assert refused(state, opening(3, 1)) == "due_match_end"
        assert refused(state, game_end) == "due_match_end"
        assert refused(state, MatchEnd(0, reason, (0, 0))) == "match_end_differs"
        assert refused(state, MatchEnd(1, "score", (0, 0))) == "match_end_differs"
        assert after(state, match_end).due() == Due("nothing", None)


def test_a_forfeit_pays_nothing() -> None:
    """R28"""
    assert refused(start(), GameEnd(1, 5, "forfeit", (0, 5))) == "game_end_differs"


def test_an_abort_has_no_winner() -> None:
    """R28"""
    for reason in ("abort", "abandon"):
        (end,) = start().ending(reason, None)
        assert after(start(), end).due() == Due("nothing", None)
    assert refused(start(), MatchEnd(None, "timeout", (0, 0))) == "match_end_differs"
    assert refused(start(), MatchEnd(None, "abort", (0, 1))) == "match_end_differs"


def test_nothing_comes_before_a_line_that_follows_of_itself() -> None:
    """R2"""
    state = on_roll(start(), 1, at(BAR) + at(6, 14), CLOSED)
    state = after(state, turn(1, 6, 6))
    for event in state.ending("timeout", 0):
        assert refused(state, event) in ("due_play", "match_end_needs_forfeit")
    assert refused(state, MatchEnd(None, "abort", (0, 0))) == "due_play"
    state = won_by(start(), 0, SINGLE)
    assert refused(state, GameEnd(0, 0, "forfeit", (0, 0))) == "due_game_end"
