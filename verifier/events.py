"""The events of a match log: one frozen struct a line type, its fields in their one order.

The source for reading, for writing and for ``openapi/match-log.schema.json``
(PROTOCOL.md, section L). Hex is lower case; times are text that nothing is computed from.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

PROTOCOL = "zarf/1"
MAX_INTEGER = 2**53 - 1  # the largest that every JSON reader holds exactly

Hex32 = Annotated[
    str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="32 bytes, lower-case hex")
]
Signature64 = Annotated[
    str, Meta(pattern="^[0-9a-f]{128}$", max_length=128, description="64 bytes, lower-case hex")
]
KeyId = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{16}$",
        max_length=16,
        description="the first 16 hex digits of the SHA-256 of the public key's 32 bytes",
    ),
]
MatchId = Annotated[str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$", max_length=64)]
Name = Annotated[str, Meta(pattern="^[a-z0-9_-]{1,32}$", max_length=32)]
TIME_PATTERN = (
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$"
)
Time = Annotated[
    str, Meta(pattern=TIME_PATTERN, max_length=24, description="RFC 3339, UTC, milliseconds")
]
Label = Annotated[
    str,
    Meta(
        pattern="^[^\u0000-\u001f\u007f-\u009f]+$",
        min_length=1,
        max_length=64,
        description="1 to 64 characters (code points) in NFC, no control characters",
    ),
]
Moves = Annotated[str, Meta(pattern="^[0-9a-z/*() ]*$", max_length=120)]
Player = Literal[0, 1]
Die = Annotated[int, Meta(ge=1, le=6)]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Points = Annotated[int, Meta(ge=1, le=999)]
Score = tuple[Count, Count]
Seeding = Literal["committed", "direct", "chained"]
Purpose = Literal["opening", "turn"]
EndReason = Literal["score", "resign", "timeout", "disconnect", "abandon", "abort", "finished"]
GameKind = Literal["single", "gammon", "backgammon", "drop", "resign", "forfeit"]
Options = dict[Name, bool | Annotated[int, Meta(ge=0, le=999)]]


class Event(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What every line has."""


class Match(Event, frozen=True, tag="match"):
    """The first line: who plays what, the service's commitment and its public key."""

    time: Time
    protocol: Literal["zarf/1"]
    match_id: MatchId
    seeding: Seeding
    rules: Name | None
    length: Points | None
    options: Options
    players: tuple[Label, Label]
    commitment: Hex32
    public_key: Hex32
    key_id: KeyId


class Linked(Event, frozen=True):
    """What every line after the first has: the SHA-256 of the line before it, and its time."""

    prev: Hex32
    time: Time


class SeedCommitment(Linked, frozen=True, tag="seed_commitment"):
    """A player's commitment: the SHA-256 of the seed it will open."""

    player: Player
    commitment: Hex32


class Seed(Linked, frozen=True, tag="seed"):
    """A player's seed, opened."""

    player: Player
    seed: Hex32


class Roll(Linked, frozen=True, tag="roll"):
    """Two dice. ``links`` (player 0, player 1, service) stand in chained seeding only."""

    index: Count
    purpose: Purpose
    player: Player | None
    dice: tuple[Die, Die]
    links: tuple[Hex32, Hex32, Hex32] | UnsetType = UNSET


class Play(Linked, frozen=True, tag="play"):
    """The checkers moved with a roll, in the notation of the rules."""

    player: Player
    moves: Moves
    auto: bool


class PassUnrolled(Linked, frozen=True, tag="pass_unrolled"):
    """A closed-out player's turn, under rules that do not roll then."""

    player: Player


class Double(Linked, frozen=True, tag="double"):
    """The cube offered."""

    player: Player


class Take(Linked, frozen=True, tag="take"):
    """The cube taken."""

    player: Player


class Drop(Linked, frozen=True, tag="drop"):
    """The cube refused."""

    player: Player


class ResignOffer(Linked, frozen=True, tag="resign_offer"):
    """A game offered as lost at ``value`` (1 single, 2 gammon, 3 backgammon)."""

    player: Player
    value: Literal[1, 2, 3]


class ResignAccept(Linked, frozen=True, tag="resign_accept"):
    """The offer accepted."""

    player: Player


class ResignRefuse(Linked, frozen=True, tag="resign_refuse"):
    """The offer refused."""

    player: Player


class GameEnd(Linked, frozen=True, tag="game_end"):
    """A game won, and the match score after it."""

    winner: Player
    points: Count
    kind: GameKind
    score: Score


class MatchEnd(Linked, frozen=True, tag="match_end"):
    """The match over."""

    winner: Player | None
    reason: EndReason
    score: Score | None


class Reveal(Linked, frozen=True, tag="reveal"):
    """The service's seed, opened."""

    server_seed: Hex32


class SignatureLine(Linked, frozen=True, tag="signature"):
    """The service's signature over line ``seq``, the one before, whose SHA-256 is ``head``."""

    seq: Count
    head: Hex32
    key_id: KeyId
    sig: Signature64


AnyEvent = (
    Match
    | SeedCommitment
    | Seed
    | Roll
    | Play
    | PassUnrolled
    | Double
    | Take
    | Drop
    | ResignOffer
    | ResignAccept
    | ResignRefuse
    | GameEnd
    | MatchEnd
    | Reveal
    | SignatureLine
)


def type_name(event: type[Event] | Event) -> str:
    """The ``type`` that a line of this event carries."""
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)  # every event above names its tag
    return tag


EVENTS: dict[str, type[Event]] = {type_name(cls): cls for cls in AnyEvent.__args__}


def field_names(event: type[Event]) -> tuple[str, ...]:
    """The fields of a line of this event in their order, ``type`` first."""
    return ("type", *(field.encode_name for field in msgspec.structs.fields(event)))
