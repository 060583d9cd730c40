"""What an action of a refereed match was answered, held against what was asked. Pure.

Whether the rules allow it is for whoever follows the game, and at the end for `dice-verify`.
"""

from collections import Counter

from dice_service.actions import (
    AnyAction,
    Chosen,
    Ending,
    PlayAction,
    ResignOfferAction,
    RollAction,
)
from dice_service.answers import ActionAnswer
from dice_service.client.errors import DishonestError
from dice_service.client.proofs import check_line
from verifier.errors import LineError
from verifier.events import (
    AnyEvent,
    GameEnd,
    Linked,
    Match,
    MatchEnd,
    Play,
    ResignOffer,
    Reveal,
    Roll,
    SignatureLine,
    type_name,
)
from verifier.log import decode_line, line_hash
from verifier.seeds import commitment_of


def check_action(answer: ActionAnswer, match: Match, number: int, action: AnyAction) -> None:
    """Raise :class:`DishonestError` unless the answer's lines are what was asked, and signed."""
    check_line(answer.receipt, match)
    events = _events(answer)
    rolled = isinstance(action, Chosen) and action.then_roll
    counted = range(1, 3 if rolled else 2)
    if (answer.match_id, answer.action) != (match.match_id, number) or (
        answer.next_action - number not in counted
    ):
        raise _differs(f"action {number} of {match.match_id} was asked for")
    if not _is(events, action):
        raise _differs(f"asked for {action}, the log has a {type_name(events[0])}")
    dice = [event.dice for event in events if isinstance(event, Roll)]
    if answer.table.dice is not None and dice and answer.table.dice != dice[-1]:
        raise _differs(f"the answer says {answer.table.dice}, the signed line {dice[-1]}")
    reveals = [event for event in events if isinstance(event, Reveal)]
    if reveals and commitment_of(reveals[0].server_seed) != match.commitment:
        raise DishonestError(
            "reveal-differs", f"the seed revealed is not the one of commitment {match.commitment}"
        )


def _events(answer: ActionAnswer) -> list[AnyEvent]:
    """The answer's lines, each in its one spelling, chained, the last of them as signed."""
    events: list[AnyEvent] = []
    head = ""
    for place, line in enumerate(answer.lines):
        data = line.line.encode()
        try:
            event = decode_line(data, line.seq)
        except LineError as error:
            raise _differs(str(error)) from None
        follows = line.seq == answer.lines[0].seq + place and isinstance(event, Linked)
        if not follows or (place and isinstance(event, Linked) and event.prev != head):
            raise _differs(f"line {line.seq + 1} does not follow the line before it")
        head = line_hash(data)
        events.append(event)
    closed = bool(events) and isinstance(events[-1], SignatureLine)
    signed = answer.lines[:-1] if closed else answer.lines
    if not signed or (signed[-1].seq, signed[-1].line) != (answer.receipt.seq, answer.receipt.line):
        raise _differs("the receipt is of another line")
    return events


def _is(events: list[AnyEvent], action: AnyAction) -> bool:
    """Whether lines begin with the action asked for."""
    first, kind = events[0], action.__struct_config__.tag
    if isinstance(action, Ending):
        end = events[1] if isinstance(first, GameEnd) and len(events) > 1 else first
        return isinstance(end, MatchEnd) and (end.reason, end.winner) == (kind, action.winner)
    if type_name(first) != kind or getattr(first, "player", None) != action.player:
        return False
    match action, first:
        case RollAction(), Roll(purpose=purpose):
            return (purpose == "opening") == (action.player is None)
        case PlayAction(), Play(moves=moves, auto=auto):
            return auto == action.auto and _same_play(moves, action.moves)
        case ResignOfferAction(), ResignOffer(value=value):
            return value == action.value
    return True


def _same_play(moves: str, other: str) -> bool:
    try:
        return _moved(moves) == _moved(other)
    except ValueError:  # one of them is no play at all
        return False


def _moved(moves: str) -> Counter[str]:
    """How many checkers a play takes from each point, less those it brings there."""
    moved: Counter[str] = Counter()
    for word in moves.lower().replace(",", " ").replace("*", "").split():
        journey, _, count = word.partition("(")
        first, *_, last = journey.split("/")
        times = int(count.strip(")") or 1)
        moved[_NAMES.get(first, first)] += times
        moved[_NAMES.get(last, last)] -= times
    return Counter({point: count for point, count in moved.items() if count})


_NAMES = {"25": "bar", "0": "off"}


def _differs(detail: str) -> DishonestError:
    return DishonestError("action-differs", detail)
