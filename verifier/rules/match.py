"""A match, as a fold over its events: games, score, Crawford game, the end.

The service asks it what is due and which lines follow of themselves; the verifier applies a log's
lines to it. The rules are those of `README.md`.
"""

from dataclasses import asdict
from typing import Literal, NamedTuple

from . import direct
from .board import Position, Side
from .events import (
    Double,
    Drop,
    Event,
    GameEnd,
    MatchEnd,
    PassUnrolled,
    Play,
    Reason,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Roll,
    Score,
    Take,
)
from .game import Game
from .messages import RuleError
from .moves import legal_plays
from .rulesets import RuleSet, points_to_win

Stage = Literal["game", "won", "forfeited", "over"]
ENDINGS: tuple[Reason, ...] = ("resign", "timeout", "disconnect", "abandon")
"""Why a match may end early with a winner."""
WITHOUT_WINNER: tuple[Reason, ...] = ("abort", "abandon")
"""Why a match may end early without one."""


class Due(NamedTuple):
    """What must come next, and from whom (None: from the service).

    ``what``: ``opening_roll``, ``roll``, ``play``, ``pass_unrolled``, ``double_answer``,
    ``resign_answer``, ``game_end``, ``match_end``, or ``nothing`` when the match is over.
    """

    what: str
    player: int | None


class LegalPlay(NamedTuple):
    """A legal play as the mover sees it: its canonical text and the position after it."""

    moves: str
    after: Position


class MatchState(NamedTuple):
    """A refereed match after some of its events.

    ``target``: the score that wins. ``game``: the game in progress, or the last one. ``number``:
    that game's number, from 1. ``crawford_over``: the Crawford game was begun. ``stage``: ``won``
    and ``forfeited`` wait for the match's last line.
    """

    rules: RuleSet
    length: int | None
    target: int
    score: Score
    game: Game
    number: int
    crawford_over: bool
    stage: Stage = "game"
    winner: int | None = None

    @classmethod
    def start(cls, rules: RuleSet, length: int | None) -> "MatchState":
        """A match at its first opening roll, under rules from `rulesets.resolve`."""
        target = points_to_win(rules, length)
        return cls(rules, length, target, (0, 0), Game(rules, crawford=False), 1, False)

    def apply(self, event: Event) -> "MatchState":
        """The match after `event`; raises `RuleError` if that may not come now."""
        match event:
            case Roll(purpose, player, dice):
                return self.roll(purpose, player, dice)
            case Play(player, moves, auto):
                return self.play(player, moves, auto)
            case ResignOffer(player, value):
                return self.playing(self._on().resign_offer(player, value))
            case GameEnd():
                return self._game_end(event)
            case MatchEnd():
                return self._match_end(event)
        game = self._on()
        step = {
            PassUnrolled: game.pass_unrolled,
            Double: game.double,
            Take: game.take,
            Drop: game.drop,
            ResignAccept: game.resign_accept,
            ResignRefuse: game.resign_refuse,
        }[type(event)]
        return self.playing(step(event.player))

    def roll(self, purpose: str, player: int | None, dice: tuple[int, int]) -> "MatchState":
        """The match after a roll: `apply` without an event, for replaying fast."""
        return self.playing(self._on().roll(purpose, player, dice))

    def play(self, player: int, moves: str, auto: bool) -> "MatchState":
        """The match after a play: `apply` without an event, for replaying fast."""
        return self.playing(self._on().play(player, moves, auto))

    def turn(self, player: int, dice: tuple[int, int], moves: str, auto: bool) -> "MatchState":
        """The match after a roll and its play: the two in one, for replaying faster still."""
        return self.playing(self._on().turn(player, dice, moves, auto))

    def playing(self, game: Game) -> "MatchState":
        """The match with its game gone on to `game`, which is not ended."""
        return MatchState(
            self.rules, self.length, self.target, self.score, game, self.number, self.crawford_over
        )

    def due(self) -> Due:
        """What must come next, and from whom."""
        if self.stage != "game":
            return Due("nothing" if self.stage == "over" else "match_end", None)
        if self.game.result is not None:
            return Due("game_end", None)
        return Due(self.game.phase, self.game.due_from())

    def follows(self) -> Event | None:
        """The event that must come next because nobody has a choice, if there is one.

        The service applies and writes these until there is none.
        """
        if self.stage == "won":
            return MatchEnd(self.winner, "score", self.score)
        if self.stage != "game":
            return None
        result = self.game.result
        if result is None:
            return self.game.follows()
        won, lost = self.score[result.winner] + result.points, self.score[1 - result.winner]
        score = (lost, won) if result.winner else (won, lost)
        return GameEnd(result.winner, result.points, result.kind, score)

    def commands(self, player: int) -> frozenset[str]:
        """The types of the events that `player` may bring about now."""
        game = self.game
        if self.stage != "game" or game.result is not None or self.follows() is not None:
            return frozenset()
        allowed: set[str] = set()
        if game.phase == "opening_roll" or (game.phase == "roll" and player == game.player):
            allowed.add("roll")
        if game.phase == "play" and player == game.player:
            allowed.add("play")
        if game.may_double(player) is None:
            allowed.add("double")
        if game.phase == "double_answer" and player == game.player:
            allowed |= {"take", "drop"}
        if game.offer is not None and player != game.offer.player:
            allowed |= {"resign_accept", "resign_refuse"}
        if game.offer is None and game.phase != "double_answer" and player not in game.refused:
            allowed.add("resign_offer")
        return frozenset(allowed)

    def legal(self) -> tuple[LegalPlay, ...]:
        """Every legal play of the roll that is to be played, in the order of their texts."""
        me, opp, roll = self._to_play()
        plays = legal_plays(me, opp, roll, self.rules.style)
        return tuple(
            sorted(
                LegalPlay(direct.text_of(opp, steps), Position(*after))
                for after, steps in plays.items()
            )
        )

    def read(self, moves: str) -> str:
        """The canonical text of a leniently written play of the roll that is to be played."""
        me, opp, roll = self._to_play()
        return direct.read(me, opp, roll, moves, self.rules.style).moves

    def ending(self, reason: Reason, winner: int | None) -> tuple[Event, ...]:
        """The events with which a match ends early: `winner` is None when nobody wins it."""
        end = MatchEnd(winner, reason, self.score)
        if winner is None:
            return (end,)
        return GameEnd(winner, 0, "forfeit", self.score), end

    def _to_play(self) -> tuple[Side, Side, tuple[int, int]]:
        game = self._on()
        if game.phase != "play" or game.player is None or game.dice is None:
            raise game.not_due(None)
        return game.sides[game.player], game.sides[1 - game.player], game.dice

    def _on(self) -> Game:
        """The game in progress."""
        if self.stage != "game":
            raise RuleError("match_over" if self.stage == "over" else "due_match_end")
        if self.game.result is not None:
            raise RuleError("due_game_end")
        return self.game

    def _game_end(self, event: GameEnd) -> "MatchState":
        if event.kind == "forfeit":
            if event != GameEnd(event.winner, 0, "forfeit", self.score):
                raise _differs("game_end", GameEnd(event.winner, 0, "forfeit", self.score))
            self._unforced()
            game = self.game.ended(event.winner, 0, "forfeit")
            return self._replace(game=game, stage="forfeited", winner=event.winner)
        expected = self.follows()
        if not isinstance(expected, GameEnd):
            raise self._on().not_due(None)
        if event != expected:
            raise _differs("game_end", expected)
        if event.score[event.winner] >= self.target:
            return self._replace(score=event.score, stage="won", winner=event.winner)
        crawford = (
            self.rules.crawford and not self.crawford_over and max(event.score) == self.target - 1
        )
        game = Game(self.rules, crawford)
        if not self.rules.opening_every_game:
            game = game.started_by(event.winner)
        return self._replace(
            score=event.score,
            game=game,
            number=self.number + 1,
            crawford_over=self.crawford_over or crawford,
        )

    def _match_end(self, event: MatchEnd) -> "MatchState":
        if self.stage == "over":
            raise RuleError("match_over")
        if self.stage == "won":
            expected = MatchEnd(self.winner, "score", self.score)
        elif self.stage == "forfeited":
            expected = MatchEnd(self.winner, _one_of(ENDINGS, event.reason), self.score)
        else:
            self._unforced()
            if event.reason == "score":
                raise self._on().not_due(None)
            if event.winner is not None:
                raise RuleError("match_end_needs_forfeit", player=event.winner)
            expected = MatchEnd(None, _one_of(WITHOUT_WINNER, event.reason), self.score)
        if event != expected:
            raise _differs("match_end", expected)
        return self._replace(stage="over", winner=event.winner)

    def _unforced(self) -> None:
        """Refuse an early end while a line that follows of itself is still to come."""
        if self._on().follows() is not None:
            raise self.game.not_due(None)


def _one_of(reasons: tuple[Reason, ...], reason: Reason) -> Reason:
    return reason if reason in reasons else reasons[0]


def _differs(line: str, expected: GameEnd | MatchEnd) -> RuleError:
    text = ", ".join(f"{name}={value}" for name, value in asdict(expected).items())
    return RuleError(f"{line}_differs", expected=text)
