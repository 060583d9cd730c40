"""What the service answers: one struct an answer, encoded by :func:`encode` and nothing else."""

from dataclasses import dataclass
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

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


class MatchView(Struct, frozen=True):
    """The state of a match. ``server_seed`` is null until the match has ended.

    ``commitments`` and ``seeds`` are the players'; ``lines`` counts the log's lines and
    ``head`` is the SHA-256 of the last. ``due`` says in a word list what may come next.
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
