"""Refereed matches in the pure core: whatever a game server sends, the log is one that holds."""

import json
import random
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dice_service import actions
from dice_service.actions import (
    AbandonAction,
    AnyAction,
    DoubleAction,
    PlayAction,
    ResignOfferAction,
    RollAction,
    TimeoutAction,
)
from dice_service.cache import begun, folded
from dice_service.draft import Done
from dice_service.errors import PROBLEMS, Refusal
from dice_service.match import Decision, decide_end, decide_roll
from dice_service.state import begin, begins_action, fold, read, written
from tests.support.bots import play_out
from tests.support.refereed import MATCHES, SIGNER, TIME, Table, choice
from tests.support.scribe import SERVER_SEED
from verifier import Verdict, events, verify_log
from verifier.rules.messages import MESSAGES

matches = pytest.mark.parametrize(("rules", "length", "options"), MATCHES)


def refusal(ask: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        ask()
    return caught.value


def refused_by(table: Table, number: int, action: AnyAction) -> Refusal | None:
    try:
        table.act(number, action)
    except Refusal as refused:
        return refused
    return None


def anything(chance: random.Random) -> AnyAction:
    """Any action that can be sent, hardly ever one that is due."""
    kind: Any = chance.choice(actions.AnyAction.__args__)
    fields: dict[str, Any] = {
        "player": chance.choice([0, 1]),
        "winner": chance.choice([0, 1]),
        "moves": chance.choice(["24/18", "bar/20*", "6/off(2)", "", "x", "8/5 6/5", "13/11"]),
        "value": chance.choice([1, 2, 3]),
    }
    wanted = {name: value for name, value in fields.items() if name in kind.__struct_fields__}
    return cast("AnyAction", kind(**wanted))


@matches
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whatever_is_asked_the_log_holds_and_a_repeat_is_answered_as_the_first_time(
    rules: str, length: int | None, options: dict[str, bool | int], seed: int
) -> None:
    chance = random.Random(seed)
    table = Table(rules, length, options, match_id=f"m-{seed}")
    done: list[tuple[int, AnyAction, Done]] = []
    while not table.state.end:
        if chance.random() < 0.3:
            wrong = anything(chance)
            number = max(0, table.state.actions + chance.choice([-2, -1, 0, 0, 0, 1]))
            ending = isinstance(wrong, actions.Ending)
            before = len(table.log)
            if not ending and (refused := refused_by(table, number, wrong)):
                assert refused.code in PROBLEMS
                assert len(table.log) == before
            continue
        action, number = choice(table.play, chance), table.state.actions
        done.append((number, action, table.act(number, action)))
        if chance.random() < 0.2:
            again = chance.choice(done[-8:])
            assert table.act(*again[:2]) == again[2]
    for number, action, first in chance.sample(done, min(10, len(done))):
        assert table.act(number, action) == first
    assert refusal(lambda: table.next(RollAction(player=None))).code == "match-ended"
    report = verify_log(table.data)
    assert report.verdict is Verdict.CONSISTENT, report.failures
    assert report.rolls == table.state.rolls
    state = begin(read(table.log[0].data, 0))
    for seq, line in enumerate(table.log[1:], 1):
        state = fold(state, read(line.data, seq))
    assert state == table.state


def stripped(line: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(line)
    return {k: v for k, v in fields.items() if k not in ("prev", "time", "head", "sig")}


_SENT = {
    "roll": ("player",),
    "play": ("player", "moves", "auto"),
    "resign_offer": ("player", "value"),
}


@matches
@pytest.mark.parametrize("then_roll", [False, True])
def test_the_log_is_the_one_that_the_rules_write_by_themselves(
    rules: str, length: int | None, options: dict[str, bool | int], then_roll: bool
) -> None:
    """The bots' scribe asks the rules for each line; the service is told the chosen ones only."""
    wanted = play_out(rules, length, options=options, seed=3).lines
    chosen = [json.loads(line) for seq, line in enumerate(wanted) if _chosen(line, seq)]
    table = Table(rules, length, options)
    while not table.state.end:
        fields = chosen[table.state.actions]
        kind = next(
            kind
            for kind in actions.AnyAction.__args__
            if kind.__struct_config__.tag == fields["type"]
        )
        sent = {name: fields[name] for name in _SENT.get(fields["type"], ("player",))}
        following = chosen[table.state.actions + 1 : table.state.actions + 2]
        rolls = then_roll and bool(following) and following[0]["type"] == "roll"
        table.next(kind(**sent, then_roll=rolls))
    assert table.state.actions == len(chosen)
    assert [stripped(line.data) for line in table.log] == [stripped(line) for line in wanted]


def _chosen(line: bytes, seq: int) -> bool:
    return begins_action(read(line, seq).event)


def opened(rules: str = "oyna-backgammon", length: int = 5) -> Table:
    """A match whose opening roll was no tie: a play is due."""
    table = Table(rules, length)
    while table.play.due().what == "opening_roll":
        table.next(RollAction(player=None))
    assert table.play.due().what == "play"
    return table


def the_others(table: Table) -> Any:
    player = table.play.due().player
    assert player is not None
    return 1 - player


def mover(table: Table) -> Any:
    return table.play.due().player


def any_play(table: Table) -> PlayAction:
    return PlayAction(player=mover(table), moves=table.play.legal()[0].moves)


def test_what_the_rules_refuse_says_why_in_both_languages_and_writes_nothing() -> None:
    table = opened()
    asked: list[tuple[AnyAction, str]] = [
        (RollAction(player=mover(table)), "due_play"),
        (RollAction(player=the_others(table)), "due_from_other"),
        (RollAction(player=None), "due_play"),
        (DoubleAction(player=mover(table)), "cube_after_roll"),
        (PlayAction(player=the_others(table), moves="13/12"), "due_from_other"),
        (PlayAction(player=mover(table), moves=""), "play_missing"),
        (PlayAction(player=mover(table), moves="24/24"), "notation_unreadable"),
        (PlayAction(player=mover(table), moves="24/1"), "notation_not_these_dice"),
        (ResignOfferAction(player=mover(table), value=1), "resign_value"),
    ]
    for action, rule in asked:
        before = len(table.log)
        refused = refusal(lambda action=action: table.next(action))  # type: ignore[misc]
        assert (refused.code, refused.rule) == ("rule-refused", rule)
        body = json.loads(refused.body())
        assert (body["status"], body["rule"]) == (409, rule)
        assert body["detail"] != body["detail_tr"]
        assert body["detail_tr"].startswith(MESSAGES[rule].tr.partition("{")[0])
        assert len(table.log) == before


def test_a_play_may_be_sent_in_another_spelling_and_is_written_in_the_canonical_one() -> None:
    table = Table("oyna-backgammon", 5, match_id="spelling")
    while table.play.due().what == "opening_roll":
        table.next(RollAction(player=None))
    canonical = max((play.moves for play in table.play.legal()), key=lambda text: text.count(" "))
    number = table.state.actions
    words = canonical.upper().replace("*", "").split()
    first = table.act(number, PlayAction(player=mover(table), moves=", ".join(words[::-1])))
    assert first.before.play is not None
    event = first.lines[0].event
    assert isinstance(event, events.Play)
    assert event.moves == canonical
    player = event.player
    assert table.act(number, PlayAction(player=player, moves=canonical)) == first
    other = next(play.moves for play in first.before.play.legal() if play.moves != canonical)
    for wrong in (
        PlayAction(player=player, moves=other),
        PlayAction(player=player, moves=canonical, auto=True),
        PlayAction(player=player, moves="nonsense"),
        RollAction(player=player),
        TimeoutAction(winner=player),
    ):
        assert refusal(lambda wrong=wrong: table.act(number, wrong)).code == "action-differs"  # type: ignore[misc]


def test_a_roll_asked_for_with_the_play_before_it_is_an_action_of_its_own() -> None:
    table = opened()
    number = table.state.actions
    play = any_play(table)
    both = PlayAction(player=play.player, moves=play.moves, then_roll=True)
    done = table.act(number, both)
    assert [events.type_name(line.event) for line in done.lines[:2]] == ["play", "roll"]
    assert done.after.actions == number + 2
    assert table.act(number, both) == done
    alone = table.act(number, play)
    assert (len(alone.lines), alone.after.actions) == (1, number + 1)
    roll = RollAction(player=1 if play.player == 0 else 0)
    assert table.act(number + 1, roll).lines == done.lines[1:]
    assert refusal(lambda: table.act(number + 1, any_play(table))).code == "action-differs"


def test_a_play_done_alone_is_not_the_same_as_one_with_a_roll() -> None:
    table = opened()
    number, play = table.state.actions, any_play(table)
    both = PlayAction(player=play.player, moves=play.moves, then_roll=True)
    table.act(number, play)
    assert refusal(lambda: table.act(number, both)).code == "action-differs"
    table.next(DoubleAction(player=mover(table)))
    assert refusal(lambda: table.act(number, both)).code == "action-differs"
    assert table.act(number, play).after.actions == number + 1


def test_numbers_have_no_gap() -> None:
    table = opened()
    number = table.state.actions
    refused = refusal(lambda: table.act(number + 1, any_play(table)))
    assert refused.code == "action-number-gap"
    assert f"Action {number} is the next one" in refused.detail


@pytest.mark.parametrize(
    ("action", "kinds"),
    [
        (TimeoutAction(winner=1), ["game_end", "match_end", "reveal", "signature"]),
        (AbandonAction(winner=0), ["game_end", "match_end", "reveal", "signature"]),
        (AbandonAction(winner=None), ["match_end", "reveal", "signature"]),
    ],
)
def test_an_early_end_is_one_action(action: AnyAction, kinds: list[str]) -> None:
    table = opened()
    number = table.state.actions
    done = table.next(action)
    assert [events.type_name(line.event) for line in done.lines] == kinds
    assert done.after.actions == number + 1
    assert table.act(number, action) == done
    assert refusal(lambda: table.act(number, TimeoutAction(winner=0))).code == "action-differs"
    assert verify_log(table.data).verdict is Verdict.CONSISTENT


def end(table: Table, reason: Any, winner: Any) -> Decision:
    return decide_end(
        table.state, reason, winner, secret=SERVER_SEED, time=TIME, sign=SIGNER.sign_head
    )


@pytest.mark.parametrize(
    ("reason", "winner"), [("abort", None), ("abandon", None), ("abandon", 1), ("resign", 0)]
)
def test_ending_a_refereed_match_early_writes_what_the_rules_want(reason: Any, winner: Any) -> None:
    table = opened()
    number = table.state.actions
    table.take(end(table, reason, winner))
    assert table.state.actions == number + 1
    assert verify_log(table.data).verdict is Verdict.CONSISTENT
    assert end(table, reason, winner)  # stands


@pytest.mark.parametrize(
    ("reason", "winner", "code"),
    [
        ("finished", 0, "refereed-match"),
        ("finished", None, "refereed-match"),
        ("timeout", None, "refereed-match"),
        ("score", 0, "invalid"),
        ("abort", 0, "invalid"),
    ],
)
def test_a_refereed_match_is_not_ended_otherwise(reason: Any, winner: Any, code: str) -> None:
    assert refusal(lambda: end(opened(), reason, winner)).code == code


def test_a_refereed_match_aborted_before_the_seeds_has_a_score_of_nil() -> None:
    table = Table("tavlino", 3, seeds_open=False)
    assert refusal(lambda: table.act(0, RollAction(player=None))).code == "not-due"
    table.take(end(table, "abort", None))
    assert table.state.end is not None
    assert table.state.end.score == (0, 0)
    assert verify_log(table.data).verdict is Verdict.CONSISTENT


def test_plain_rolls_are_for_dice_only_matches_and_actions_for_refereed_ones() -> None:
    table = opened()
    state = table.state
    plain = refusal(lambda: decide_roll(state, 0, "turn", None, secret=SERVER_SEED, time=TIME))
    assert plain.code == "refereed-match"
    dice_only = Table(None, None)
    assert refusal(lambda: dice_only.act(0, RollAction(player=None))).code == "dice-only-match"


def test_a_stored_line_that_breaks_a_rule_is_a_fault_of_the_storage() -> None:
    table = opened()
    play = table.next(any_play(table)).lines[0].event
    assert isinstance(play, events.Play)
    false = written(msgspec.structs.replace(play, moves="24/1"))
    lines = [*table.log[1:-1], false]
    assert refusal(lambda: folded(begin(table.log[0]), lines)).code == "storage-failed"
    match = table.log[0].event
    assert isinstance(match, events.Match)
    unknown = written(msgspec.structs.replace(match, rules="sixes"))
    assert refusal(lambda: begun(unknown)).code == "storage-failed"
