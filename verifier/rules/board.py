"""The board: where both players' checkers stand.

Each side is counted on its own points: 1 is the last point of its home board, 24 the farthest from
home, 25 the bar. A point of mine numbered ``p`` is my opponent's point ``25 - p``. Checkers that
were borne off stand nowhere: a side has borne off 15 less the checkers it still has.

A side is one integer, a `Side`: byte ``p - 1`` (counted from the low end) holds the number of
checkers on point ``p``, byte 24 those on the bar. So a whole play is one addition, several points
are looked at with one mask, and no copy is ever made. ``pack`` and ``unpack`` turn 25 counts into
a side and back.
"""

from collections.abc import Sequence
from operator import mul
from typing import Final, NamedTuple

from .messages import RuleError

Side = int

CHECKERS: Final = 15
BAR: Final = 25
OFF: Final = 0
HOME: Final = 6
"""Points 1 to 6 are a player's home board."""


def at(point: int, count: int = 1) -> Side:
    """`count` checkers on `point` (1 to 25) and none elsewhere."""
    return count << 8 * (point - 1)


def pack(counts: Sequence[int]) -> Side:
    """The side with these 25 counts: points 1 to 24, then the bar.

    Raises `RuleError` ``board_counts`` unless there are 25 integers of 0 to 15 and at most 15
    checkers in all.
    """
    if (
        len(counts) != BAR
        or {*map(type, counts)} != {int}
        or min(counts) < 0
        or sum(counts) > CHECKERS
    ):
        raise RuleError("board_counts")
    return int.from_bytes(bytes(counts), "little")


def unpack(side: Side) -> tuple[int, ...]:
    """The 25 counts of a side: points 1 to 24, then the bar."""
    return tuple(side.to_bytes(BAR, "little"))


def pips(side: Side) -> int:
    """How far the side's checkers still have to go, a checker on the bar counting 25."""
    return sum(map(mul, range(1, BAR + 1), side.to_bytes(BAR, "little")))


def borne_off(side: Side) -> int:
    """How many of the side's 15 checkers have left the board."""
    return CHECKERS - sum(side.to_bytes(BAR, "little"))


def on_bar(side: Side) -> int:
    """How many of the side's checkers stand on the bar."""
    return side >> 8 * (BAR - 1)


START: Final = at(24, 2) + at(13, 5) + at(8, 3) + at(6, 5)
"""Where each side starts: pages 001 and 003 give the same 2, 5, 3 and 5 checkers."""

TOPS: Final = sum(at(point, 0x80) for point in range(1, BAR))
"""The high bit of the byte of every point but the bar."""

_HOME_TOPS: Final = sum(at(point, 0x80) for point in range(1, HOME + 1))
_HOME_TWOS: Final = sum(at(point, 0x7E) for point in range(1, HOME + 1))
_OUTSIDE: Final = sum(at(point, 0xFF) for point in range(HOME + 1, BAR + 1))


def all_home(side: Side) -> bool:
    """Whether no checker of the side stands outside its home board."""
    return not side & _OUTSIDE


def closed_out(me: Side, opp: Side) -> bool:
    """Whether I have a checker on the bar and my opponent holds all six points it may enter on."""
    return me >= at(BAR) and (opp + _HOME_TWOS) & _HOME_TOPS == _HOME_TOPS


class Position(NamedTuple):
    """Both sides as the player on roll sees them."""

    me: Side
    opp: Side

    def mirrored(self) -> "Position":
        """The same board from the other side of the table."""
        return Position(self.opp, self.me)


def position(me: Sequence[int], opp: Sequence[int]) -> Position:
    """The position with these counts, each side on its own points, the last the bar.

    Raises `RuleError` ``board_counts`` as `pack` does, and ``board_shared_point`` when both sides
    have checkers on one point.
    """
    result = Position(pack(me), pack(opp))
    shared = list(map(mul, me[: BAR - 1], opp[BAR - 2 :: -1]))
    if any(shared):
        raise RuleError("board_shared_point", point=[*map(bool, shared)].index(True) + 1)
    return result
