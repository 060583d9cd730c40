"""One play judged without looking for the others.

A text is turned, once, into a few masks (`_Plan`); judging it on a board is then a handful of
integer operations on the two sides. They suffice because a play is taken from its highest point
down (`moves` says why nothing is lost by that):

* a point that the play leaves more often than it arrives there needs so many checkers before it;
* when the play bears off, nothing may stand outside home after it, nor higher than a checker that a
  larger die takes off; so such a point needs exactly as many checkers as leave it. The same goes
  for the bar, when anything but the bar is played;
* the opponent's checkers on the points landed on must be exactly the starred blots: one on each
  starred point, none on the others. That is both "not blocked" and "the stars are right".

Only a play that leaves dice unused needs a search, which stops at the first longer play.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from .board import BAR, HOME, OFF, Side, at
from .messages import RuleError
from .moves import STANDARD, Steps, Style, dice_of
from .notation import Reading, destination, ordered, readings, render
from .possible import more_playable, playable

CACHED_PLANS: Final = 1 << 16


class Played(NamedTuple):
    """A legal play: its canonical text, and both sides after it."""

    moves: str
    me: Side
    opp: Side


class _Plan(NamedTuple):
    """What one reading of a text asks of a board, and does to it."""

    lift: Side  # added to mine, sets the top bit of each point with checkers enough
    mine: Side  # then these bits of mine
    need: Side  # must be these
    landing: Side  # the opponent's points landed on
    blots: Side  # must be these
    move: Side  # added to mine
    hits: Side  # added to the opponent's
    short: Steps | None  # the steps, when they are not as many as the dice


def check(
    me: Side, opp: Side, roll: tuple[int, int], moves: str, style: Style = STANDARD
) -> tuple[Side, Side]:
    """Both sides after the play `moves`, which must be legal and canonically written.

    Raises `RuleError` with the reason: ``notation_…``, ``play_…``.
    """
    if not moves:
        if playable(me, opp, roll, style):
            raise RuleError("play_missing")
        return me, opp
    for lift, mine, need, landing, blots, move, hits, short in _plans(moves, roll, style):
        if (me + lift) & mine == need and opp & landing == blots:
            if short:
                _no_dice_left(me, opp, roll, short, style)
            return me + move, opp + hits
    raise _reason(me, opp, readings(moves, roll)[0], style)


def read(me: Side, opp: Side, roll: tuple[int, int], moves: str, style: Style = STANDARD) -> Played:
    """The play that a leniently written text means on this board.

    Where the text allows several, that with the fewest hits that it does not mark; if two of these
    lead to different positions, `RuleError` ``notation_ambiguous``. Raises as `check` does.
    """
    found: dict[tuple[Side, Side], tuple[int, str]] = {}
    refusal: RuleError | None = None
    for steps, starred in readings(moves, roll):
        blots = _blots(opp, steps)
        try:
            if not starred <= blots:
                raise _reason(me, opp, Reading(steps, starred), style)
            text = render(steps, blots)
            found.setdefault(check(me, opp, roll, text, style), (len(blots - starred), text))
        except RuleError as error:
            refusal = refusal or error
    if not found:
        assert refusal is not None  # there is at least one reading
        raise refusal
    fewest = min(unmarked for unmarked, _ in found.values())
    best = [
        Played(text, *result) for result, (unmarked, text) in found.items() if unmarked == fewest
    ]
    if len(best) > 1:
        raise RuleError(
            "notation_ambiguous", moves=moves, first=best[0].moves, second=best[1].moves
        )
    return best[0]


def text_of(opp: Side, steps: Steps) -> str:
    """The canonical text of a play's steps, made against these opposing checkers."""
    return render(ordered(steps), _blots(opp, steps))


@lru_cache(4096)
def hits(change: Side) -> frozenset[int]:
    """The points, numbered as the mover's, on which a play that so changed the other side hit."""
    lost = -change & _ONE[BAR] - 1  # one from each of these points, all of them to the bar
    return frozenset(BAR - place for place in range(1, BAR) if _count(lost, place))


def _blots(opp: Side, steps: Steps) -> frozenset[int]:
    """The points on which these steps hit."""
    return frozenset(
        point - die
        for point, die in steps
        if point > die and opp >> 8 * (BAR - 1 - point + die) & 0xFF == 1
    )


def _count(side: Side, point: int) -> int:
    return side >> 8 * (point - 1) & 0xFF


@lru_cache(CACHED_PLANS)
def _plans(moves: str, roll: tuple[int, int], style: Style) -> tuple[_Plan, ...]:
    """The plans of every reading of a canonical text."""
    ways = readings(moves, roll)
    canonical = [way for way in ways if render(*way) == moves]
    if not canonical:
        raise RuleError("notation_not_canonical", moves=moves, canonical=render(*ways[0]))
    plans = [_plan(way, roll, style) for way in canonical]
    return tuple(plan for plan in plans if plan is not None)


def _plan(reading: Reading, roll: tuple[int, int], style: Style) -> _Plan | None:
    """The plan of a reading; None when no board allows it."""
    leaving: dict[int, int] = {}  # less those arriving
    clear = BAR + 1  # from this point on nothing may stand afterwards
    move = landing = blots = hits = 0
    for point, die in reading.steps:
        to = point - die
        leaving[point] = leaving.get(point, 0) + 1
        move -= _ONE[point]
        if to > OFF:
            leaving[to] = leaving.get(to, 0) - 1
            move += _ONE[to]
            landing |= 0xFF * _ONE[BAR - to]
            if point < BAR < clear:
                clear = BAR
        else:
            exact = to == OFF or style.loose_bearing_off
            clear = min(clear, (HOME if exact else point) + 1)
    if style.no_hit_and_run_at_home and _ran_on(reading):
        return None
    lift = need = 0
    mine = _FROM[clear]
    for point, count in leaving.items():
        if point >= clear:
            if count < 0:
                return None
            need += count * _ONE[point]
        elif count > 0:
            lift += (0x80 - count) * _ONE[point]
            mine += 0x80 * _ONE[point]
            need += 0x80 * _ONE[point]
    for to in reading.starred:
        blots += _ONE[BAR - to]
        hits += _ONE[BAR] - _ONE[BAR - to]
    short = None if len(reading.steps) == len(dice_of(roll)) else reading.steps
    return _Plan(lift, mine, need, landing, blots, move, hits, short)


def _ran_on(reading: Reading) -> bool:
    """Whether a checker that hit in its home board moves on."""
    arrived = [destination(point, die) for point, die in reading.steps]
    left = [point for point, _ in reading.steps]
    return any(to <= HOME and left.count(to) >= arrived.count(to) > 0 for to in reading.starred)


def _no_dice_left(me: Side, opp: Side, roll: tuple[int, int], short: Steps, style: Style) -> None:
    """Refuse a play of these steps where more dice can be played, or the larger instead.

    A text that could also be a play of more dice, or of the larger, was tried as that before.
    """
    if more_playable(me, opp, roll, len(short), style):
        raise RuleError("play_dice_left")
    larger = max(roll)
    if short[0][1] < larger and playable(me, opp, (larger, larger), style):
        raise RuleError("play_larger_die", die=larger)


def _reason(me: Side, opp: Side, reading: Reading, style: Style) -> RuleError:
    """Why this play is not legal: the first step that a person at the board would object to."""
    mine = {point: _count(me, point) for point in range(1, BAR + 1)}
    hit: set[int] = set()
    for point, die in reading.steps:
        to = destination(point, die)
        theirs = _count(opp, BAR - to) if to and to not in hit else 0
        if style.no_hit_and_run_at_home and point in hit and point <= HOME and mine[point] == 1:
            return RuleError("play_hit_and_run", point=point)
        refusal = (
            _not_from(mine, point)
            or (_not_off(mine, point, die, style) if to == OFF else None)
            or _not_onto(theirs, to, point, to in reading.starred and to not in hit)
        )
        if refusal is not None:
            return refusal
        if theirs:
            hit.add(to)
        mine[point] -= 1
        if to:
            mine[to] += 1
    raise AssertionError(f"legal after all: {reading}")


def _not_from(mine: dict[int, int], point: int) -> RuleError | None:
    if mine[BAR] and point < BAR:
        return RuleError("play_bar_first")
    if mine[point]:
        return None
    return (
        RuleError("play_bar_empty") if point == BAR else RuleError("play_no_checker", point=point)
    )


def _not_off(mine: dict[int, int], point: int, die: int, style: Style) -> RuleError | None:
    highest = max(place for place, count in mine.items() if count)
    if highest > HOME:
        return RuleError("play_not_home", point=highest)
    if highest > point != die and not style.loose_bearing_off:
        return RuleError("play_higher_first", point=highest, die=die)
    return None


def _not_onto(theirs: int, to: int, point: int, starred: bool) -> RuleError | None:
    if theirs > 1:
        code = "play_entry_blocked" if point == BAR else "play_point_blocked"
        return RuleError(code, point=to)
    if theirs and not starred:
        return RuleError("play_hit_unmarked", point=to)
    if starred and not theirs:
        return RuleError("play_nothing_hit", point=to)
    return None


_ONE = [0, *(at(point) for point in range(1, BAR + 1))]
_FROM = [sum(0xFF * one for one in _ONE[point:]) for point in range(BAR + 2)]
"""All points from this one up."""
