"""The rule sets side by side: the table that the README shows, made from the rule sets."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from .rulesets import RULE_SETS, RuleSet
from .sources import SOURCES, Source


class Row(NamedTuple):
    """A rule as a question, and each rule set's answer with its source."""

    option: str
    question: str
    answers: Mapping[str, tuple[str, Source]]


Answer = str | Callable[[RuleSet], str]


def _choice(option: str, yes: str, no: str) -> Callable[[RuleSet], str]:
    return lambda rules: yes if getattr(rules, option) else no


def _flag(option: str) -> Callable[[RuleSet], str]:
    return _choice(option, "yes", "no")


def _lengths(rules: RuleSet) -> str:
    return "any" if rules.lengths is None else ", ".join(map(str, rules.lengths))


def _cube(rules: RuleSet) -> str:
    if not rules.cube:
        return "no"
    return "yes" if rules.cube_from_length == 1 else f"from {rules.cube_from_length} points on"


def _limit(rules: RuleSet) -> str:
    return str(rules.cube_limit) if rules.cube else "-"


def _times(option: str) -> Callable[[RuleSet], str]:
    return lambda rules: f"{getattr(rules, option)}" + (" × cube" if rules.cube else "")


_QUESTIONS: Final[Mapping[str, tuple[str, Answer]]] = {
    "lengths": ("match length in points", _lengths),
    "opening_roll": ("opening roll", "one die each, the larger starts; equal dice: again"),
    "opening_every_game": (
        "an opening roll in",
        _choice("opening_every_game", "every game", "the first game; then the winner starts"),
    ),
    "starter_rerolls": (
        "the starter plays",
        _choice("starter_rerolls", "a new roll", "the two opening dice"),
    ),
    "closed_out_rolls": ("a closed-out player rolls", _flag("closed_out_rolls")),
    "both_dice": ("both dice if possible, else the larger", "yes"),
    "doubles": ("a double is played", "four times, as often as can be"),
    "loose_bearing_off": (
        "a larger die bears off below a higher checker",
        _flag("loose_bearing_off"),
    ),
    "moving_inside": ("moving inside home instead of bearing off", "allowed"),
    "no_hit_and_run_at_home": (
        "hit and run in one's own home",
        _choice("no_hit_and_run_at_home", "no", "allowed"),
    ),
    "single": ("a won game counts", _choice("cube", "1 × cube", "1")),
    "gammon": ("gammon (mars): nothing borne off", _times("gammon")),
    "backgammon": (
        "backgammon (katmerli mars): nor off the bar and the winner's home",
        _times("backgammon"),
    ),
    "cube": ("cube", _cube),
    "cube_limit": (
        "the cube goes up to",
        _limit,
    ),
    "drop": ("a refused double loses", _choice("cube", "the value before it", "-")),
    "crawford": ("Crawford game", _flag("crawford")),
    "jacoby": ("Jacoby rule", _flag("jacoby")),
    "best_of_games": (
        "a match of so many games",
        _flag("best_of_games"),
    ),
    "match_end": ("the match ends when", "a player reaches the length, or passes it"),
    "resign": (
        "a game resigned counts",
        _choice("cube", "as the board stands, × cube", "as the board stands"),
    ),
    "resign_again": ("a refused offer to resign", "is not repeated in the same turn"),
    "resign_match": ("resigning the match", "reported by the game server"),
    "early_end": ("absence and lost connections", "reported by the game server; lose the match"),
    "auto": ("moves made for an absent player", "are marked in the log"),
}


def matrix() -> tuple[Row, ...]:
    """Every rule with each rule set's answer, and the sentence that answer comes from."""
    rows = []
    for option, (question, answer) in _QUESTIONS.items():
        answers = {
            name: (answer if isinstance(answer, str) else answer(rules), source)
            for (name, rules), source in zip(RULE_SETS.items(), SOURCES[option], strict=True)
        }
        rows.append(Row(option, question, answers))
    return tuple(rows)


def matrix_markdown() -> str:
    """The matrix as a Markdown table; the number in brackets is the page, none where silent."""
    lines = [
        "| | " + " | ".join(f"`{name}`" for name in RULE_SETS) + " |",
        "| --- |" + " --- |" * len(RULE_SETS),
    ]
    for row in matrix():
        cells = [
            text if source.page is None else f"{text} [{source.page}]"
            for text, source in row.answers.values()
        ]
        lines.append(f"| {row.question} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
