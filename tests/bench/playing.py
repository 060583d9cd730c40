"""A play judged directly, against all legal plays found, on the same positions (CPU time)."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from tests.bench.harness import Figure, Pair, Plan, paired
from tests.unit.rules.positions import Roll, random_positions
from verifier.rules import direct
from verifier.rules.board import Side
from verifier.rules.moves import legal_plays


class Played(NamedTuple):
    """A position, a legal play on it (canonical text) and where it leads."""

    me: Side
    opp: Side
    roll: Roll
    moves: str
    after: tuple[Side, Side]


def played(seed: int, number: int) -> list[Played]:
    """A random legal play on each of ``number`` positions from random games."""
    chance = random.Random(seed)
    found = []
    for me, opp, roll in random_positions(seed, number):
        plays = legal_plays(me, opp, roll)
        after, steps = chance.choice(list(plays.items())) if plays else ((me, opp), ())
        found.append(Played(me, opp, roll, direct.text_of(opp, steps), after))
    return found


@contextmanager
def _direct(plan: Plan, *, read: bool) -> Iterator[Pair]:
    """Each round has positions of its own; with ``read`` their texts have been met before."""
    number = plan.sized(2_000, 200)
    rounds = [played(seed, number) for seed in range(plan.rounds)]
    direct._plans.cache_clear()
    direct_turn, full_turn = count(), count()

    def checked() -> float:
        turn = rounds[next(direct_turn)]
        if read:
            _check(turn)
        return number / _check(turn)

    def enumerated() -> float:
        turn = rounds[next(full_turn) // 2]  # it runs twice in a round
        begin = time.process_time()
        for me, opp, roll, _, _ in turn:
            legal_plays(me, opp, roll)
        return number / (time.process_time() - begin)

    yield Pair(checked, enumerated)


def _check(plays: list[Played]) -> float:
    """Check them all; the seconds it took."""
    begin = time.process_time()
    results = [direct.check(me, opp, roll, moves) for me, opp, roll, moves, _ in plays]
    seconds = time.process_time() - begin
    assert results == [play.after for play in plays]
    return seconds


def _figure(name: str, what: str, *, read: bool) -> Figure:
    return Figure(
        name=name,
        what=what,
        baseline="moves.legal_plays on the same positions",
        goal=20,
        direction="at_least",
        measure=paired(partial(_direct, read=read)),
    )


FIGURES: Final = (
    _figure("play-direct", "direct.check, positions a second, texts met before", read=True),
    _figure("play-direct-new", "the same, reading texts that are mostly new", read=False),
)
