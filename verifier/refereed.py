"""The lines of a refereed match held to the rules (PROTOCOL.md O8, rules/README.md)."""

from collections.abc import Callable
from typing import Any

from verifier import events as log
from verifier.errors import Failure
from verifier.rules import events as rules
from verifier.rules.game import Game
from verifier.rules.match import MatchState
from verifier.rules.messages import RuleError
from verifier.rules.rulesets import resolve

# The same happenings as lines of a log and as the rules see them: a test holds the fields together.
TO_RULES: dict[type[log.Event], Callable[[Any], rules.Event]] = {
    log.Roll: lambda line: rules.Roll(line.purpose, line.player, line.dice),
    log.Play: lambda line: rules.Play(line.player, line.moves, line.auto),
    log.PassUnrolled: lambda line: rules.PassUnrolled(line.player),
    log.Double: lambda line: rules.Double(line.player),
    log.Take: lambda line: rules.Take(line.player),
    log.Drop: lambda line: rules.Drop(line.player),
    log.ResignOffer: lambda line: rules.ResignOffer(line.player, line.value),
    log.ResignAccept: lambda line: rules.ResignAccept(line.player),
    log.ResignRefuse: lambda line: rules.ResignRefuse(line.player),
    log.GameEnd: lambda line: rules.GameEnd(line.winner, line.points, line.kind, line.score),
    log.MatchEnd: lambda line: rules.MatchEnd(line.winner, line.reason, line.score),
}

_CODES: dict[type[log.Event], str] = {
    log.Roll: "roll-not-due",
    log.Play: "play-illegal",
    log.GameEnd: "result-wrong",
    log.MatchEnd: "result-wrong",
}


class Referee:
    """Follows a refereed match line by line, up to the first that breaks a rule.

    ``state`` is the match so far, ``plays`` how many ``play`` lines were taken.
    """

    def __init__(self, match: log.Match) -> None:
        """A referee for this match; raises :class:`RuleError` if its rule set is none of ours."""
        assert match.rules is not None
        rule_set = resolve(match.rules, match.length, match.options)
        self.state = MatchState.start(rule_set, match.length)
        self.plays = 0

    def take(self, event: log.Event, seq: int) -> Failure | None:
        """Take the line ``seq``: None if the rules allow it here, else which they break."""
        is_play = isinstance(event, log.Play)
        self.plays += is_play
        try:
            self.state = self.state.apply(TO_RULES[type(event)](event))
        except RuleError as error:
            code = _CODES.get(type(event), "action-not-due")
            params: dict[str, str | int] = {"play": self.plays} if is_play else {}
            roll = event.index if isinstance(event, log.Roll) else None
            return Failure(code, seq, roll=roll, params=params, rule=error)
        return None

    def go_on(self, game: Game) -> None:
        """Take the match to ``game``, to which rolls and plays have led from the state's own."""
        if game is not self.state.game:
            self.state = self.state.playing(game)


def refuse_rules(match: log.Match) -> Failure | None:
    """Why a match's rule set is none that can be played; None if it is one (O7)."""
    if match.rules is None:
        return None
    try:
        resolve(match.rules, match.length, match.options)
    except RuleError as error:
        unknown = error.code == "rules_unknown"
        code, field = ("rules-unknown", "rules") if unknown else ("rules-inconsistent", "options")
        return Failure(code, 0, field, found=match.rules, rule=error)
    return None
