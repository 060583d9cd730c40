"""What happens in a refereed match, as values: one class a line type, fields as in the log.

`README.md` says in which order they may follow each other.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

Player = int
"""0 or 1."""
Score = tuple[int, int]
Kind = Literal["single", "gammon", "backgammon", "drop", "resign", "forfeit"]
Reason = Literal["score", "resign", "timeout", "disconnect", "abandon", "abort"]


@dataclass(frozen=True, slots=True)
class Roll:
    """Two dice: the opening roll (``player`` None, die one player 0's) or a player's turn."""

    purpose: Literal["opening", "turn"]
    player: Player | None
    dice: tuple[int, int]
    type: ClassVar[str] = "roll"


@dataclass(frozen=True, slots=True)
class Play:
    """A roll played; ``moves`` in canonical notation, ``auto`` when done for an absent player."""

    player: Player
    moves: str
    auto: bool
    type: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True)
class PassUnrolled:
    """The turn of a closed-out player passes without a roll."""

    player: Player
    type: ClassVar[str] = "pass_unrolled"


@dataclass(frozen=True, slots=True)
class Double:
    """The cube offered."""

    player: Player
    type: ClassVar[str] = "double"


@dataclass(frozen=True, slots=True)
class Take:
    """The cube taken."""

    player: Player
    type: ClassVar[str] = "take"


@dataclass(frozen=True, slots=True)
class Drop:
    """The cube refused, and with it the game."""

    player: Player
    type: ClassVar[str] = "drop"


@dataclass(frozen=True, slots=True)
class ResignOffer:
    """The game offered as lost: 1, 2 or 3 times the cube."""

    player: Player
    value: int
    type: ClassVar[str] = "resign_offer"


@dataclass(frozen=True, slots=True)
class ResignAccept:
    """The opponent's offer accepted."""

    player: Player
    type: ClassVar[str] = "resign_accept"


@dataclass(frozen=True, slots=True)
class ResignRefuse:
    """The opponent's offer refused."""

    player: Player
    type: ClassVar[str] = "resign_refuse"


@dataclass(frozen=True, slots=True)
class GameEnd:
    """A game over, and the match score after it."""

    winner: Player
    points: int
    kind: Kind
    score: Score
    type: ClassVar[str] = "game_end"


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The match over."""

    winner: Player | None
    reason: Reason
    score: Score
    type: ClassVar[str] = "match_end"


Event = (
    Roll
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
)
