"""Positions with rolls, reached by playing random games."""

import random
from collections.abc import Iterator

from verifier.rules.board import START, Side
from verifier.rules.moves import STANDARD, Style, legal_plays

Roll = tuple[int, int]
STYLES = [Style(loose, no_run) for loose in (False, True) for no_run in (False, True)]


def random_positions(
    seed: int, count: int, style: Style = STANDARD
) -> Iterator[tuple[Side, Side, Roll]]:
    """`count` positions ``(me, opp, roll)`` of the player on roll."""
    rng = random.Random(seed)
    me = opp = 0
    for _ in range(count):
        if not me or not opp:
            me, opp = START, START
        roll = rng.randint(1, 6), rng.randint(1, 6)
        yield me, opp, roll
        plays = list(legal_plays(me, opp, roll, style))
        me, opp = rng.choice(plays) if plays else (me, opp)
        me, opp = opp, me
