"""The five rule sets, and what a match may change of them.

A rule set is a value of named options. `sources` says which sentence of which rule page each of
them comes from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .messages import RuleError
from .moves import Style

MAX_LENGTH: Final = 999
MAX_BEST_OF: Final = 99


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a match.

    ``lengths``: the match lengths in points it is played to, None for any.
    ``opening_every_game``: an opening roll in every game; else in the first only, and the winner of
    a game starts the next. ``starter_rerolls``: the starter rolls anew; else it plays the opening
    dice. ``closed_out_rolls``: a player who cannot enter with any dice rolls all the same.
    ``loose_bearing_off``: a die larger than a checker's point takes it off although another stands
    higher. ``no_hit_and_run_at_home``: a checker that hits in its own home board stays there for
    the rest of the turn. ``gammon``, ``backgammon``: how many times the cube they win.
    ``cube``: played with it, in matches of ``cube_from_length`` points and longer, up to
    ``cube_limit``. ``crawford``: no cube in the game after a player first is one point from
    winning. ``jacoby``: gammon and backgammon count only after a double was taken.
    ``best_of_games``: the match is won with more than half of so many games, not to a length.
    """

    name: str
    lengths: tuple[int, ...] | None
    opening_every_game: bool = True
    starter_rerolls: bool = False
    closed_out_rolls: bool = True
    loose_bearing_off: bool = False
    no_hit_and_run_at_home: bool = False
    gammon: int = 2
    backgammon: int = 3
    cube: bool = True
    cube_from_length: int = 1
    cube_limit: int = 64
    crawford: bool = True
    jacoby: bool = False
    best_of_games: int | None = None
    style: Style = field(init=False, repr=False)

    def __post_init__(self) -> None:
        style = Style(self.loose_bearing_off, self.no_hit_and_run_at_home)
        object.__setattr__(self, "style", style)


KAFADINLE: Final = RuleSet(
    "kafadinle",
    lengths=(1, 3, 5, 7),
    opening_every_game=False,
    starter_rerolls=True,
    closed_out_rolls=False,
    loose_bearing_off=True,
    backgammon=2,
    cube=False,
    crawford=False,
)
OYNA_TAVLA: Final = RuleSet(
    "oyna-tavla",
    lengths=(1, 2, 3, 5),
    starter_rerolls=True,
    closed_out_rolls=False,
    backgammon=2,
    cube=False,
    crawford=False,
)
OYNA_BACKGAMMON: Final = RuleSet("oyna-backgammon", lengths=(1, 2, 3, 5))
TAVLINO: Final = RuleSet("tavlino", lengths=(1, 3, 5, 7), cube_from_length=3)
JACOBY_MATCH: Final = RuleSet("jacoby-match", lengths=None, jacoby=True)

RULE_SETS: Final[Mapping[str, RuleSet]] = {
    rules.name: rules for rules in (KAFADINLE, OYNA_TAVLA, OYNA_BACKGAMMON, TAVLINO, JACOBY_MATCH)
}

OVERRIDES: Final[Mapping[str, bool | int | None]] = {
    "best_of_games": None,
    "crawford": False,
    "cube": False,
    "gammon": 1,
    "jacoby": False,
    "no_hit_and_run_at_home": True,
}
"""The options a match may change, and to what; None: an odd number of games, from 3 to 99."""


def resolve(name: str, length: int | None, options: Mapping[str, bool | int]) -> RuleSet:
    """The rules of a match of `length` points under rule set `name`, with `options` changed.

    Without a cube there is no Crawford game and no Jacoby rule, and a one-point match has no
    Crawford game; these are then off without being named. `length` is None when the option
    ``best_of_games`` decides the match. Raises `RuleError`: ``rules_unknown``, ``rules_length``,
    ``option_unknown``, ``option_same`` (an option must differ from the rule set),
    ``option_value``, ``options_inconsistent``.
    """
    base = RULE_SETS.get(name)
    if base is None:
        raise RuleError("rules_unknown", rules=name, known=", ".join(RULE_SETS))
    if length is None:
        if "best_of_games" not in options:
            raise RuleError("rules_length_missing", rules=name)
    elif "best_of_games" in options:
        raise RuleError("options_inconsistent", first="best_of_games", second="length")
    else:
        _check_length(base, length)
        base = _without_idle_options(
            replace(
                base,
                cube=base.cube and length >= base.cube_from_length,
                crawford=base.crawford and length > 1,
            )
        )
    for option, value in options.items():
        _check_option(base, option, value)
    changes: dict[str, Any] = dict(options)
    rules = replace(base, **changes)
    if "gammon" in options:
        rules = replace(rules, backgammon=rules.gammon)
    _check_together(rules, options)
    return _without_idle_options(rules)


def points_to_win(rules: RuleSet, length: int | None) -> int:
    """The score with which a match is won."""
    if rules.best_of_games is not None:
        return rules.best_of_games // 2 + 1
    assert length is not None  # `resolve` refuses anything else
    return length


def _check_length(base: RuleSet, length: int) -> None:
    if type(length) is not int or not 1 <= length <= MAX_LENGTH:
        raise RuleError("rules_length", rules=base.name, length=str(length), known="1-999")
    if base.lengths is not None and length not in base.lengths:
        known = ", ".join(map(str, base.lengths))
        raise RuleError("rules_length", rules=base.name, length=str(length), known=known)


def _check_option(base: RuleSet, option: str, value: bool | int) -> None:
    if option not in OVERRIDES:
        raise RuleError("option_unknown", option=option, known=", ".join(OVERRIDES))
    own = getattr(base, option)
    if type(value) is type(own) and value == own:
        raise RuleError("option_same", option=option, rules=base.name)
    allowed = OVERRIDES[option]
    if allowed is None:
        good = type(value) is int and 3 <= value <= MAX_BEST_OF and value % 2 == 1
    else:
        good = type(value) is type(allowed) and value == allowed
    if not good:
        raise RuleError("option_value", option=option, rules=base.name, value=str(value).lower())


def _check_together(rules: RuleSet, options: Mapping[str, bool | int]) -> None:
    if rules.best_of_games is not None and rules.cube:
        raise RuleError("options_inconsistent", first="best_of_games", second="cube")
    if rules.best_of_games is None and "gammon" in options:
        raise RuleError("options_inconsistent", first="gammon", second="length")
    if not rules.cube:
        for option in ("crawford", "jacoby"):
            if option in options:
                raise RuleError("options_inconsistent", first=option, second="cube")


def _without_idle_options(rules: RuleSet) -> RuleSet:
    if rules.cube:
        return rules
    return replace(rules, crawford=False, jacoby=False)
