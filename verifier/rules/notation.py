"""Plays as text: read leniently, written in one way.

The canonical form, which stands in log lines and in exports, byte for byte:

1. A play is the set of its steps, each one checker moved by one die from a point to a point. Points
   are the mover's own, written in decimal; ``bar`` stands for 25 and ``off`` for leaving the board.
   A play without a step is the empty text.
2. Steps are joined into *journeys*. While steps remain, take the one from the highest point (of two
   from the same point, the one that goes farther), and as long as a remaining step starts where the
   journey has come to, append it.
3. Journeys with the same first and last point become one, with a count. What remains is ordered by
   first point, highest first, then by last point, lowest first (``off`` is lowest).
4. A journey is written ``first/last``. A point on which an opposing checker is hit is written with
   a ``*`` behind it, by the first journey, in that order, which touches the point, also where that
   is on its way: ``13/10*/9``. No other point on the way is written. A count of two or more comes
   last, in brackets: ``6/4(2)``, ``8/5*(2)``, ``6/off(2)``.
5. Journeys are separated by one space.

So `13/10 10/9`, `13/12 12/9` and `13/9`, which lead to the same position when nothing is hit, are
all written ``13/9``; and two plays of one roll from one position have the same text exactly when
they lead to the same position.

Read besides: ``25`` and ``0`` for ``bar`` and ``off``, capitals, commas and any blanks between
journeys, any order, steps joined or apart, a count or its journeys one by one, ``*`` before or
behind a count, ``*`` left out (`direct.read` says how that is made up for).
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import Final, NamedTuple

from .board import BAR, OFF
from .messages import RuleError
from .moves import Step, Steps, dice_of

MAX_TEXT: Final = 120
"""No play is written longer than this many characters."""

_WORD = re.compile(
    r"(?P<points>(?:bar|[1-9]\d?)(?:/(?:off|0|[1-9]\d?)\*?)+)(?:\((?P<count>[1-4])\)(?P<star>\*?))?"
)
_PIECE = re.compile(r"(bar|off|\d+)(\*?)")


class Reading(NamedTuple):
    """One way to make the play a text describes: its steps, and the points it marks as hit."""

    steps: Steps
    starred: frozenset[int]


def destination(point: int, die: int) -> int:
    """Where a step ends: a point, or 0 off the board."""
    return max(point - die, OFF)


def ordered(steps: Iterable[Step]) -> Steps:
    """The steps from the highest point down; of two from one point, the larger die first."""
    return tuple(sorted(steps, reverse=True))


@lru_cache(1 << 16)
def render(steps: Steps, hits: frozenset[int]) -> str:
    """The canonical text of these `ordered` steps, which hit on the points `hits`."""
    paths: list[tuple[int, ...]] = [
        (point, point - die if point > die else OFF) for point, die in steps
    ]
    if not {point for point, _ in steps}.isdisjoint([last for _, last in paths]):
        paths = _joined(paths)
    journeys: dict[tuple[int, int], tuple[tuple[int, ...], int]] = {}
    for path in paths:
        ends = path[0], path[-1]
        journeys[ends] = path, journeys[ends][1] + 1 if ends in journeys else 1
    unmarked = set(hits)
    return " ".join(
        [
            (_with_hits(path, unmarked) if unmarked else _FROM_TO[path[0]][path[-1]])
            + (f"({count})" if count > 1 else "")
            for path, count in journeys.values()
        ]
    )


def _joined(steps: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The journeys, each as the points it touches, that these steps from point to point make."""
    journeys: list[tuple[int, ...]] = []
    left = list(steps)
    while left:
        path = left.pop(0)
        following = 0
        while following < len(left):
            if left[following][0] == path[-1]:
                path = (*path, left.pop(following)[1])
            else:
                following += 1
        journeys.append(path)
    return journeys


def _with_hits(path: tuple[int, ...], unmarked: set[int]) -> str:
    text = _NAMES[path[0]]
    for point in path[1:]:
        if point in unmarked:
            unmarked.remove(point)
            text += f"/{point}*"
        elif point == path[-1]:
            text += f"/{_NAMES[point]}"
    return text


def readings(text: str, roll: tuple[int, int]) -> tuple[Reading, ...]:
    """Every way to make the play in `text` with the dice of `roll`, those with most dice first.

    There is more than one where a checker may go 3 then 1 or 1 then 3, or leave the board by either
    die. Raises `RuleError`: ``notation_unreadable``, or ``notation_not_these_dice`` when no use of
    the dice makes these moves.
    """
    legs: list[tuple[int, int]] = []
    starred: frozenset[int] = frozenset()
    if len(text) > MAX_TEXT:
        raise RuleError("notation_unreadable", moves=text[:MAX_TEXT])
    for word in text.replace(",", " ").split():
        word_legs, word_starred = _journey(word)
        legs += word_legs
        starred |= word_starred
    if len(legs) > 4:
        raise RuleError("notation_unreadable", moves=text)
    dice = dice_of(roll)
    ways = {
        ordered(chain.from_iterable(parts))
        for parts in product(*[_splits(start, end, dice) for start, end in legs])
    }
    fitting = [steps for steps in ways if _fits(steps, dice)]
    if not fitting:
        raise RuleError("notation_not_these_dice", moves=text, dice=f"{roll[0]}-{roll[1]}")
    if len(fitting) > 1:
        fitting.sort(key=lambda steps: (len(steps), steps), reverse=True)
    return tuple(Reading(steps, starred) for steps in fitting)


def _fits(steps: Steps, dice: tuple[int, ...]) -> bool:
    """Whether these dice are there to be played."""
    if len(dice) == 2:
        return len(steps) < 2 or (len(steps) == 2 and steps[0][1] != steps[1][1])
    return len(steps) <= 4


@lru_cache(4096)
def _journey(word: str) -> tuple[tuple[tuple[int, int], ...], frozenset[int]]:
    """The legs ``(from, to)`` between the points that a word names, and the points it stars."""
    match = _WORD.fullmatch(word.lower()) if word.isascii() else None
    if match is None:
        raise RuleError("notation_unreadable", moves=word)
    pieces = _PIECE.findall(match["points"])
    points = [_POINTS[name] if name in _POINTS else int(name) for name, _ in pieces]
    stars = {point for point, (_, star) in zip(points, pieces, strict=True) if star}
    if match["star"]:
        stars.add(points[-1])
    legs = tuple(pairwise(points))
    if points[0] > BAR or OFF in stars or any(start <= end for start, end in legs):
        raise RuleError("notation_unreadable", moves=word)
    return legs * int(match["count"] or 1), frozenset(stars)


@lru_cache(4096)
def _splits(start: int, end: int, dice: tuple[int, ...]) -> tuple[Steps, ...]:
    """Every way for one checker to go from `start` to `end` with some of the dice."""
    ways: list[Steps] = []
    for die in set(dice):
        to = destination(start, die)
        if to == end:
            ways.append(((start, die),))
        elif to > end:
            left = list(dice)
            left.remove(die)
            ways += [((start, die), *onward) for onward in _splits(to, end, tuple(left))]
    return tuple(ways)


_NAMES = ["off", *map(str, range(1, BAR)), "bar"]
_FROM_TO = [[f"{first}/{last}" for last in _NAMES] for first in _NAMES]
_POINTS = {"bar": BAR, "off": OFF}
