"""The rules of moving, written down as plainly as can be: every order of every die, on lists.

Slow, and independent of `verifier.rules`: a witness for the options that no engine plays.
"""

from itertools import permutations

Counts = tuple[int, ...]  # 25, the last the bar
Result = tuple[Counts, Counts]


def legal_results(
    me: Counts, opp: Counts, roll: tuple[int, int], *, loose: bool, no_run: bool
) -> set[Result]:
    """The positions after every legal play; empty when nothing can be played."""
    double = roll[0] == roll[1]
    orders: list[tuple[int, ...]] = [(roll[0],) * 4] if double else [*permutations(roll)]
    by_length: dict[int, set[Result]] = {}
    larger: set[Result] = set()
    for order in orders:
        for used, result in _all(me, opp, order, frozenset(), loose=loose, no_run=no_run):
            by_length.setdefault(used, set()).add(result)
            if used == 1 and order[0] == max(roll):
                larger.add(result)
    longest = max(by_length)
    if longest == 0:
        return set()
    if longest == 1 and larger:
        return larger
    return by_length[longest]


def _all(
    me: Counts,
    opp: Counts,
    dice: tuple[int, ...],
    stuck: frozenset[int],
    *,
    loose: bool,
    no_run: bool,
) -> set[tuple[int, Result]]:
    found: set[tuple[int, Result]] = {(0, (me, opp))}
    if not dice:
        return found
    for point in range(1, 26):
        free = me[point - 1] - (1 if point in stuck else 0)
        if free < 1 or (me[24] and point != 25):
            continue
        to = point - dice[0]
        mine, theirs, stay = list(me), list(opp), stuck
        mine[point - 1] -= 1
        if to >= 1:
            if opp[24 - to] >= 2:
                continue
            if opp[24 - to] == 1:
                theirs[24 - to] = 0
                theirs[24] += 1
                stay = stuck | {to} if no_run and to <= 6 else stuck
            mine[to - 1] += 1
        elif any(me[6:]) or (to < 0 and not loose and any(me[point:])):
            continue
        for used, result in _all(
            tuple(mine), tuple(theirs), dice[1:], stay, loose=loose, no_run=no_run
        ):
            found.add((used + 1, result))
    return found
