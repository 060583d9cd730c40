"""Cheats in a refereed match.

Asked for by a game server, the service refuses them and writes nothing. Written by a service
that takes part, the verifier names the line and the rule. The dice are right in all of these:
the cheat is in what was done with them.
"""

from typing import Any

import pytest

from dice_service.actions import (
    AnyAction,
    DoubleAction,
    PlayAction,
    ResignOfferAction,
    RollAction,
)
from dice_service.errors import Refusal
from tests.cheats.table import caught
from tests.support.bots import play_out
from tests.support.refereed import Table
from tests.support.scribe import Scribe
from verifier import Report, events, read_receipts, verify_log
from verifier.log import decode_line
from verifier.refereed import TO_RULES
from verifier.rules.match import MatchState
from verifier.rules.rulesets import resolve

RULES, LENGTH = "oyna-backgammon", 3


class Dishonest(Scribe):
    """A service that writes what the game server wishes, with true dice, and signs it."""

    def __init__(self) -> None:
        super().__init__(rules=RULES, length=LENGTH, options={})
        self.open()

    @property
    def match(self) -> MatchState:
        """The match as the rules see the lines so far."""
        state = MatchState.start(resolve(RULES, LENGTH, {}), LENGTH)
        for seq, line in enumerate(self.lines):
            event = decode_line(line, seq)
            if type(event) in TO_RULES:
                state = state.apply(TO_RULES[type(event)](event))
        return state

    def begin(self) -> int:
        """Opening rolls until one is no tie; gives the player whose play is due."""
        while True:
            self.roll(purpose="opening")
            player = self.match.due().player
            if player is not None:
                return player

    def play(self, player: int, moves: str) -> "Dishonest":
        self.add(events.Play, player=player, moves=moves, auto=False)
        return self

    def finish(self, winner: int | None = None, **score: Any) -> Report:
        """End the match early and correctly as far as that goes, and have it verified."""
        fields = {"score": (0, 0)} | score
        if winner is not None:
            forfeit = {"points": 0, "kind": "forfeit"}
            self.add(events.GameEnd, winner=winner, **forfeit, **fields)
        reason = "abandon" if winner is None else "resign"
        self.add(events.MatchEnd, winner=winner, reason=reason, **fields)
        self.reveal().sign()
        return verify_log(self.data, [read_receipts(self.opening)])


def rule_of(report: Report) -> str:
    """The rule that the first failure breaks; the dice were held to be right all the same."""
    assert report.why == "plays-only"
    assert not report.failed_rolls
    rule = report.failures[0].rule
    assert rule is not None
    return rule.code


def opened() -> tuple[Table, Any]:
    """A service's match whose opening roll is to be played, and by whom."""
    table = Table(RULES, LENGTH)
    while table.play.due().player is None:
        table.next(RollAction(player=None))
    return table, table.play.due().player


def refused(table: Table, action: AnyAction) -> str:
    before = list(table.log)
    with pytest.raises(Refusal) as caught_one:
        table.next(action)
    assert table.log == before
    assert caught_one.value.code == "rule-refused"
    return caught_one.value.rule


def test_asks_for_another_roll_instead_of_playing_the_one_it_got() -> None:
    table, player = opened()
    assert refused(table, RollAction(player=player)) == "due_play"
    service = Dishonest()
    player = service.begin()
    service.roll(player=player)
    seq = len(service.lines) - 1
    report = service.finish()
    caught(report, "roll-not-due", seq)
    assert rule_of(report) == "due_play"


def test_rolls_for_the_player_whose_turn_it_is_not() -> None:
    table, player = opened()
    table.next(PlayAction(player=player, moves=table.play.legal()[0].moves))
    assert refused(table, RollAction(player=player)) == "due_from_other"
    service = Dishonest()
    player = service.begin()
    service.play(player, service.match.legal()[0].moves).roll(player=player)
    seq = len(service.lines) - 1
    caught(service.finish(), "roll-not-due", seq)


@pytest.mark.parametrize("moves", ["24/1", "13/1", "6/off"])
def test_plays_what_the_dice_do_not_give(moves: str) -> None:
    table, player = opened()
    assert refused(table, PlayAction(player=player, moves=moves)).startswith(("notation", "play"))
    service = Dishonest()
    player = service.begin()
    service.play(player, moves)
    seq = len(service.lines) - 1
    report = service.finish()
    caught(report, "play-illegal", seq)
    assert rule_of(report).startswith(("notation", "play"))


def test_plays_one_die_of_two_that_can_be_played() -> None:
    table, player = opened()
    one = f"13/{13 - min(table.play.game.dice or (1, 1))}"
    assert refused(table, PlayAction(player=player, moves=one)) == "play_dice_left"
    service = Dishonest()
    player = service.begin()
    service.play(player, f"13/{13 - min(service.match.game.dice or (1, 1))}")
    seq = len(service.lines) - 1
    report = service.finish()
    caught(report, "play-illegal", seq)
    assert rule_of(report) == "play_dice_left"


def test_doubles_after_the_roll_was_seen() -> None:
    table, player = opened()
    assert refused(table, DoubleAction(player=player)) == "cube_after_roll"
    service = Dishonest()
    player = service.begin()
    service.add(events.Double, player=player)
    seq = len(service.lines) - 1
    report = service.finish()
    caught(report, "action-not-due", seq)
    assert rule_of(report) == "cube_after_roll"


@pytest.mark.parametrize("value", [1, 2])
def test_offers_to_resign_for_less_than_the_board_says(value: Any) -> None:
    """At the start nothing is borne off and two checkers stand far away: three times the cube."""
    table, player = opened()
    assert refused(table, ResignOfferAction(player=player, value=value)) == "resign_value"
    service = Dishonest()
    service.add(events.ResignOffer, player=service.begin(), value=value)
    seq = len(service.lines) - 1
    report = service.finish()
    caught(report, "action-not-due", seq)
    assert rule_of(report) == "resign_value"


def test_claims_a_gammon_for_a_single_game() -> None:
    honest = next(
        scribe
        for scribe in (play_out("oyna-tavla", 5, seed=seed) for seed in range(20))
        if any(b'"kind":"single"' in line for line in scribe.lines)
    )
    at = next(seq for seq, line in enumerate(honest.lines) if b'"kind":"single"' in line)
    end = decode_line(honest.lines[at], at)
    assert isinstance(end, events.GameEnd)
    service = Scribe(rules="oyna-tavla", length=5, options={}, match_id=honest.match_id)
    service.lines = honest.lines[:at]
    score = tuple(n + (p == end.winner) for p, n in enumerate(end.score))
    service.add(events.GameEnd, winner=end.winner, points=2, kind="gammon", score=score)
    service.add(events.MatchEnd, winner=None, reason="abandon", score=score)
    service.reveal().sign()
    report = verify_log(service.data, [read_receipts(service.opening)])
    caught(report, "result-wrong", at)
    assert rule_of(report) == "game_end_differs"


def test_leaves_out_the_passing_of_a_roll_that_could_not_be_played() -> None:
    honest, at = next(
        (scribe, seq)
        for scribe in (play_out("oyna-backgammon", 5, seed=seed) for seed in range(20))
        for seq, line in enumerate(scribe.lines)
        if b'"moves":""' in line
    )
    roll = decode_line(honest.lines[at - 1], at - 1)
    assert isinstance(roll, events.Roll)
    service = Scribe(rules="oyna-backgammon", length=5, options={})
    service.lines, service.rolled = honest.lines[:at], roll.index + 1
    service.roll(player=roll.player)  # once more, in the hope of entering
    service.add(events.MatchEnd, winner=None, reason="abandon", score=(0, 0))
    service.reveal().sign()
    report = verify_log(service.data, [read_receipts(service.opening)])
    caught(report, "roll-not-due", at)


def test_changes_a_play_that_a_device_holds_a_receipt_of() -> None:
    service = Dishonest()
    player = service.begin()
    first, *_, other = service.match.legal()
    service.play(player, first.moves)
    seq = len(service.lines) - 1
    kept = service.opening + service.receipt(seq)
    del service.lines[seq:]
    service.play(player, other.moves)
    service.finish()
    report = verify_log(service.data, [read_receipts(kept)])
    caught(report, "receipt-contradiction", seq)
    assert report.proof is not None
