"""What the service answers: one struct an answer, encoded by :func:`encode` and nothing else."""

from dataclasses import dataclass
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from verifier.events import (
    Count,
    Die,
    EndReason,
    Hex32,
    KeyId,
    Label,
    MatchId,
    Name,
    Options,
    Player,
    Points,
    Purpose,
    Score,
    Seeding,
    Time,
)
from verifier.receipts import RollReceipt

T_co = TypeVar("T_co", covariant=True)
Phase = Literal["commitments", "seeds", "rolling", "ended"]
# Told to readers of the schema, left to a client's own checks, which say what is wrong with it.
Token = Annotated[str, Meta(extra_json_schema={"pattern": "^zp_[A-Za-z0-9_-]{43}$"})]
Revealed = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]

_encoder = msgspec.json.Encoder()


def encode(answer: Struct) -> bytes:
    """The JSON bytes of an answer: the same for the same answer, whoever gives it."""
    return _encoder.encode(answer)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T_co]):
    """An answer to a ``PUT``; ``created`` is true the first time and false on a repeat."""

    created: bool
    value: T_co


class Opening(Struct, frozen=True):
    """A match opened. ``receipt`` holds lines 0 and 1; ``tokens`` are the players' own."""

    match_id: MatchId
    commitment: Hex32
    public_key: Hex32
    key_id: KeyId
    receipt: str
    tokens: tuple[Token, Token]

    def __repr__(self) -> str:
        return f"Opening(match_id={self.match_id!r})"  # tokens are secrets


class LineAnswer(Struct, frozen=True):
    """A player's commitment or seed as it stands in the log."""

    match_id: MatchId
    player: Player
    seq: Count
    line: str


class RollAnswer(Struct, frozen=True):
    """Two dice and the service's signature on the log that ends with them."""

    match_id: MatchId
    index: Count
    dice: tuple[Die, Die]
    purpose: Purpose
    player: Player | None
    receipt: RollReceipt


class EndAnswer(Struct, frozen=True):
    """A match ended and revealed; ``seq`` and ``head`` are of the log's last line."""

    match_id: MatchId
    reason: EndReason
    winner: Player | None
    server_seed: Revealed
    seq: Count
    head: Hex32


Checkers = Annotated[
    tuple[Annotated[int, Meta(ge=0, le=15)], ...],
    Meta(
        min_length=25,
        max_length=25,
        description="how many checkers on this side's own points 1 to 24, and on the bar",
    ),
]
DueEvent = Literal["opening_roll", "roll", "play", "double_answer", "resign_answer", "nothing"]


class Due(Struct, frozen=True):
    """What must come next, and from whom (null: from nobody in particular)."""

    what: DueEvent
    player: Player | None


class Cube(Struct, frozen=True):
    """The doubling cube; ``owner`` is null while it is centred."""

    value: Count
    owner: Player | None


class Offer(Struct, frozen=True):
    """An offer to resign, at ``value`` times the cube, that waits for its answer."""

    player: Player
    value: Literal[1, 2, 3]


class Table(Struct, frozen=True):
    """A refereed match as it stands on the table; pairs are player 0's and player 1's.

    ``dice`` are those to be played, ``game`` counts from 1, ``crawford`` says whether this is the
    Crawford game, ``cube`` is null where there is none.
    """

    due: Due
    dice: tuple[Die, Die] | None
    board: tuple[Checkers, Checkers]
    pips: tuple[Count, Count]
    borne_off: tuple[Count, Count]
    cube: Cube | None
    offer: Offer | None
    game: Count
    crawford: bool
    score: Score


class LogLine(Struct, frozen=True):
    """A line of the log, and its number from 0."""

    seq: Count
    line: str


class LegalPlay(Struct, frozen=True, array_like=True):
    """A legal play in canonical notation, and the mover's and the opponent's checkers after it."""

    moves: str
    me: Checkers
    opponent: Checkers


class ActionAnswer(Struct, frozen=True):
    """The ``lines`` that an action added, and the table after them.

    ``next_action`` is one more than ``action``, or two more with ``then_roll`` where a roll was
    due. ``receipt`` is the service's signature on the log that ends with the last of the lines
    (once the match has ended: with the reveal). ``legal`` comes with ``?legal=true``: every legal
    play of the dice on the table, none if there are no dice to play.
    """

    match_id: MatchId
    action: Count
    next_action: Count
    lines: tuple[LogLine, ...]
    table: Table
    receipt: RollReceipt
    legal: tuple[LegalPlay, ...] | UnsetType = UNSET


class MatchView(Struct, frozen=True):
    """The state of a match. ``server_seed`` is null until the match has ended.

    ``commitments`` and ``seeds`` are the players'; ``lines`` counts the log's lines and
    ``head`` is the SHA-256 of the last. ``due`` says in a word list what may come next. ``table``
    is there in a refereed match once both seeds are open.
    """

    match_id: MatchId
    seeding: Seeding
    rules: Name | None
    length: Points | None
    options: Options
    players: tuple[Label, Label]
    phase: Phase
    due: tuple[str, ...]
    opened_at: Time
    ended_at: Time | None
    commitment: Hex32
    public_key: Hex32
    key_id: KeyId
    commitments: tuple[Hex32 | None, Hex32 | None]
    seeds: tuple[Hex32 | None, Hex32 | None]
    rolls: Count
    table: Table | None
    reason: EndReason | None
    winner: Player | None
    server_seed: Hex32 | None
    lines: Count
    head: Hex32


class OwnedView(Struct, frozen=True):
    """A view and whose match it is (which the view itself does not tell)."""

    owner: str
    view: MatchView


class LogView(Struct, frozen=True):
    """A log as far as it goes: its bytes, its head, and whether it has ended."""

    owner: str
    data: bytes
    head: Hex32
    ended: bool


class MatchSummary(Struct, frozen=True):
    """A match in a list."""

    match_id: MatchId
    owner: str
    seeding: str
    rules: Name | None
    phase: Phase
    opened_at: Time
    ended_at: Time | None


class Page(Struct, frozen=True):
    """Matches from the newest to the oldest; ``next`` is the cursor of the next page, if any."""

    matches: tuple[MatchSummary, ...]
    next: str | None
