"""What the service answers: one struct an answer, encoded by :func:`encode` and nothing else."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from verifier.receipts import RollReceipt

T = TypeVar("T")
Phase = Literal["commitments", "seeds", "rolling", "ended"]

_encoder = msgspec.json.Encoder()


def encode(answer: Struct) -> bytes:
    """The JSON bytes of an answer: the same for the same answer, whoever gives it."""
    return _encoder.encode(answer)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """An answer to a ``PUT``; ``created`` is true the first time and false on a repeat."""

    created: bool
    value: T


class Opening(Struct, frozen=True):
    """A match opened. ``receipt`` holds lines 0 and 1; ``tokens`` are the players' own."""

    match_id: str
    commitment: str
    public_key: str
    key_id: str
    receipt: str
    tokens: tuple[str, str]

    def __repr__(self) -> str:
        return f"Opening(match_id={self.match_id!r})"  # tokens are secrets


class LineAnswer(Struct, frozen=True):
    """A player's commitment or seed as it stands in the log."""

    match_id: str
    player: int
    seq: int
    line: str


class RollAnswer(Struct, frozen=True):
    """Two dice and the service's signature on the log that ends with them."""

    match_id: str
    index: int
    dice: tuple[int, int]
    purpose: str
    player: int | None
    receipt: RollReceipt


class EndAnswer(Struct, frozen=True):
    """A match ended and revealed; ``seq`` and ``head`` are of the log's last line."""

    match_id: str
    reason: str
    winner: int | None
    server_seed: str
    seq: int
    head: str


class MatchView(Struct, frozen=True):
    """The state of a match. ``server_seed`` is null until the match has ended.

    ``commitments`` and ``seeds`` are the players'; ``lines`` counts the log's lines and
    ``head`` is the SHA-256 of the last. ``due`` says in a word list what may come next.
    """

    match_id: str
    seeding: str
    rules: str | None
    length: int | None
    options: dict[str, bool | int]
    players: tuple[str, str]
    phase: Phase
    due: tuple[str, ...]
    opened_at: str
    ended_at: str | None
    commitment: str
    public_key: str
    key_id: str
    commitments: tuple[str | None, str | None]
    seeds: tuple[str | None, str | None]
    rolls: int
    reason: str | None
    winner: int | None
    server_seed: str | None
    lines: int
    head: str


class OwnedView(Struct, frozen=True):
    """A view and whose match it is (which the view itself does not tell)."""

    owner: str
    view: MatchView


class LogView(Struct, frozen=True):
    """A log as far as it goes: its bytes, its head, and whether it has ended."""

    owner: str
    data: bytes
    head: str
    ended: bool


class MatchSummary(Struct, frozen=True):
    """A match in a list."""

    match_id: str
    owner: str
    seeding: str
    rules: str | None
    phase: Phase
    opened_at: str
    ended_at: str | None


class Page(Struct, frozen=True):
    """Matches from the newest to the oldest; ``next`` is the cursor of the next page, if any."""

    matches: tuple[MatchSummary, ...]
    next: str | None
