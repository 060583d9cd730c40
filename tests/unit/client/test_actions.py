"""What comes back for an action is held against what was asked, and what is signed is kept."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dice_service.actions import AnyAction, PlayAction, RollAction, TimeoutAction
from dice_service.answers import ActionAnswer
from dice_service.client import ContradictionError, DishonestError
from dice_service.client.checks import check_action
from dice_service.client.proofs import check_consistent
from dice_service.views import action_answer
from tests.support.refereed import SIGNER, Table
from verifier.events import Match
from verifier.log import line_hash

Change = Callable[[dict[str, Any]], None]


class Asked:
    """A match whose opening roll is to be played, and the answers to what was asked so far."""

    def __init__(self) -> None:
        self.table = Table("oyna-backgammon", 5)
        match = self.table.log[0].event
        assert isinstance(match, Match)
        self.match = match
        while self.table.play.due().player is None:
            self.roll = self.ask(RollAction(player=None))

    def ask(self, action: AnyAction) -> ActionAnswer:
        self.number = self.table.state.actions
        done = self.table.next(action)
        return action_answer(done, self.number, SIGNER, legal=False)

    def play(self, *, then_roll: bool = True) -> tuple[PlayAction, ActionAnswer]:
        player: Any = self.table.play.due().player
        moves = self.table.play.legal()[0].moves
        action = PlayAction(player=player, moves=moves, then_roll=then_roll)
        return action, self.ask(action)


def changed(answer: ActionAnswer, change: Change) -> ActionAnswer:
    said = json.loads(msgspec.json.encode(answer))
    change(said)
    return msgspec.convert(said, ActionAnswer)


def signed_anew(answer: dict[str, Any], place: int, line: str) -> None:
    """Another line at a place of the answer, and a true signature on it, if it is the last."""
    answer["lines"][place]["line"] = line
    if answer["lines"][place]["seq"] == answer["receipt"]["seq"]:
        head = line_hash(line.encode())
        sig = SIGNER.sign_head(answer["match_id"], answer["receipt"]["seq"], head)
        answer["receipt"] |= {"line": line, "head": head, "sig": sig}


def test_an_honest_answer_holds() -> None:
    asked = Asked()
    action, answer = asked.play()
    check_action(answer, asked.match, asked.number, action)
    spelled = msgspec.structs.replace(action, moves=" , ".join(action.moves.upper().split()[::-1]))
    check_action(answer, asked.match, asked.number, spelled)
    timeout = TimeoutAction(winner=1)
    check_action(asked.ask(timeout), asked.match, asked.number, timeout)


def other_dice(answer: dict[str, Any]) -> None:
    line = json.loads(answer["lines"][-1]["line"])
    line["dice"] = [7 - die for die in line["dice"]]
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    signed_anew(answer, -1, text)


def other_moves(answer: dict[str, Any]) -> None:
    line = answer["lines"][0]["line"]
    moves = json.loads(line)["moves"]
    answer["lines"][0]["line"] = line.replace(moves, "24/23")


CHEATS: list[tuple[str, str, Change]] = [
    ("another match", "action-differs", lambda said: said.update(match_id="other")),
    ("another number", "action-differs", lambda said: said.update(action=said["action"] + 1)),
    ("a number skipped", "action-differs", lambda said: said.update(next_action=99)),
    ("no line", "action-differs", lambda said: said.update(lines=[])),
    ("a line left out", "action-differs", lambda said: said["lines"].pop(0)),
    ("the last line left out", "action-differs", lambda said: said["lines"].pop()),
    ("lines renumbered", "action-differs", lambda said: said["lines"][1].update(seq=77)),
    ("other moves", "action-differs", other_moves),
    ("other dice shown", "action-differs", other_dice),
    ("a false signature", "signature-wrong", lambda said: said["receipt"].update(sig="0" * 128)),
    ("no log line", "action-differs", lambda said: said["lines"][0].update(line="{}")),
]


@pytest.mark.parametrize(("code", "cheat"), [cheat[1:] for cheat in CHEATS])
def test_an_answer_that_is_not_what_was_asked_is_dishonest(code: str, cheat: Change) -> None:
    asked = Asked()
    action, answer = asked.play()
    with pytest.raises(DishonestError) as error:
        check_action(changed(answer, cheat), asked.match, asked.number, action)
    assert error.value.code == code


def test_another_play_or_player_than_asked_is_dishonest() -> None:
    asked = Asked()
    action, answer = asked.play()
    others: list[AnyAction] = [
        msgspec.structs.replace(action, moves="24/23 24/22"),
        msgspec.structs.replace(action, auto=True),
        msgspec.structs.replace(action, player=1 - action.player),
        msgspec.structs.replace(action, then_roll=False),
        RollAction(player=action.player),
        TimeoutAction(winner=0),
    ]
    for other in others:
        with pytest.raises(DishonestError) as error:
            check_action(answer, asked.match, asked.number, other)
        assert error.value.code == "action-differs"


def test_a_seed_revealed_that_was_not_committed_to_is_dishonest() -> None:
    asked = Asked()
    action = TimeoutAction(winner=1)
    answer = asked.ask(action)
    other = msgspec.structs.replace(asked.match, commitment="ab" * 32)
    with pytest.raises(DishonestError) as error:
        check_action(answer, other, asked.number, action)
    assert error.value.code == "reveal-differs"


def test_a_signed_play_and_another_of_the_same_number_contradict_each_other() -> None:
    asked = Asked()
    _, answer = asked.play(then_roll=False)
    twin = Asked()
    player: Any = twin.table.play.due().player
    other = twin.ask(PlayAction(player=player, moves=twin.table.play.legal()[-1].moves))
    assert other.receipt.seq == answer.receipt.seq
    kept = {answer.receipt.seq: (answer.receipt, check_consistent(answer.receipt, asked.match, {}))}
    with pytest.raises(ContradictionError) as error:
        check_consistent(other.receipt, asked.match, kept)
    assert error.value.code == "receipt-contradiction"
    assert error.value.proof is not None


def test_nothing_is_signed_after_the_reveal() -> None:
    asked = Asked()
    _, play = asked.play(then_roll=False)
    ended = Asked().ask(TimeoutAction(winner=1)).receipt
    late = msgspec.structs.replace(
        play.receipt,
        seq=ended.seq + 3,
        sig=SIGNER.sign_head(play.match_id, ended.seq + 3, play.receipt.head),
    )
    kept = {ended.seq: (ended, check_consistent(ended, asked.match, {}))}
    with pytest.raises(ContradictionError) as error:
        check_consistent(late, asked.match, kept)
    assert error.value.code == "roll-order"
    assert error.value.proof is not None
