"""Two implementations of one text, the Python and the page's, say the same of any log."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.page.mutate import Given, fuzzed
from tests.page.node import node
from verifier import InputError, read_receipts, verify_log
from verifier.rules.rulesets import RULE_SETS

HERE = Path(__file__).parent


def _python(given: Given) -> dict[str, Any]:
    try:
        receipts = [read_receipts(each) for each in given.receipts]
        report = verify_log(given.log, receipts, my_seed=given.my_seed)
    except InputError:
        return {"verdict": None, "why": "", "failed_rolls": [], "failures": []}
    return {
        "verdict": str(report.verdict),
        "why": report.why,
        "failed_rolls": [f.roll for f in report.failures if f.code == "dice-mismatch"],
        "failures": [[f.code, f.seq, f.field] for f in report.failures],
    }


def _page(given: list[Given]) -> list[dict[str, Any]]:
    text = "\n".join(
        json.dumps(
            {
                "log": base64.b64encode(each.log).decode(),
                "receipts": [base64.b64encode(r).decode() for r in each.receipts],
                "my_seed": each.my_seed,
            }
        )
        for each in given
    )
    said = node(str(HERE / "judge.mjs"), given=text)
    return [json.loads(line) for line in said.splitlines()]


def _first(said: dict[str, Any]) -> dict[str, Any]:
    """What must agree: all but the failures after the first, which the text leaves freer."""
    return {
        "verdict": said["verdict"],
        "why": said["why"],
        "failed_rolls": said["failed_rolls"],
        "first": said["failures"][:1],
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_say_the_same_of_a_changed_log(seed: int) -> None:
    given = list(fuzzed(750, seed))
    said = _page(given)
    assert len(said) == len(given)
    differ = [
        f"{each.name}\n  Python {python}\n  page   {page}"
        for each, python, page in zip(given, map(_python, given), said, strict=True)
        if _first(python) != _first(page)
    ]
    assert not differ, f"{len(differ)} of {len(given)} differ, the first:\n" + "\n".join(differ[:5])


def test_the_rule_sets_are_the_same_table() -> None:
    rules = HERE.parents[1] / "verifier/page/src/rules/rulesets.js"
    show = "({ RULE_SETS }) => console.log(JSON.stringify([...RULE_SETS]))"
    script = f"import({json.dumps(rules.as_uri())}).then({show})"
    mine = dict(json.loads(node("-e", script)))
    assert mine.keys() == RULE_SETS.keys()
    for name, rule_set in RULE_SETS.items():
        fields = {key: getattr(rule_set, key) for key in mine[name]}
        assert mine[name] == json.loads(json.dumps(fields))


def test_the_node_tests_pass() -> None:
    folder = HERE.parent / "unit/page"
    tests = sorted(map(str, folder.glob("*.test.mjs")))
    assert len(tests) >= 5
    node("--test", *tests)
