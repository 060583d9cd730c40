"""The lines of a log and the events of the rules tell the same happenings with the same fields."""

import dataclasses
from typing import get_args

import pytest

from verifier import events as log
from verifier.refereed import TO_RULES
from verifier.rules import events as rules

HEAD = {"prev": "a" * 64, "time": "2026-11-30T18:00:00.000Z"}
BESIDES = {*HEAD, "index", "links"}  # what the rules have no use for
VALUES = {
    "index": 7,
    "purpose": "turn",
    "player": 1,
    "dice": (3, 5),
    "moves": "13/8",
    "auto": True,
    "value": 2,
    "winner": 1,
    "points": 4,
    "kind": "gammon",
    "score": (0, 4),
    "reason": "score",
}


def test_every_event_of_the_rules_has_its_line() -> None:
    told = {kind.type for kind in get_args(rules.Event)}
    assert {log.type_name(kind) for kind in TO_RULES} == told


@pytest.mark.parametrize("kind", TO_RULES, ids=log.type_name)
def test_a_line_becomes_the_event_with_the_same_fields(kind: type[log.Event]) -> None:
    names = [name for name in log.field_names(kind)[1:] if name not in HEAD and name != "links"]
    given = {name: VALUES[name] for name in names}
    event = TO_RULES[kind](kind(**HEAD, **given))
    assert event.type == log.type_name(kind)
    assert dataclasses.asdict(event) == {n: v for n, v in given.items() if n not in BESIDES}
