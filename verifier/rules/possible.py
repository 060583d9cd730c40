"""Whether dice can be played at all, found out without listing the plays.

Of a side, `tops` are the high bits of some points' bytes. The opponent's points that block do not
change during a play (a hit takes a lone checker), so where my checkers may go by a die is a shift
of these and a mask.
"""

from .board import BAR, HOME, TOPS, Side, all_home, at
from .moves import STANDARD, Style, dice_of, legal_plays


def playable(me: Side, opp: Side, roll: tuple[int, int], style: Style = STANDARD) -> bool:
    """Whether `legal_plays` has any: whether some checker can move by one of the dice."""
    blocked = _blocked(opp)
    return any(_movable(me, blocked, die, style) for die in roll)


def more_playable(
    me: Side, opp: Side, roll: tuple[int, int], used: int, style: Style = STANDARD
) -> bool:
    """Whether some play of this roll uses more than `used` dice, which are not all there are."""
    if style.no_hit_and_run_at_home:  # here it matters which checkers hit
        return any(len(steps) > used for steps in legal_plays(me, opp, roll, style).values())
    blocked = _blocked(opp)
    dice = dice_of(roll)[: used + 1]
    return _all_playable(me, blocked, dice, style) or (
        roll[0] != roll[1] and _all_playable(me, blocked, dice[::-1], style)
    )


def _all_playable(me: Side, blocked: Side, dice: tuple[int, ...], style: Style) -> bool:
    """Whether these dice can be played in this order."""
    die, later = dice[0], dice[1:]
    tops = _movable(me, blocked, die, style)
    if not later:
        return bool(tops)
    while tops:
        one = (tops & -tops) >> 7
        if _all_playable(me - one + (one >> 8 * die), blocked, later, style):
            return True
        tops &= tops - 1
    return False


def _blocked(opp: Side) -> Side:
    """The tops of the points, numbered as mine, on which the opponent has two or more checkers."""
    tops = opp + _BUT_ONE & TOPS
    return int.from_bytes(tops.to_bytes(BAR - 1, "big"), "little")


def _movable(me: Side, blocked: Side, die: int, style: Style) -> Side:
    """The tops of the points from which a checker can be moved by a die."""
    if me >= _ON_BAR:
        return _BAR_TOP & ~(blocked << 8 * die)
    mine = me + _BUT_NONE & TOPS
    tops = mine & ~(blocked << 8 * die | _UP_TO[die])
    if mine and all_home(me):
        low = mine & _UP_TO[die]
        if style.loose_bearing_off:
            tops |= low
        elif low == mine:
            tops |= 1 << low.bit_length() - 1  # the highest: by the exact die or a larger
        else:
            tops |= low & ~_UP_TO[die - 1]
    return tops


_ON_BAR = at(BAR)
_BAR_TOP = at(BAR, 0x80)
_BUT_NONE = sum(at(point, 0x7F) for point in range(1, BAR))
"""Added to a side, sets the top of every point with a checker."""
_BUT_ONE = sum(at(point, 0x7E) for point in range(1, BAR))
"""Added to a side, sets the top of every point with two."""
_UP_TO = [sum(at(point, 0x80) for point in range(1, last + 1)) for last in range(HOME + 1)]
