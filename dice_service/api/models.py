"""What callers send. Strict: no coercion, no unknown field.

The texts' patterns are those of the log (:mod:`verifier.events`), so that what the edge lets in
is what a line can hold.
"""

from typing import Annotated, Literal, get_args

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema

from dice_service.answers import Phase
from verifier import events
from verifier.events import Player
from verifier.rules.rulesets import MAX_BEST_OF, OVERRIDES, RULE_SETS

EXAMPLE_ID = "demo-match-0001"
EXAMPLE_HEX = "5f0c1d3e9ab24c7780e65a2b91f4d3c6a7e8b90c1d2f3a4b5c6d7e8f90a1b2c3"


def pattern_of(alias: object) -> str:
    """The pattern of one of the log's text types."""
    pattern = next(meta for meta in get_args(alias) if isinstance(meta, msgspec.Meta)).pattern
    assert pattern is not None
    return pattern


Hex32 = Annotated[
    str,
    Field(
        pattern=pattern_of(events.Hex32),
        max_length=64,
        description="32 bytes, lower-case hex",
        examples=[EXAMPLE_HEX],
    ),
]
SeedHex = Annotated[
    Hex32,
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^(?!([0-9a-f]{2})\1{31}$)[0-9a-f]{64}$",
            "maxLength": 64,
            "description": "32 random bytes, lower-case hex; not 32 equal ones",
            "examples": [EXAMPLE_HEX],
        }
    ),
]
# Narrower than the protocol's: "." and ".." are no part of a path that every client can send.
_MATCH_ID = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"
MatchId = Annotated[str, Field(pattern=_MATCH_ID, examples=[EXAMPLE_ID])]
Label = Annotated[
    str,
    Field(
        pattern=pattern_of(events.Label),
        min_length=1,
        max_length=64,
        description="1 to 64 characters in NFC, no control characters",
    ),
]


def _plain_integer(value: object) -> object:
    """Refuse ``true`` and ``1.0``, which equal 1 and so pass for it in a literal type."""
    if type(value) is not int and value is not None:
        raise ValueError("Input should be 0 or 1")
    return value


PlayerNumber = Annotated[Player, BeforeValidator(_plain_integer)]


def _never(name: str, value: str, other: str) -> dict[str, JsonValue]:
    """The schema's way to say that where ``name`` is ``value``, ``other`` is null or absent."""
    both: dict[str, JsonValue] = {name: {"const": value}, other: {"enum": [0, 1]}}
    return {"not": {"properties": both, "required": [name, other]}}


def _options() -> dict[str, JsonValue]:
    """The options of the rules, each with the values that a match may change it to."""
    return {
        name: {"type": "integer", "minimum": 3, "maximum": MAX_BEST_OF}
        if value is None
        else {"const": value}
        for name, value in OVERRIDES.items()
    }


class Request(BaseModel):
    """What a caller sends."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class OpenMatch(Request):
    """Who plays what. Only the labels are required."""

    seeding: Annotated[
        Literal["committed", "direct", "chained"],
        WithJsonSchema({"enum": ["committed", "direct"], "type": "string"}),
    ] = Field("committed", description="how the three seeds come in; chained is not offered yet")
    rules: Annotated[
        Annotated[str, Field(pattern=pattern_of(events.Name))] | None,
        WithJsonSchema({"enum": [None, *RULE_SETS]}),
    ] = Field(None, description="the rule set of a refereed match; null: dice only")
    length: Annotated[int, Field(ge=1, le=999)] | None = Field(
        None, description="points; a refereed match needs it, or the option best_of_games"
    )
    options: Annotated[
        dict[
            Annotated[str, Field(pattern=pattern_of(events.Name))],
            bool | Annotated[int, Field(ge=0, le=999)],
        ],
        WithJsonSchema({"type": "object", "properties": _options(), "additionalProperties": False}),
    ] = Field({}, description="what differs from the rule set: nothing while rules is null")
    players: Annotated[list[Label], Field(min_length=2, max_length=2)] = Field(
        description="the labels of player 0 and player 1", examples=[["Ayşe", "Bora"]]
    )


class Commitment(Request):
    """A player's commitment: the SHA-256 of the 32 bytes of its seed."""

    commitment: Hex32


class Seed(Request):
    """A player's seed, opened."""

    seed: SeedHex


class RollRequest(Request):
    """What the roll is for. An empty body stands for ``{}``."""

    model_config = ConfigDict(json_schema_extra=_never("purpose", "opening", "player"))

    purpose: Literal["opening", "turn"] = Field("turn", description="opening: the player is null")
    player: PlayerNumber | None = Field(None, description="whose turn, if the log shall say so")


class EndMatch(Request):
    """Why the match is over. An abort has no winner; only a dice-only match is finished so."""

    model_config = ConfigDict(json_schema_extra=_never("reason", "abort", "winner"))

    reason: Literal["finished", "resign", "timeout", "disconnect", "abandon", "abort"]
    winner: PlayerNumber | None = None


# Names, IPv4 and IPv6 addresses; no user, no fragment. A name is looked up at each attempt.
_URL = (
    r"^https?://([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}"
    r"[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.]{2,45}\])"
    r"(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
    r"(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?$"
)
WebhookId = Annotated[str, Field(pattern=_MATCH_ID, examples=["my-game-server"])]


class RegisterWebhook(Request):
    """Where to tell what. The address may hold a token of yours; it is shown to you only."""

    url: Annotated[str, Field(pattern=_URL, max_length=2_000)] = Field(
        description="https; where the operator allows private addresses, http to those too"
    )
    events: Annotated[list[Literal["match.ended"]], Field(min_length=1, max_length=1)] = Field(
        ["match.ended"], description="what it is told"
    )


class DeliveryQuery(BaseModel):
    """Which deliveries to list. Not strict: a query is text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    after: str | None = Field(None, max_length=200, description="`next` of the page before")
    limit: int = Field(50, ge=1, le=100)


def _truth(value: object) -> bool:
    if value not in ("true", "false"):
        raise ValueError("it must be true or false")
    return value == "true"


class ActionQuery(BaseModel):
    """What the answer to an action shall hold besides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    legal: Annotated[bool, BeforeValidator(_truth)] = Field(
        default=False, description="list every legal play of the dice on the table"
    )


class ListQuery(BaseModel):
    """Which matches to list. Not strict: a query is text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    after: str | None = Field(None, max_length=200, description="`next` of the page before")
    limit: int = Field(50, ge=1, le=100)
    phase: Phase | None = None
    seeding: Literal["committed", "direct"] | None = None
