"""A transcript under the rules: what is due, what is legal, and the slips of other programs.

Where a test names an address it is the public report of a program that shipped the fault.
"""

import pytest

from tests.unit.formats.vectors import codes, faults, judged, of, vector
from verifier.commands.console import STANDARD
from verifier.formats import mat
from verifier.formats.replay import _Follow, replay, rules_for
from verifier.formats.transcript import Game, Transcript, Turn
from verifier.rules.board import at
from verifier.rules.game import Game as Board
from verifier.rules.messages import RuleError
from verifier.rules.rulesets import KAFADINLE, TAVLINO, RuleSet

OPEN = "  1) 31: 8/5 6/5              42: 8/4 6/4"


@pytest.mark.parametrize("name", ["galaxy.mat", "gammonsite.mat", "glued.mat", "xg.mat"])
def test_an_honest_file_of_each_kind_breaks_no_rule(name: str) -> None:
    replayed = replay(vector(name), *STANDARD)
    assert replayed.judged == replayed.transcript.rolls
    assert {fault.code for fault in replayed.faults} <= {"row-glued", "match-unfinished"}


def test_points_cut_to_the_length_and_a_play_not_told_are_remarks_at_their_lines() -> None:
    found = [
        (f.line, f.code, f.found, f.expected)
        for f in replay(vector("studio.mat"), *STANDARD).faults
    ]
    # Two checkers still in the opponent's home board: a backgammon, three times a cube of four.
    assert found == [
        (8, "name-empty", "0", ""),
        (14, "play-untold", "", ""),
        (15, "result-capped", "3", "12"),
    ]


def test_stars_left_out_are_made_up_for_and_stars_too_many_are_refused() -> None:
    assert codes(of("  1) 64: 24/14              52: 13/8 13/11")) == []
    assert codes(of("  1) 64: 24/14              52: 13/8 13/11*")) == []
    assert codes(of("  1) 64: 24/14*             52: 13/8 13/11")) == [(5, "play_nothing_hit")]


def test_a_compound_move_hits_no_more_than_it_says() -> None:
    """6-3 from 24 to 15 hits by way of 18, where a blot stands, and not by way of 21."""
    blots = "  1) 62: 13/7 13/11           63: "
    for written, meant in (("24/15", "24/15"), ("24/18*/15", "24/18*/15")):
        made = judged(of(blots + written)).games[0].made
        assert made[-1].moves == meant


class TestSlips:
    def test_a_roll_cut_to_one_die(self) -> None:
        """github.com/carsten-wenderdel/wildbg/issues/29"""
        assert codes(of("  1) 62: 8/2")) == [(5, "play_dice_left")]

    def test_a_double_written_as_two_turns(self) -> None:
        """github.com/google-deepmind/open_spiel/issues/514"""
        rows = f"{OPEN}\n  2) 11: 8/7 8/7\n  3) 11: 6/5 6/5"
        assert codes(of(rows)) == [(6, "double-split")]

    def test_point_numbers_of_the_wrong_side(self) -> None:
        """github.com/ichabod801/t_games/issues/219"""
        mirrored = faults(of("  1) 31: 17/20 19/20"))
        assert [(fault.line, fault.code) for fault in mirrored] == [(5, "play-mirrored")]
        assert mirrored[0].found == "3-1: 17/20 19/20"

    def test_a_piece_moved_while_another_is_on_the_bar(self) -> None:
        """github.com/ichabod801/t_games/issues/545"""
        rows = "  1) 43: 24/20 13/10          31: 8/5* 6/5\n  2) 62: 24/18 13/11"
        assert codes(of(rows)) == [(6, "play_bar_first")]

    def test_a_move_record_twice_in_one_turn(self) -> None:
        """github.com/Mind-Sports-Games/lila/pull/1331; github.com/HamedMP/matrix-os/pull/321"""
        assert codes(of("  1) 31: 8/5 6/5 6/5")) == [(5, "play-duplicate")]

    def test_a_player_who_moves_twice(self) -> None:
        rows = "  1) 31: 8/5 6/5\n  2) 42: 8/4 6/4"
        assert codes(of(rows)) == [(6, "turn-twice")]

    def test_a_row_that_stands_twice(self) -> None:
        rows = f"{OPEN}\n  1) 31: 8/5 6/5              42: 8/4 6/4"
        assert (6, "row-number") in codes(of(rows))

    def test_a_match_called_over_too_early(self) -> None:
        """github.com/Mind-Sports-Games/lila/pull/1022"""
        rows = f"{OPEN}\n      Wins 2 points and the match"
        (fault,) = faults(of(rows))
        assert (fault.line, fault.code) == (6, "match-end-early")
        assert (fault.found, fault.expected) == ("2", "5")

    def test_a_score_credited_to_the_other_player(self) -> None:
        """github.com/Mind-Sports-Games/lila/pull/927"""
        rows = f"{OPEN}\n      Wins 1 point\n Game 2\n A : 0    B : 1\n  1) 31: 8/5 6/5"
        (fault,) = faults(of(rows))
        assert (fault.line, fault.code) == (8, "score-swapped")
        assert (fault.found, fault.expected) == ("0–1", "1–0")

    def test_a_game_stopped_as_lost_without_a_result(self) -> None:
        """github.com/clavierhaus/gnubg-android/issues/15"""
        assert [(f.line, f.code) for f in judged(of(OPEN)).faults] == [(5, "game-unfinished")]
        rows = f"{OPEN}\n Game 2\n A : 0    B : 0\n  1) 31: 8/5 6/5"
        assert codes(of(rows)) == [(5, "game-cut")]


def test_a_score_line_that_does_not_add_up_is_named_and_then_believed() -> None:
    rows = f"{OPEN}\n      Wins 1 point\n Game 2\n A : 3    B : 0\n{OPEN}\n      Wins 2 points"
    replayed = judged(of(rows))
    assert [(f.line, f.code, f.expected) for f in replayed.faults] == [(8, "score-line", "1–0")]
    assert replayed.score == (5, 0)


def test_no_game_follows_a_match_that_is_won() -> None:
    rows = f"{OPEN}\n      Wins 1 point\n Game 2\n A : 1    B : 0\n{OPEN}\n      Wins 1 point"
    assert codes(of(rows, length=1)) == [(7, "game-after-end")]


TAKEN = f"""{OPEN}
  2)  Doubles => 2                Takes
  3) 11: 8/7 8/7 6/5 6/5     11: 8/7 8/7 6/5 6/5"""


class TestGivingUp:
    def test_a_roll_without_a_move_is_given_up_when_the_game_ends_there(self) -> None:
        rows = "  1) 31: 8/5 6/5              42:\n      Wins 1 point"
        assert codes(of(rows)) == [(5, "play-blank")]

    def test_and_breaks_a_rule_when_it_goes_on(self) -> None:
        rows = "  1) 31: 8/5 6/5              42:\n  2) 11: 8/7 8/7 6/5 6/5\n      Wins 1 point"
        assert codes(of(rows)) == [(5, "play_missing")]
        assert codes(of(rows.replace("42:", "42: ????"))) == [(5, "play_missing")]

    def test_nothing_follows_a_loss(self) -> None:
        rows = f"{OPEN}\n  2)  Losses 1 point            11: 8/7 8/7 6/5 6/5"
        assert (6, "after-end") in codes(of(rows))

    def test_the_points_given_up_are_the_points_scored(self) -> None:
        rows = f"{OPEN}\n  2)  Losses 1 point              Wins 2 points"
        assert codes(of(rows)) == [(6, "resign-points")]

    def test_who_gives_up_does_not_win(self) -> None:
        rows = f"{OPEN}\n  2)  Losses 1 point\n      Wins 1 point"
        assert codes(of(rows)) == [(7, "result-winner")]


class TestCube:
    def test_a_double_in_the_crawford_game_is_refused_and_after_it_not(self) -> None:
        cube = "  2)  Doubles => 2                Drops"
        crawford = f"{OPEN}\n{cube}\n      Wins 1 point"
        games = f"{OPEN}\n      Wins 2 points\n Game 2\n A : 2    B : 0\n{crawford}"
        assert codes(of(games, length=3)) == [(10, "cube_crawford")]
        lost = f"{OPEN}\n                                  Wins 1 point"
        games = (
            f"{OPEN}\n      Wins 2 points\n Game 2\n A : 2    B : 0\n{lost}\n"
            f" Game 3\n A : 2    B : 1\n{crawford}"
        )
        assert codes(of(games, length=3)) == []

    @pytest.mark.parametrize(
        ("rows", "code", "line"),
        [
            ("  1)  Doubles => 2                Takes", "due_opening_roll", 5),
            (f"{OPEN}\n  2)  Doubles => 8                Takes", "cube-value", 6),
            (f"{OPEN}\n  2)  Takes", "due_roll", 6),
            (
                f"{OPEN}\n  2)  Doubles => 2               11: 8/7 8/7 6/5 6/5",
                "due_double_answer",
                6,
            ),
            (f"{TAKEN}\n  4)  Doubles => 4                Takes", "cube_not_yours", 8),
        ],
    )
    def test_the_cube_is_offered_and_answered_in_its_turn(
        self, rows: str, code: str, line: int
    ) -> None:
        assert (line, code) in codes(of(rows))

    def test_a_game_without_a_cube_allows_no_double(self) -> None:
        rows = f"{OPEN}\n  2)  Doubles => 2                Drops\n      Wins 1 point"
        found = [f.code for f in judged(of(rows), "oyna-tavla").faults]
        assert "due_opening_roll" not in found
        assert "cube_none" in found


def test_a_game_cannot_open_with_a_double() -> None:
    assert codes(of("  1) 11: 8/7 8/7 6/5 6/5")) == [(5, "opening-tied")]


def test_where_the_starter_rolls_anew_a_game_may_open_with_a_double() -> None:
    rows = "  1) 11: 8/7 8/7 6/5 6/5"
    assert "opening-tied" not in [f.code for f in judged(of(rows), "oyna-tavla").faults]


def test_where_the_winner_starts_the_loser_may_not() -> None:
    rows = f"{OPEN}\n      Wins 1 point\n Game 2\n A : 1    B : 0\n  1) {' ' * 29}31: 8/5 6/5"
    text = of(rows)
    found = [(f.line, f.code) for f in judged(text, "kafadinle").faults]
    assert (9, "starter") in found
    assert "starter" not in [f.code for f in judged(text).faults]


def test_a_checker_that_hits_at_home_runs_on_unless_an_option_forbids_it() -> None:
    text = of("  1) 43: 24/20 13/10          41: 6/5*/1")
    assert codes(text) == []
    found = judged(text, no_hit_and_run_at_home=True).faults
    assert [(f.line, f.code) for f in found] == [(5, "play_hit_and_run")]


class TestClosedOut:
    """Black on the bar, White holding its home board: page 000 lets Black's turn pass unrolled."""

    white = at(13, 3) + sum(at(point, 2) for point in range(1, 7))
    black = at(25)

    def follow(self, *actions: Turn, rules: RuleSet) -> list[str]:
        game = Game(1, 1, (0, 0), 1, actions)
        follow = _Follow(game, rules, crawford=False, starter=None)
        board = Board(rules, crawford=False, sides=(self.white, self.black))
        follow.board = board.started_by(0)
        follow.all()
        return [fault.code for fault in follow.faults]

    def test_the_turn_passes_where_it_is_not_rolled(self) -> None:
        again = (Turn(5, 0, (2, 1), "13/10"), Turn(6, 0, (4, 3), "13/6"))
        rolled = (Turn(5, 0, (2, 1), "13/10"), Turn(6, 1, (4, 3), ""))
        assert self.follow(*again, rules=KAFADINLE) == []
        assert self.follow(*rolled, rules=KAFADINLE) == ["due_pass_unrolled"]
        assert self.follow(*again, rules=TAVLINO) == ["turn-twice"]
        assert self.follow(*rolled, rules=TAVLINO) == []


class TestRules:
    def test_a_rule_set_that_is_not_played_to_the_length_is_applied_and_that_is_said(self) -> None:
        replayed = judged(of(OPEN, length=9), "tavlino")
        assert replayed.faults[0].code == "rules-length"
        assert replayed.rules.cube
        assert replayed.target == 9

    def test_a_money_session_has_no_length_and_no_crawford_game(self) -> None:
        rows = f"{OPEN}\n  2)  Doubles => 2                Drops\n      Wins 1 point"
        replayed = judged(of(rows, length=0), "jacoby-match")
        assert replayed.faults == ()
        assert (replayed.target, replayed.rules.crawford) == (None, False)

    def test_what_the_file_says_of_crawford_and_jacoby_is_held_against_the_rules(self) -> None:
        text = '; [Crawford "Off"]\n; [Jacoby "On"]\n' + of(OPEN)
        found = [f.found for f in judged(text).faults if f.code == "tag-differs"]
        assert found == ["Crawford off", "Jacoby on"]

    def test_best_of_three_games_is_won_with_two(self) -> None:
        rows = f"{OPEN}\n      Wins 1 point\n Game 2\n A : 1    B : 0\n{OPEN}\n      Wins 1 point"
        replayed = replay(
            mat.read(of(rows, length=2)), "oyna-tavla", {"best_of_games": 3, "gammon": 1}
        )
        assert replayed.target == 2
        assert replayed.faults == ()

    def test_an_unknown_rule_set_or_option_is_refused(self) -> None:
        nothing = Transcript(("a", "b"), 5, ())
        for name, options in (("chess", {}), ("tavlino", {"beaver": True})):
            with pytest.raises(RuleError):
                rules_for(nothing, name, options)
