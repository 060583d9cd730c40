"""The match as a pure state machine: a state and a command to the lines to append, or a refusal.

A state is the fold of a log's lines and of nothing else. Each ``decide_*`` function takes the
state, what is asked and what it needs from outside (the time, the secret, the signature
function), and returns new :class:`Line` values that belong together, or :class:`Standing`: it
was done before, and there stands its line. It raises :class:`Refusal` for anything else, so
that a repeat is never a second act (PROTOCOL.md, section O, says which order the log has).
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from dice_service.errors import Refusal
from dice_service.storage import Phase
from verifier.dice import roll as dice_of
from verifier.errors import LineError
from verifier.events import (
    AnyEvent,
    EndReason,
    Match,
    MatchEnd,
    Player,
    Purpose,
    Reveal,
    Roll,
    Seed,
    SeedCommitment,
    SignatureLine,
)
from verifier.log import decode_line, encode_line, line_hash
from verifier.seeds import commitment_of

T = TypeVar("T")
Sign = Callable[[str, int, str], str]  # match_id, seq, head -> signature, 128 hex digits


class Line(NamedTuple):
    """An event, its bytes in the log and their SHA-256."""

    event: AnyEvent
    data: bytes
    head: str


class Standing(NamedTuple):
    """What was asked for stands in the log already, at line ``seq``."""

    seq: int


Decision = list[Line] | Standing


class State(Struct, frozen=True):
    """What a log says so far. ``lines`` counts them; ``head`` is the SHA-256 of the last.

    The ``*_seqs`` say at which line each player's commitment and seed stand, ``first_roll`` where
    roll 0 does; ``server_seed`` is None until the reveal.
    """

    match: Match
    head: str
    lines: int = 1
    commitments: tuple[str | None, str | None] = (None, None)
    commitment_seqs: tuple[int, int] = (-1, -1)
    seeds: tuple[str | None, str | None] = (None, None)
    seed_seqs: tuple[int, int] = (-1, -1)
    first_roll: int = -1
    rolls: int = 0
    end: MatchEnd | None = None
    end_seq: int = -1
    server_seed: str | None = None

    @property
    def phase(self) -> Phase:
        """What the match waits for."""
        if self.end:
            return "ended"
        if None not in self.seeds:
            return "rolling"
        if self.match.seeding == "committed" and None in self.commitments:
            return "commitments"
        return "seeds"

    @property
    def due(self) -> tuple[str, ...]:
        """What may come next, as ``commitment:0``, ``seed:1``, ``roll:12``; an end aside."""
        if self.phase == "rolling":
            return (f"roll:{self.rolls}",)
        kind, have = {
            "commitments": ("commitment", self.commitments),
            "seeds": ("seed", self.seeds),
        }.get(self.phase, ("", ("", "")))
        return tuple(f"{kind}:{player}" for player in (0, 1) if have[player] is None)

    @property
    def receipt_lines(self) -> int:
        """How many lines the opening receipt has; 0 while it is not complete."""
        if self.match.seeding == "direct":
            return 2
        return 0 if None in self.commitments else max(self.commitment_seqs) + 2


def written(event: AnyEvent) -> Line:
    """An event as it will stand in the log."""
    data = encode_line(event)
    return Line(event, data, line_hash(data))


def read(data: bytes, seq: int) -> Line:
    """A line of the log as an event. Raises :class:`verifier.errors.LineError`."""
    return Line(decode_line(data, seq), data, line_hash(data))


def begin(line: Line) -> State:
    """The state after the first line."""
    assert isinstance(line.event, Match)
    return State(line.event, line.head)


def fold(state: State, line: Line) -> State:
    """The state after one more line."""
    return _FOLDS[type(line.event)](state, line)


def _fold_roll(state: State, line: Line) -> State:
    return msgspec.structs.replace(
        state,
        head=line.head,
        first_roll=state.first_roll if state.rolls else state.lines,
        lines=state.lines + 1,
        rolls=state.rolls + 1,
    )


def _fold_other(state: State, line: Line) -> State:
    event, seq = line.event, state.lines
    after = msgspec.structs.replace(state, head=line.head, lines=seq + 1)
    match event:
        case SeedCommitment(player=player):
            return msgspec.structs.replace(
                after,
                commitments=_put(state.commitments, player, event.commitment),
                commitment_seqs=_put(state.commitment_seqs, player, seq),
            )
        case Seed(player=player):
            return msgspec.structs.replace(
                after,
                seeds=_put(state.seeds, player, event.seed),
                seed_seqs=_put(state.seed_seqs, player, seq),
            )
        case MatchEnd():
            return msgspec.structs.replace(after, end=event, end_seq=seq)
        case Reveal():
            return msgspec.structs.replace(after, server_seed=event.server_seed)
    return after


_FOLDS: dict[type, Callable[[State, Line], State]] = {
    Roll: _fold_roll,
    SeedCommitment: _fold_other,
    Seed: _fold_other,
    MatchEnd: _fold_other,
    Reveal: _fold_other,
    SignatureLine: _fold_other,
}


def decide_open(match: Match, *, sign: Sign) -> list[Line]:
    """The first two lines of a new match: itself, and the signature over it."""
    if match.rules is not None:
        raise Refusal("rules-unknown", f"There is no rule set {match.rules!r}; null is dice only.")
    if match.seeding == "chained":
        raise Refusal("seeding-unsupported", "Seeding is committed or direct; chained comes later.")
    if match.options:
        raise _invalid("options", "Options are of a rule set; with rules null there are none.")
    first = _checked(match)
    return [first, _signature(begin(first), match.time, sign)]


def same_opening(state: State, match: Match) -> bool:
    """Whether a match was opened with the same words (the service's own part aside)."""
    old, new = state.match, match
    return (old.seeding, old.rules, old.length, old.options, old.players) == (
        new.seeding,
        new.rules,
        new.length,
        new.options,
        new.players,
    )


def decide_commit(
    state: State, player: Player, commitment: str, *, time: str, sign: Sign
) -> Decision:
    """A player's commitment; with the second comes the signature over both."""
    if (standing := state.commitments[player]) is not None:
        if standing == commitment:
            return Standing(state.commitment_seqs[player])
        raise Refusal("commitment-differs", f"Player {player} committed to another seed before.")
    _refuse_ended(state)
    if state.match.seeding != "committed":
        raise Refusal("not-due", f"In {state.match.seeding} seeding players commit to nothing.")
    if commitment in (state.match.commitment, *state.commitments):
        raise Refusal("commitments-equal", "This is another party's commitment: make a seed.")
    line = _checked(SeedCommitment(state.head, time, player, commitment))
    after = fold(state, line)
    return [line] if None in after.commitments else [line, _signature(after, time, sign)]


def decide_seed(state: State, player: Player, seed: str, *, time: str) -> Decision:
    """A player's seed, opened once everyone has committed (PROTOCOL.md, section O)."""
    if (standing := state.seeds[player]) is not None:
        if standing == seed:
            return Standing(state.seed_seqs[player])
        raise Refusal("seed-differs", f"Player {player} opened another seed before.")
    _refuse_ended(state)
    if state.phase != "seeds":
        raise Refusal("not-due", _instead(state))
    line = _checked(Seed(state.head, time, player, seed))
    committed = state.commitments[player]
    if committed is not None and commitment_of(seed) != committed:
        raise Refusal(
            "seed-not-committed", f"The SHA-256 of this seed's 32 bytes is not {committed}."
        )
    return [line]


def decide_roll(
    state: State,
    index: int,
    purpose: Purpose,
    player: Player | None,
    *,
    secret: bytes,
    time: str,
) -> Decision:
    """Roll ``index`` of a dice-only match: the next one, or one that was rolled before.

    Whether a repeat asks for the same is for :func:`refuse_other_roll`, once its line is read.
    """
    if index < state.rolls:
        return Standing(state.first_roll + index)
    _refuse_ended(state)
    seed_0, seed_1 = state.seeds
    if seed_0 is None or seed_1 is None:
        raise Refusal("not-due", _instead(state))
    if index > state.rolls:
        raise Refusal("roll-index-gap", f"Roll {state.rolls} is the next one, not {index}.")
    if purpose == "opening" and player is not None:
        raise _invalid("player", "An opening roll is both players'; player must be null.")
    dice = dice_of(secret, state.match.match_id, seed_0, seed_1, index)
    return [written(Roll(state.head, time, index, purpose, player, dice))]


def refuse_other_roll(roll: Roll, purpose: Purpose, player: Player | None) -> None:
    """Raise :class:`Refusal` unless the roll that stands was asked for in the same words."""
    if (roll.purpose, roll.player) != (purpose, player):
        standing = "null" if roll.player is None else roll.player
        raise Refusal(
            "roll-differs",
            f"Roll {roll.index} was made before with purpose {roll.purpose}, player {standing}.",
        )


def decide_end(
    state: State,
    reason: EndReason,
    winner: Player | None,
    *,
    secret: bytes,
    time: str,
    sign: Sign,
) -> Decision:
    """The end of a dice-only match, the reveal and the last signature."""
    if state.end:
        if (state.end.reason, state.end.winner) == (reason, winner):
            return Standing(state.end_seq)
        stands = "null" if state.end.winner is None else state.end.winner
        raise Refusal("end-differs", f"It ended by {state.end.reason}, winner {stands}.")
    if reason == "score":
        raise _invalid("reason", "Score ends a refereed match; a dice-only one is finished.")
    if reason == "abort" and winner is not None:
        raise _invalid("winner", "An aborted match has no winner; winner must be null.")
    if reason != "abort" and state.phase != "rolling":
        raise Refusal("not-due", f"{_instead(state)} Until then it can only end by abort.")
    lines = [_checked(MatchEnd(state.head, time, winner, reason, None))]
    lines.append(written(Reveal(lines[0].head, time, secret.hex())))
    for line in lines:
        state = fold(state, line)
    return [*lines, _signature(state, time, sign)]


def _signature(state: State, time: str, sign: Sign) -> Line:
    """The signature line over the last line of a state (PROTOCOL.md, section G)."""
    seq = state.lines - 1
    sig = sign(state.match.match_id, seq, state.head)
    return written(SignatureLine(state.head, time, seq, state.head, state.match.key_id, sig))


def _checked(event: AnyEvent) -> Line:
    """A line made of what a caller sent, refused where the verifier would refuse it."""
    try:
        line = written(event)
        decode_line(line.data, 0)
    except LineError as error:
        failure = error.failure
        raise _invalid(failure.field, f"{failure.code}: {failure.found[:80]}") from None
    except (UnicodeError, OverflowError):
        raise _invalid("", "Texts must be Unicode and numbers small enough for a line.") from None
    return line


def _invalid(field: str, message: str) -> Refusal:
    return Refusal("invalid", message, ((field, message),))


def _refuse_ended(state: State) -> None:
    if state.end:
        raise Refusal("match-ended", f"The match ended by {state.end.reason}.")


def _instead(state: State) -> str:
    return f"Due now: {', '.join(state.due)}."


def _put(pair: tuple[T, T], player: Player, value: T) -> tuple[T, T]:
    return (value, pair[1]) if player == 0 else (pair[0], value)
