"""``verify_log`` on one core, against ``hmac.digest`` called alone on the same messages.

One core's work is measured as CPU time, so that what else the machine does matters less.
"""

import hmac
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from multiprocessing import get_context
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from tests.bench.harness import Figure, Pair, Plan, paired
from tests.support.bots import play_out
from tests.support.scribe import PLAYER_SEEDS, SERVER_SEED, honest
from verifier import Verdict, verify_log
from verifier.rewrite import hashes
from verifier.rules import direct
from verifier.rules.rulesets import RULE_SETS

MATCH_ID: Final = "test-match-1"
ROLLS: Final = 20_000  # of a dice-only log
_ENDS: Final = [b"%d:0" % index for index in range(ROLLS)]
GAMES: Final = 31  # in a refereed match, so that what is done once a match weighs little


class Written(NamedTuple):
    """A log and its number of rolls."""

    data: bytes
    rolls: int


def formatted(index: int) -> bytes:
    """A roll's message, made as PROTOCOL.md D2 says."""
    seed_0, seed_1 = (seed.hex() for seed in PLAYER_SEEDS)
    return f"zarf/1:roll:{MATCH_ID}:{seed_0}:{seed_1}:{index}:0".encode("ascii")


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _verify(log: Written) -> None:
    report = verify_log(log.data)
    assert report.verdict is Verdict.CONSISTENT, report
    assert report.rolls == log.rolls


def _digest(messages: list[bytes]) -> None:
    for message in messages:
        hmac.digest(SERVER_SEED, message, "sha256")


def _format_and_digest(rolls: int) -> None:
    seed_0, seed_1 = (seed.hex() for seed in PLAYER_SEEDS)
    for index in range(rolls):
        message = f"zarf/1:roll:{MATCH_ID}:{seed_0}:{seed_1}:{index}:0".encode("ascii")
        hmac.digest(SERVER_SEED, message, "sha256")


@contextmanager
def _dice_only(plan: Plan, *, formatting: bool) -> Iterator[Pair]:
    rolls = plan.sized(ROLLS, 2_000)
    log = Written(honest(rolls).data, rolls)
    messages = [formatted(index) for index in range(rolls)]
    baseline = partial(_format_and_digest, rolls) if formatting else partial(_digest, messages)
    yield Pair(lambda: rolls / _seconds(partial(_verify, log)), lambda: rolls / _seconds(baseline))


def _ceiling(lines: list[bytes], rolls: int) -> None:
    """What verifying such a log cannot do without: each line's hash, each roll's HMAC."""
    hashes(lines)
    roller = HMAC(SERVER_SEED, SHA256())
    roller.update(formatted(0)[: -len("0:0")])
    copy = roller.copy
    for end in _ENDS[:rolls]:
        state = copy()
        state.update(end)
        state.finalize()


@contextmanager
def _at_most(_: Plan, *, plays: bool) -> Iterator[Pair]:
    """The least work alone, on lines that are cut and indices that are written beforehand."""
    log = refereed(0) if plays else Written(honest(ROLLS).data, ROLLS)
    lines = log.data.splitlines()
    messages = [formatted(index) for index in range(log.rolls)]
    yield Pair(
        lambda: log.rolls / _seconds(partial(_ceiling, lines, log.rolls)),
        lambda: log.rolls / _seconds(partial(_digest, messages)),
    )


def refereed(seed: int) -> Written:
    """A match of many games between two bots, under one rule set after the other."""
    rules = list(RULE_SETS.values())[seed % len(RULE_SETS)]
    options: dict[str, bool | int] = {"best_of_games": GAMES}
    if rules.cube:
        options["cube"] = False  # it has no use without a score
    scribe = play_out(rules.name, None, seed=seed, options=options, match_id=MATCH_ID)
    return Written(scribe.data, scribe.rolled)


@contextmanager
def _with_plays(plan: Plan, *, again: bool) -> Iterator[Pair]:
    """Each round verifies matches of its own; with ``again`` for the second time.

    Another process writes them: what the rules keep in memory of a play is earned by verifying.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        logs = list(pool.map(refereed, range(plan.rounds)))
    direct._plans.cache_clear()
    turn = count()

    def ours() -> float:
        log = logs[next(turn)]
        if again:
            _verify(log)
        return log.rolls / _seconds(partial(_verify, log))

    messages = [formatted(index) for index in range(ROLLS)]
    yield Pair(ours, lambda: ROLLS / _seconds(partial(_digest, messages)))


def _plays_figure(name: str, what: str, *, again: bool) -> Figure:
    return Figure(
        name=name,
        what=f"verify_log on refereed matches of many games, rolls a second, {what}",
        baseline="hmac.digest alone on such messages, made beforehand",
        goal=0.65,
        direction="at_least",
        measure=paired(partial(_with_plays, again=again)),
    )


def _ceiling_figure(name: str, what: str, *, plays: bool) -> Figure:
    return Figure(
        name=name,
        what=f"the line hashes and HMACs of {what} alone, rolls a second",
        baseline="hmac.digest alone on such messages, made beforehand",
        goal=None,
        direction="at_least",
        measure=paired(partial(_at_most, plays=plays)),
    )


FIGURES: Final = (
    Figure(
        name="verify-dice",
        what="verify_log on a dice-only log of 20,000 rolls, rolls a second",
        baseline="hmac.digest alone on the same messages, made beforehand",
        goal=1.3,
        direction="at_least",
        measure=paired(partial(_dice_only, formatting=False)),
    ),
    Figure(
        name="verify-dice-formatted",
        what="verify_log on a dice-only log of 20,000 rolls, rolls a second",
        baseline="hmac.digest alone, each message formatted as the specification says",
        goal=1.3,
        direction="at_least",
        measure=paired(partial(_dice_only, formatting=True)),
    ),
    _ceiling_figure("verify-dice-ceiling", "a dice-only log", plays=False),
    _plays_figure("verify-plays", "plays met before", again=True),
    _plays_figure("verify-plays-new", "plays mostly new", again=False),
    _ceiling_figure("verify-plays-ceiling", "a refereed log", plays=True),
)
