"""Two bots that play whole refereed matches: what they choose is random, what is due is not."""

import random
from collections.abc import Callable
from typing import Any

from tests.support.scribe import Scribe
from verifier import events
from verifier.rules import events as rules
from verifier.rules.match import MatchState
from verifier.rules.rulesets import resolve


def play_out(
    rule_set: str,
    length: int | None = 3,
    *,
    seed: int = 1,
    options: dict[str, bool | int] | None = None,
    cheat: Callable[[Scribe], object] = lambda _: None,
    **match: Any,
) -> Scribe:
    """A whole match as an honest service would write it; ``cheat`` may add lines before each."""
    options = options or {}
    scribe = Scribe(rules=rule_set, length=length, options=options, **match).open()
    state = MatchState.start(resolve(rule_set, length, options), length)
    chance = random.Random(seed)
    while state.stage != "over":
        cheat(scribe)
        event = state.follows()
        if event is None:
            event = _choice(state, scribe, chance)
        state = state.apply(event)
        fields = {name: getattr(event, name) for name in type(event).__slots__}
        if event.type == "roll":
            scribe.roll(**fields)
        else:
            kind = events.EVENTS[event.type]
            assert issubclass(kind, events.Linked)
            scribe.add(kind, **fields)
    return scribe.reveal().sign()


def _choice(state: MatchState, scribe: Scribe, chance: random.Random) -> rules.Event:
    due = state.due()
    if due.what == "opening_roll" or due.player is None:
        return rules.Roll("opening", None, scribe.dice(scribe.rolled))
    player, allowed = due.player, state.commands(due.player)
    answers: dict[str, list[Callable[[int], rules.Event]]] = {
        "double_answer": [rules.Take, rules.Take, rules.Drop],
        "resign_answer": [rules.ResignAccept, rules.ResignRefuse],
    }
    if due.what in answers:
        return chance.choice(answers[due.what])(player)
    if "resign_offer" in allowed and chance.random() < 0.01:
        return rules.ResignOffer(player, state.game.worth(player)[0])
    if "double" in allowed and chance.random() < 0.1:
        return rules.Double(player)
    if due.what == "roll":
        return rules.Roll("turn", player, scribe.dice(scribe.rolled))
    return rules.Play(player, chance.choice(state.legal()).moves, auto=chance.random() < 0.1)
