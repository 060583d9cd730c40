"""Every legal play of a roll, found by search: the slow, obvious judge.

A *step* ``(point, die)`` moves one checker from its point (25: the bar) by one die, to
``point - die``, or off the board where that is 0 or less. A *play* is all the steps made with one
roll, always taken from the highest point down. Nothing is lost by that order: a checker that moves
lower down never opens or closes a point for one higher up, and bearing off only gets harder when a
higher checker waits. So each play is met once instead of once for every order of its steps.

The rules (pages 000, 001 and 003; `README.md`, R10 to R12): checkers on the bar enter first; no
landing on a point with two opposing checkers; bearing off only with every checker home, by the
exact die, or by a larger die where no checker stands higher (under `Style.loose_bearing_off` even
where one does); as many dice as can be played must be, and of two dice of which only one can be,
the larger.
"""

from typing import NamedTuple

from .board import BAR, HOME, Side, at

Step = tuple[int, int]
Steps = tuple[Step, ...]
Plays = dict[tuple[Side, Side], Steps]


class Style(NamedTuple):
    """What the rule pages differ in about moving checkers."""

    loose_bearing_off: bool = False
    no_hit_and_run_at_home: bool = False


STANDARD = Style()


def dice_of(roll: tuple[int, int]) -> tuple[int, ...]:
    """The dice to be played with a roll, larger first: two, or four of a double."""
    first, second = roll
    if first == second:
        return (first,) * 4
    return (first, second) if first > second else (second, first)


def legal_plays(me: Side, opp: Side, roll: tuple[int, int], style: Style = STANDARD) -> Plays:
    """Every position that a legal play leads to, ``(me, opp)``, each with the steps of one play.

    All of them use equally many dice; their steps are in the order of `notation.ordered`. Empty
    when no checker can be moved: then the turn passes.
    """
    first, second = roll
    if me >= _ON_BAR and opp >> 8 * (first - 1) & 0xFF > 1 < opp >> 8 * (second - 1) & 0xFF:
        return {}  # no way in: the common case of no play, without a search
    dice = dice_of(roll)
    used, plays = _Search(me, opp, style).longest(dice)
    if len(dice) == 2:
        used_then, others = _Search(me, opp, style).longest(dice[::-1])
        if used_then > used:
            return others
        if used_then == used == 2:
            return others | plays
    return plays


def single_moves(me: Side, opp: Side, die: int, style: Style = STANDARD) -> Plays:
    """Every move of one checker by one die, as `legal_plays` gives plays.

    Whether such a move may be made first is for the whole roll to say.
    """
    return _Search(me, opp, style).longest((die,))[1]


class _Search:
    """The plays from one position that take the dice in a given order, depth first."""

    def __init__(self, me: Side, opp: Side, style: Style) -> None:
        self.me = me
        self.opp = opp
        self.style = style
        self.mine = [0, *me.to_bytes(BAR, "little")]
        self.theirs = [0, *opp.to_bytes(BAR, "little")[BAR - 2 :: -1]]  # by my own points
        self.stuck = [0] * (BAR + 1)  # checkers that hit at home and may not run on

    def longest(self, dice: tuple[int, ...]) -> tuple[int, Plays]:
        """The most dice that can be played, and the plays that do."""
        self.dice = dice
        self.found: list[Plays] = [{} for _ in dice]
        if self.me:
            self._walk(0, BAR, self._highest(BAR), (self.me, self.opp), ())
        for used in range(len(dice), 0, -1):
            if self.found[used - 1]:
                return used, self.found[used - 1]
        return 0, {}

    def _highest(self, point: int) -> int:
        while not self.mine[point]:
            point -= 1
        return point

    def _walk(
        self, used: int, top: int, highest: int, sides: tuple[Side, Side], steps: Steps
    ) -> None:
        """Play die number `used` from `top` or below; `highest` is where my last checker stands."""
        mine, theirs, stuck = self.mine, self.theirs, self.stuck
        me, opp = sides
        die = self.dice[used]
        found = self.found[used]
        for point in range(min(top, highest), BAR - 1 if highest == BAR else 0, -1):
            if mine[point] <= stuck[point]:
                continue
            to = point - die
            if to > 0:
                if theirs[to] > 1:
                    continue
                moved = me + _MOVE[point][die]
                hit = theirs[to] == 1
            else:
                if highest > HOME or (
                    to < 0 and highest > point and not self.style.loose_bearing_off
                ):
                    return  # and no lower checker may be borne off either
                moved = me - _AT[point]
                hit = False
                to = 0
            after = moved, opp + _HIT[to] if hit else opp
            play = (*steps, (point, die))
            found.setdefault(after, play)
            if used + 1 == len(self.dice) or not moved:
                continue
            mine[point] -= 1
            mine[to] += 1
            if hit:
                theirs[to] = 0
                stuck[to] = int(self.style.no_hit_and_run_at_home and to <= HOME)
            self._walk(used + 1, point, self._highest(highest), after, play)
            mine[point] += 1
            mine[to] -= 1
            if hit:
                theirs[to] = 1
                stuck[to] = 0


_ON_BAR = at(BAR)
_AT = [0, *(at(point) for point in range(1, BAR + 1))]
_MOVE = [[_AT[max(point - die, 0)] - _AT[point] for die in range(7)] for point in range(BAR + 1)]
_HIT = [0, *(at(BAR) - at(BAR - point) for point in range(1, BAR))]
