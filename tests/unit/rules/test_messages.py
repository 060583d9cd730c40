import ast
import string
from pathlib import Path
from typing import get_args

import pytest

from verifier import rules
from verifier.rules.game import Phase
from verifier.rules.messages import MESSAGES, RuleError

PACKAGE = Path(rules.__file__).parent


def raised() -> set[str]:
    """Every code that the package's source can raise."""
    codes: set[str] = set()
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RuleError":
                first = node.args[0]
                codes |= {
                    part.value
                    for part in ast.walk(first)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return codes


def test_every_code_that_is_raised_has_its_sentences_and_no_other_has() -> None:
    codes = raised()
    codes -= {"due_", "_differs", "over"}
    codes |= {f"due_{phase}" for phase in get_args(Phase)}
    codes |= {"game_end_differs", "match_end_differs", "play_entry_blocked", "play_point_blocked"}
    assert codes == set(MESSAGES)


@pytest.mark.parametrize("code", MESSAGES)
def test_both_languages_mention_the_same_parameters(code: str) -> None:
    message = MESSAGES[code]

    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert fields(message.tr) <= fields(message.en) | {"player"}
    assert message.en.endswith(".")
    assert message.tr.endswith(".")


def test_a_checker_on_the_bar_is_explained_in_turkish() -> None:
    assert RuleError("play_bar_first").text("tr") == "Önce kırık pulunu içeri sok."
    assert str(RuleError("cube_limit", limit=64)) == "The cube stands at 64, its limit."
