"""Actions of a refereed match: what a game server may ask for, and the lines that come of it.

Pure. Actions are numbered by counting what was chosen in the log (:func:`state.begins_action`),
so the log alone says which action stands at a number: a repeat is found by folding the log up to
it, and nothing is remembered for its sake.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from dice_service.draft import Done, Draft, Sign, rule_refused
from dice_service.errors import Refusal
from dice_service.match import instead, refuse_ended
from dice_service.state import Line, State, begin, begins_action, fold
from verifier.dice import roll as dice_of
from verifier.events import Player, Roll, type_name
from verifier.refereed import TO_RULES
from verifier.rules import events as rules
from verifier.rules.match import MatchState
from verifier.rules.messages import RuleError
from verifier.rules.notation import MAX_TEXT

Dice = tuple[int, int]


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What the game server sends, told apart by ``type``."""


class Chosen(Action, frozen=True, kw_only=True):
    """An action after which the game goes on, with the next roll in the same request if wanted."""

    then_roll: Annotated[
        bool,
        Meta(
            description="make the next roll too, if one is then due; "
            "where its player may double, ask that player first"
        ),
    ] = False


class RollAction(Chosen, frozen=True, kw_only=True, tag="roll"):
    """The dice are cast: for a player's turn, or (player null) to open a game."""

    player: Player | None


class PlayAction(Chosen, frozen=True, kw_only=True, tag="play"):
    """The dice are played. The log will have the moves in their canonical form."""

    player: Player
    moves: Annotated[
        str, Meta(max_length=MAX_TEXT, description="such as 24/18 13/11, bar/20* or 6/off(2)")
    ]
    auto: Annotated[bool, Meta(description="played for an absent player")] = False


class DoubleAction(Chosen, frozen=True, kw_only=True, tag="double"):
    """The player on roll offers the cube."""

    player: Player


class TakeAction(Chosen, frozen=True, kw_only=True, tag="take"):
    """The cube is taken."""

    player: Player


class DropAction(Chosen, frozen=True, kw_only=True, tag="drop"):
    """The cube is refused, and with it the game."""

    player: Player


class ResignOfferAction(Chosen, frozen=True, kw_only=True, tag="resign_offer"):
    """The game is offered as lost, at what the board makes it worth in times the cube."""

    player: Player
    value: Literal[1, 2, 3]


class ResignAcceptAction(Chosen, frozen=True, kw_only=True, tag="resign_accept"):
    """The opponent's offer is accepted."""

    player: Player


class ResignRefuseAction(Chosen, frozen=True, kw_only=True, tag="resign_refuse"):
    """The opponent's offer is refused."""

    player: Player


class ResignMatchAction(Action, frozen=True, kw_only=True, tag="resign"):
    """The whole match is given up."""

    winner: Player


class TimeoutAction(Action, frozen=True, kw_only=True, tag="timeout"):
    """A player ran out of time, and loses the match."""

    winner: Player


class DisconnectAction(Action, frozen=True, kw_only=True, tag="disconnect"):
    """A player stayed away, and loses the match."""

    winner: Player


class AbandonAction(Action, frozen=True, kw_only=True, tag="abandon"):
    """The match is abandoned: by its loser, or (winner null) by both."""

    winner: Player | None


Ending = ResignMatchAction | TimeoutAction | DisconnectAction | AbandonAction
AnyAction = (
    RollAction
    | PlayAction
    | DoubleAction
    | TakeAction
    | DropAction
    | ResignOfferAction
    | ResignAcceptAction
    | ResignRefuseAction
    | Ending
)

_OF_PLAYER: dict[type, Callable[[int], rules.Event]] = {
    DoubleAction: rules.Double,
    TakeAction: rules.Take,
    DropAction: rules.Drop,
    ResignAcceptAction: rules.ResignAccept,
    ResignRefuseAction: rules.ResignRefuse,
}
_REASONS: dict[type, rules.Reason] = {
    ResignMatchAction: "resign",
    TimeoutAction: "timeout",
    DisconnectAction: "disconnect",
    AbandonAction: "abandon",
}


def decide_action(
    state: State, number: int, action: AnyAction, *, secret: bytes, time: str, sign: Sign
) -> Done | None:
    """Action ``number``, with what follows of itself; None if one stands at that number already.

    Raises :class:`Refusal`: ``rule-refused`` where the rules do not allow it now.
    """
    if state.play is None:
        raise Refusal("dice-only-match", "No rules were named when it was opened: use …/rolls/{n}.")
    if number < state.actions:
        return None
    refuse_ended(state)
    if state.phase != "rolling":
        raise Refusal("not-due", instead(state))
    if number > state.actions:
        raise Refusal("action-number-gap", f"Action {state.actions} is the next one, not {number}.")
    draft = Draft(state, time)
    try:
        events = _events(state.play, action, lambda: _dice(state, secret))
    except RuleError as error:
        raise rule_refused(error) from None
    for event in events:
        draft.happen(event)
    draft.follow()
    if _rolls_too(action, draft.state):
        assert draft.state.play is not None
        draft.happen(_roll(draft.state.play.due().player, _dice(draft.state, secret)))
        draft.follow()
    if draft.state.end:
        draft.close(secret, sign)
    return Done(state, draft.lines, draft.state)


def repeated(log: Sequence[Line], number: int, action: AnyAction) -> Done:
    """The action that stands at ``number`` in a log, as it was when it was done.

    Raises :class:`Refusal` ``action-differs`` if it is not this one.
    """
    before = state = begin(log[0])
    last = number + 1  # the action at which what belongs to this one ends
    lines: list[Line] = []
    for line in log[1:]:
        if begins_action(line.event):
            if state.actions == number:
                before = state
            elif state.actions == number + 1 and _rolls_too(action, state):
                if not isinstance(line.event, Roll):
                    break
                last = number + 2
            if state.actions == last:
                break
        state = fold(state, line)
        if state.actions > number:
            lines.append(line)
    done = Done(before, lines, state)
    if not _same(done, action) or (last == number + 1 and _rolls_too(action, state)):
        stands = type_name(lines[0].event)
        raise Refusal(
            "action-differs",
            f"Action {number} was done before as something else ({stands}). "
            "GET …/log has the lines.",
        )
    return done


def _events(
    play: MatchState, action: AnyAction, roll: Callable[[], Dice]
) -> tuple[rules.Event, ...]:
    """The events that an action asks for; ``roll`` gives the next dice.

    Raises :class:`RuleError` for a play that cannot be read; what is not due, the rules refuse.
    """
    match action:
        case RollAction(player=player):
            return (_roll(player, roll()),)
        case PlayAction(player=player, moves=moves, auto=auto):
            if play.due() == ("play", player):
                moves = _canonical(play, moves)
            return (rules.Play(player, moves, auto),)
        case ResignOfferAction(player=player, value=value):
            return (rules.ResignOffer(player, value),)
        case ResignMatchAction() | TimeoutAction() | DisconnectAction() | AbandonAction():
            return play.ending(_REASONS[type(action)], action.winner)
    return (_OF_PLAYER[type(action)](action.player),)


def _canonical(play: MatchState, moves: str) -> str:
    """A play of the dice on the table in its one spelling; most are sent in that."""
    player = play.game.player
    assert player is not None
    try:
        play.play(player, moves, auto=False)
    except RuleError:
        return play.read(moves)
    return moves


def _same(done: Done, action: AnyAction) -> bool:
    """Whether the lines of an action in the log are what this one asks for."""
    assert done.before.play is not None
    first = done.lines[0].event
    dice = first.dice if isinstance(first, Roll) else (0, 0)
    try:
        events = _events(done.before.play, action, lambda: dice)
    except RuleError:
        return False
    stand = [line.event for line in done.lines[: len(events)]]
    return list(events) == [TO_RULES[type(e)](e) for e in stand if type(e) in TO_RULES]


def _rolls_too(action: AnyAction, state: State) -> bool:
    """Whether the next roll belongs to this action: it was asked for, and it is due."""
    assert state.play is not None
    wanted = isinstance(action, Chosen) and action.then_roll
    return wanted and state.play.due().what in ("roll", "opening_roll")


def _roll(player: int | None, dice: Dice) -> rules.Roll:
    return rules.Roll("opening" if player is None else "turn", player, dice)


def _dice(state: State, secret: bytes) -> Dice:
    """The next dice of a match whose seeds are open."""
    seed_0, seed_1 = state.seeds
    assert seed_0 is not None
    assert seed_1 is not None
    return dice_of(secret, state.match.match_id, seed_0, seed_1, state.rolls)
