"""A refereed match's log as a transcript, to be written in another program's format.

The log's lines are held to the rules on the way, so what comes out is a legal match; whether its
dice are the sealed ones is `verify_log`'s to say. Line numbers are the log's, from 1. Tied opening
rolls, opening rolls that the starter does not play, passes and refused offers to resign have no
place in other formats and are left out. The head of the log goes with it as a comment.
"""

from collections.abc import Iterator

from msgspec import Struct

from verifier.errors import InputError
from verifier.events import (
    Double,
    Drop,
    Event,
    GameEnd,
    Match,
    MatchEnd,
    Play,
    ResignAccept,
    Roll,
    Take,
    type_name,
)
from verifier.formats import transcript as told
from verifier.reading import Reading, read_log
from verifier.refereed import TO_RULES, Referee
from verifier.rules.match import MatchState


class Refereed(Struct, frozen=True):
    """A log of a refereed match, every line of which could be read."""

    match: Match
    reading: Reading

    @property
    def head(self) -> str:
        """The SHA-256 of the log's last line."""
        return self.reading.head(self.reading.count - 1)

    def course(self) -> Iterator[tuple[int, Event, MatchState, MatchState]]:
        """Each line of play: its number from 1, the event, the match before it and after it.

        Raises `InputError` ``log-play`` at the first line that breaks a rule.
        """
        referee = Referee(self.match)
        for seq, event in self.reading.events.items():
            if type(event) not in TO_RULES:
                continue
            before = referee.state
            if referee.take(event, seq) and not _aborted(event):
                raise InputError(
                    "log-play",
                    "line {line} of the log breaks a rule ({type}); see: dice-verify LOG",
                    line=seq + 1,
                    type=type_name(event),
                )
            yield seq + 1, event, before, referee.state


def _aborted(event: Event) -> bool:
    """Whether the match was called off, which a log may say before the rules begin."""
    return isinstance(event, MatchEnd) and event.reason == "abort"


def read(data: bytes) -> Refereed:
    """The refereed match in a log's bytes.

    Raises `InputError`: those of `read_log`, ``log-refused`` (a line is not a log line or not in
    its place) and ``log-no-plays`` (a dice-only match).
    """
    reading = read_log(data)
    broken = min(
        (failure.seq or 0 for failure in reading.failures if failure.rule is None), default=None
    )
    if reading.match is None or broken is not None:
        raise InputError(
            "log-refused",
            "line {line} of the log does not hold; see: dice-verify LOG",
            line=(broken or 0) + 1,
        )
    if reading.match.rules is None:
        raise InputError("log-no-plays", "this log has dice and no plays: there is no game to tell")
    return Refereed(reading.match, reading)


def transcript(log: Refereed) -> told.Transcript:
    """The match as a transcript. Raises `InputError` ``log-play`` as `Refereed.course` does."""
    teller = _Teller()
    for line, event, before, after in log.course():
        teller.take(line, event, before, after)
    if teller.actions or not teller.games:
        teller.close(None)
    state = Referee(log.match).state
    match, rules = log.match, state.rules
    tags = [
        ("Match ID", match.match_id),
        ("Player 1", match.players[0]),
        ("Player 2", match.players[1]),
        ("EventDate", match.time[:10].replace("-", ".")),
        ("EventTime", match.time[11:16].replace(":", ".")),
        ("Variation", "Backgammon"),
        ("Crawford", "On" if rules.crawford else "Off"),
        ("Jacoby", "On" if rules.jacoby else "Off"),
    ]
    options = "".join(f" {name}={value}".lower() for name, value in sorted(match.options.items()))
    comments = [
        f"zarf/1 log head {log.head}",
        f"zarf/1 rules {match.rules}{options}; key {match.key_id}",
        "The dice are proved by the log, not by this file: dice-verify LOG",
        *teller.comments,
    ]
    return told.Transcript(
        match.players,
        state.target,
        tuple(teller.games),
        tuple(tags),
        tuple(comments),
        "on" if rules.crawford else "off",
        "on" if rules.jacoby else "off",
        won_early_elsewhere=_won_early_elsewhere(teller.games, state),
    )


def _won_early_elsewhere(games: list[told.Game], state: MatchState) -> bool:
    """Whether a gammon or backgammon before the last game is worth less here than elsewhere."""
    return any(
        game.result is not None
        and game.result.points == state.rules.backgammon < 3
        and game.score[game.result.winner] + 3 >= state.target
        for game in games[:-1]
    )


class _Teller:
    """Takes the lines of play into games."""

    def __init__(self) -> None:
        self.games: list[told.Game] = []
        self.actions: list[told.Action] = []
        self.comments: list[str] = []
        self.score = (0, 0)
        self.line = 0
        self.rolled: told.Turn | None = None  # a roll that is still to be played

    def take(self, line: int, event: Event, before: MatchState, after: MatchState) -> None:
        self.line = self.line or line
        match event:
            case Roll():
                player = after.game.player
                if after.game.phase == "play" and player is not None:
                    self.rolled = told.Turn(line, player, event.dice, None)
            case Play():
                assert self.rolled is not None
                dice = self.rolled.dice
                self.rolled = None
                self.actions.append(told.Turn(line, event.player, dice, event.moves))
            case Double():
                self.actions.append(told.Double(line, event.player, 2 * before.game.cube))
            case Take() | Drop():
                kind = told.Take if isinstance(event, Take) else told.Drop
                self.actions.append(kind(line, event.player))
            case ResignAccept():
                assert after.game.result is not None
                self._unplayed()
                points = after.game.result.points
                self.actions.append(told.Resign(line, 1 - event.player, points))
            case GameEnd():
                self._end(line, event, won=after.stage == "won")
            case MatchEnd():
                self.comments.append(f"match end: {event.reason}")

    def _end(self, line: int, event: GameEnd, *, won: bool) -> None:
        if event.kind == "forfeit":
            self.comments.append(f"player {event.winner + 1} wins the match by forfeit")
            return
        self.close(told.Result(line, event.winner, event.points, won))
        self.score = event.score

    def close(self, result: told.Result | None) -> None:
        """The game so far is one of the match."""
        self._unplayed()
        game = len(self.games) + 1
        line = self.line
        self.games.append(told.Game(line, game, self.score, line, tuple(self.actions), result))
        self.actions, self.line = [], 0

    def _unplayed(self) -> None:
        if self.rolled is not None:
            self.actions.append(self.rolled)
            self.rolled = None
