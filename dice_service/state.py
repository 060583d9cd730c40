"""What a log says so far: a state, folded from its lines and from nothing else.

In a refereed match the rules' own state (:class:`verifier.rules.match.MatchState`) is part of it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from dice_service.answers import Phase
from verifier.events import (
    AnyEvent,
    Double,
    Drop,
    GameEnd,
    Match,
    MatchEnd,
    PassUnrolled,
    Play,
    Player,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Reveal,
    Roll,
    Seed,
    SeedCommitment,
    SignatureLine,
    Take,
)
from verifier.log import decode_line, encode_line, line_hash
from verifier.refereed import TO_RULES
from verifier.rules.match import MatchState
from verifier.rules.rulesets import resolve

T = TypeVar("T")


class Line(NamedTuple):
    """An event, its bytes in the log and their SHA-256."""

    event: AnyEvent
    data: bytes
    head: str


class State(Struct, frozen=True):
    """What a log says so far. ``lines`` counts them; ``head`` is the SHA-256 of the last.

    The ``*_seqs`` say at which line each player's commitment and seed stand, ``first_roll`` where
    roll 0 of a dice-only match does; ``server_seed`` is None until the reveal. ``play`` is the
    game as the rules see it, None in a dice-only match; ``actions`` counts what was chosen in it
    (:func:`begins_action`).
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
    play: MatchState | None = None
    actions: int = 0
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
        """What may come next, as ``commitment:0``, ``seed:1``, ``roll:12``; an end aside.

        In a refereed match, once both seeds are open: the number of the next action, as
        ``action:12``.
        """
        if self.phase == "rolling":
            return (f"roll:{self.rolls}" if self.play is None else f"action:{self.actions}",)
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
    """The state after the first line.

    Raises :class:`verifier.rules.messages.RuleError` if its rule set is none that can be played.
    """
    match = line.event
    assert isinstance(match, Match)
    if match.rules is None:
        return State(match, line.head)
    rules = resolve(match.rules, match.length, match.options)
    return State(match, line.head, play=MatchState.start(rules, match.length))


def fold(state: State, line: Line) -> State:
    """The state after one more line.

    Raises :class:`verifier.rules.messages.RuleError` if the rules of the match do not allow it.
    """
    return _FOLDS[type(line.event)](state, line)


def begins_action(event: AnyEvent) -> bool:
    """Whether an event of a refereed match was chosen, or else follows of itself (rules, R2).

    Actions are numbered by counting these. Of the two lines of an early end with a winner (R28)
    the first counts, the ``game_end`` by forfeit.
    """
    match event:
        case Play(moves=moves):
            return bool(moves)
        case GameEnd(kind=kind):
            return kind == "forfeit"
        case MatchEnd(winner=winner):
            return winner is None
    return isinstance(event, _CHOSEN)


_CHOSEN = (Roll, Double, Take, Drop, ResignOffer, ResignAccept, ResignRefuse)


def _fold_roll(state: State, line: Line) -> State:
    if state.play is not None:
        return _fold_play(state, line, rolls=state.rolls + 1)
    return msgspec.structs.replace(
        state,
        head=line.head,
        first_roll=state.first_roll if state.rolls else state.lines,
        lines=state.lines + 1,
        rolls=state.rolls + 1,
    )


def _fold_play(state: State, line: Line, **changes: Any) -> State:  # noqa: ANN401 - fields
    assert state.play is not None
    return msgspec.structs.replace(
        state,
        head=line.head,
        lines=state.lines + 1,
        play=state.play.apply(TO_RULES[type(line.event)](line.event)),
        actions=state.actions + begins_action(line.event),
        **changes,
    )


def _fold_end(state: State, line: Line) -> State:
    assert isinstance(line.event, MatchEnd)
    changes = {"end": line.event, "end_seq": state.lines}
    if state.play is not None:
        return _fold_play(state, line, **changes)
    return msgspec.structs.replace(state, head=line.head, lines=state.lines + 1, **changes)


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
        case Reveal():
            return msgspec.structs.replace(after, server_seed=event.server_seed)
    return after


_FOLDS: dict[type, Callable[[State, Line], State]] = {
    Roll: _fold_roll,
    SeedCommitment: _fold_other,
    Seed: _fold_other,
    MatchEnd: _fold_end,
    Reveal: _fold_other,
    SignatureLine: _fold_other,
    **dict.fromkeys(
        (Play, PassUnrolled, Double, Take, Drop, ResignOffer, ResignAccept, ResignRefuse, GameEnd),
        _fold_play,
    ),
}


def _put(pair: tuple[T, T], player: Player, value: T) -> tuple[T, T]:
    return (value, pair[1]) if player == 0 else (pair[0], value)
