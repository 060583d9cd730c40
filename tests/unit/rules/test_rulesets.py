import re
from pathlib import Path

import pytest

from verifier.rules.matrix import matrix, matrix_markdown
from verifier.rules.messages import RuleError
from verifier.rules.rulesets import RULE_SETS, points_to_win, resolve
from verifier.rules.sources import SILENT, SOURCES

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"

# rules-matrix.md, read from the pages by hand: kafadinle, oyna-tavla, oyna-backgammon, tavlino,
# jacoby-match
MATRIX = {
    "lengths": [(1, 3, 5, 7), (1, 2, 3, 5), (1, 2, 3, 5), (1, 3, 5, 7), None],
    "opening_every_game": [False, True, True, True, True],
    "starter_rerolls": [True, True, False, False, False],
    "closed_out_rolls": [False, False, True, True, True],
    "loose_bearing_off": [True, False, False, False, False],
    "no_hit_and_run_at_home": [False] * 5,
    "gammon": [2] * 5,
    "backgammon": [2, 2, 3, 3, 3],
    "cube": [False, False, True, True, True],
    "cube_from_length": [1, 1, 1, 3, 1],
    "cube_limit": [64] * 5,
    "crawford": [False, False, True, True, True],
    "jacoby": [False, False, False, False, True],
    "best_of_games": [None] * 5,
}
NAMES = ["kafadinle", "oyna-tavla", "oyna-backgammon", "tavlino", "jacoby-match"]


@pytest.mark.parametrize("option", MATRIX)
def test_the_rule_sets_are_those_of_the_pages(option: str) -> None:
    assert list(RULE_SETS) == NAMES
    assert [getattr(rules, option) for rules in RULE_SETS.values()] == MATRIX[option]


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the rule pages (../shared/seeds) are not here")
@pytest.mark.parametrize("option", SOURCES)
def test_every_sentence_stands_in_its_page(option: str) -> None:
    for source in SOURCES[option]:
        if source.page is None:
            assert source is SILENT
            continue
        (page,) = SEEDS.glob(f"{source.page}_*.txt")
        assert source.sentence in re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))


def test_every_sentence_is_of_its_rule_sets_own_page() -> None:
    pages = ["000", "001", "001", "003", "004"]
    for sources in SOURCES.values():
        for page, source in zip(pages, sources, strict=True):
            assert source.page in (page, None)


def test_the_table_shows_every_rule_of_every_rule_set() -> None:
    table = matrix_markdown().splitlines()
    assert len(table) == 2 + len(matrix()) == 2 + len(SOURCES)
    assert "| gammon (mars): nothing borne off | 2 [000] | 2 [001] | 2 × cube [001] |" in table[13]
    assert (
        "| cube | no [000] | no [001] | yes [001] | from 3 points on [003] | yes [004] |" in table
    )


def refused(name: str, length: int | None, options: dict[str, bool | int]) -> str:
    with pytest.raises(RuleError) as refusal:
        resolve(name, length, options)
    assert refusal.value.text("tr")
    return refusal.value.code


def test_a_match_may_switch_off_what_its_rule_set_has() -> None:
    """R32"""
    assert resolve("tavlino", 5, {"cube": False}).cube is False
    assert resolve("tavlino", 5, {"crawford": False}).crawford is False
    assert resolve("jacoby-match", 9, {"jacoby": False}).jacoby is False
    assert resolve("kafadinle", 5, {"no_hit_and_run_at_home": True}).style == (True, True)


def test_without_a_cube_there_is_no_crawford_and_no_jacoby() -> None:
    """R33"""
    rules = resolve("jacoby-match", 5, {"cube": False})
    assert (rules.cube, rules.crawford, rules.jacoby) == (False, False, False)
    rules = resolve("tavlino", 1, {})
    assert (rules.cube, rules.crawford) == (False, False)
    rules = resolve("oyna-backgammon", 1, {})
    assert (rules.cube, rules.crawford) == (True, False)


@pytest.mark.parametrize(
    ("name", "length", "options", "code"),
    [
        ("tavla", 5, {}, "rules_unknown"),
        ("kafadinle", 2, {}, "rules_length"),
        ("oyna-tavla", 7, {}, "rules_length"),
        ("tavlino", 0, {}, "rules_length"),
        ("jacoby-match", 0, {}, "rules_length"),
        ("jacoby-match", 1000, {}, "rules_length"),
        ("jacoby-match", True, {}, "rules_length"),
        ("tavlino", None, {}, "rules_length_missing"),
        ("tavlino", 5, {"loose_bearing_off": True}, "option_unknown"),
        ("tavlino", 5, {"beavers": True}, "option_unknown"),
        ("tavlino", 5, {"style": 1}, "option_unknown"),
        ("tavlino", 5, {"cube": True}, "option_same"),
        ("tavlino", 1, {"cube": False}, "option_same"),
        ("tavlino", 1, {"crawford": False}, "option_same"),
        ("kafadinle", 5, {"cube": False}, "option_same"),
        ("kafadinle", 5, {"cube": True}, "option_value"),
        ("kafadinle", 5, {"no_hit_and_run_at_home": 1}, "option_value"),
        ("tavlino", 5, {"jacoby": True}, "option_value"),
        ("tavlino", 5, {"cube": 0}, "option_value"),
        ("oyna-tavla", None, {"best_of_games": 4}, "option_value"),
        ("oyna-tavla", None, {"best_of_games": 1}, "option_value"),
        ("oyna-tavla", None, {"best_of_games": True}, "option_value"),
        ("tavlino", 5, {"cube": False, "crawford": False}, "options_inconsistent"),
        ("jacoby-match", 5, {"cube": False, "jacoby": False}, "options_inconsistent"),
        ("oyna-tavla", 5, {"best_of_games": 5}, "options_inconsistent"),
        ("tavlino", None, {"best_of_games": 5}, "options_inconsistent"),
        ("oyna-tavla", 5, {"gammon": 1}, "options_inconsistent"),
    ],
)
def test_an_unknown_or_inconsistent_choice_is_refused_by_name(
    name: str, length: int | None, options: dict[str, bool | int], code: str
) -> None:
    """R32, R33"""
    assert refused(name, length, options) == code


def test_five_games_are_won_by_three() -> None:
    """R3; page 001: gammon counts as the table agrees."""
    rules = resolve("oyna-tavla", None, {"best_of_games": 5})
    assert (points_to_win(rules, None), rules.gammon) == (3, 2)
    rules = resolve("oyna-backgammon", None, {"best_of_games": 5, "gammon": 1, "cube": False})
    assert (points_to_win(rules, None), rules.gammon, rules.backgammon) == (3, 1, 1)
