"""``verify_log`` on one core, against ``hmac.digest`` called alone on the same messages."""

import hmac
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from multiprocessing import get_context
from typing import Final, NamedTuple

from tests.bench.harness import Figure, Pair, Plan, paired
from tests.support.bots import play_out
from tests.support.scribe import PLAYER_SEEDS, SERVER_SEED, honest
from verifier import Verdict, verify_log
from verifier.rules import direct
from verifier.rules.rulesets import RULE_SETS

MATCH_ID: Final = "test-match-1"
LENGTH: Final = 7  # points of a refereed match, 5 under the rule sets that have no longer one


class Written(NamedTuple):
    """A log and its number of rolls."""

    data: bytes
    rolls: int


def formatted(index: int) -> bytes:
    """A roll's message, made as PROTOCOL.md D2 says."""
    seed_0, seed_1 = (seed.hex() for seed in PLAYER_SEEDS)
    return f"zarf/1:roll:{MATCH_ID}:{seed_0}:{seed_1}:{index}:0".encode("ascii")


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _verify(logs: list[Written]) -> None:
    for log in logs:
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
    rolls = plan.sized(20_000, 2_000)
    log = Written(honest(rolls).data, rolls)
    messages = [formatted(index) for index in range(rolls)]
    baseline = partial(_format_and_digest, rolls) if formatting else partial(_digest, messages)
    yield Pair(
        lambda: rolls / _seconds(partial(_verify, [log])), lambda: rolls / _seconds(baseline)
    )


def refereed(seed: int) -> Written:
    """A long refereed match between two bots, under one rule set after the other."""
    rules = list(RULE_SETS.values())[seed % len(RULE_SETS)]
    length = max(rules.lengths or (LENGTH,))
    scribe = play_out(rules.name, length, seed=seed, match_id=MATCH_ID)
    return Written(scribe.data, scribe.rolled)


@contextmanager
def _with_plays(plan: Plan, *, again: bool) -> Iterator[Pair]:
    """Each round verifies matches of its own; with ``again`` for the second time.

    Another process writes them: what the rules keep in memory of a play is earned by verifying.
    """
    each = plan.sized(5, 1)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        logs = list(pool.map(refereed, range(each * plan.rounds)))
    direct._plans.cache_clear()
    turn = count()

    def ours() -> float:
        start = each * next(turn)
        part = logs[start : start + each]
        if again:
            _verify(part)
        return sum(log.rolls for log in part) / _seconds(partial(_verify, part))

    rolls = sum(log.rolls for log in logs)
    messages = [formatted(index) for index in range(rolls)]
    yield Pair(ours, lambda: rolls / _seconds(partial(_digest, messages)))


def _plays_figure(name: str, what: str, *, again: bool) -> Figure:
    return Figure(
        name=name,
        what=f"verify_log on refereed matches to 5 or 7 points, rolls a second, {what}",
        baseline="hmac.digest alone on as many such messages, made beforehand",
        goal=0.65,
        direction="at_least",
        measure=paired(partial(_with_plays, again=again)),
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
    _plays_figure("verify-plays", "plays met before", again=True),
    _plays_figure("verify-plays-new", "plays mostly new", again=False),
)
