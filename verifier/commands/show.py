"""``dice-verify show LOG``: a match as a person reads it, with boards on request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from verifier.commands.console import OK, Console, command_line
from verifier.commands.drawing import board
from verifier.errors import InputError
from verifier.events import (
    Double,
    Drop,
    Event,
    GameEnd,
    MatchEnd,
    PassUnrolled,
    Play,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Roll,
    Take,
)
from verifier.formats import zarf
from verifier.reading import Reading, read_log
from verifier.rules.match import MatchState
from verifier.rules.messages import RuleError
from verifier.sentences import Speaker, mark, printable
from verifier.sources import read_source

_DONE: Final[Mapping[type[Event], str]] = {
    PassUnrolled: mark("{player} is closed out and does not roll"),
    Take: mark("{player} takes"),
    Drop: mark("{player} drops"),
    ResignAccept: mark("{player} accepts"),
    ResignRefuse: mark("{player} refuses"),
}
_KINDS: Final[Mapping[str, str]] = {
    "single": mark("single game"),
    "gammon": mark("gammon"),
    "backgammon": mark("backgammon"),
    "drop": mark("double dropped"),
    "resign": mark("resigned"),
    "forfeit": mark("forfeit"),
}
_REASONS: Final[Mapping[str, str]] = {
    "score": mark("by the score"),
    "resign": mark("the other player resigned the match"),
    "timeout": mark("time ran out"),
    "disconnect": mark("the other player was gone"),
    "abandon": mark("abandoned"),
    "abort": mark("called off"),
    "finished": mark("finished"),
}


def run(arguments: Sequence[str]) -> int:
    """Show one log; the exit status."""
    parser = command_line(
        "show", "Tell a match from its log. It checks no dice: that is LOG's own."
    )
    parser.add_argument("log", metavar="LOG", help="a match log; - is standard input")
    parser.add_argument("--boards", action="store_true", help="draw the board after each turn")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    given = parser.parse_args(arguments)
    console = Console.of(given)
    try:
        data = read_source(given.log)
        reading = read_log(data)
        if reading.match is not None and reading.match.rules is None:
            return _rolls(given.log, reading, console)
        log = zarf.read(data)
        if console.as_json:
            match = msgspec.to_builtins(zarf.transcript(log))
            console.result({"file": given.log, "exit_status": OK, "head": log.head, "match": match})
            return OK
        for line in _Story(log, console.speaker, boards=given.boards).lines():
            console.line(line)
    except (InputError, RuleError) as error:
        return console.refuse(given.log, error)
    return OK


def _rolls(name: str, reading: Reading, console: Console) -> int:
    """Tell a dice-only log: its rolls."""
    if console.as_json:
        rolls = [list(roll.dice) for _, roll in reading.rolls]
        console.result({"file": name, "exit_status": OK, "rolls": rolls})
        return OK
    assert reading.match is not None
    players = [printable(label) for label in reading.match.players]
    console.say(
        mark("match {match_id}: {players}; dice only"),
        match_id=reading.match.match_id,
        players=" – ".join(players),
    )
    for _, roll in reading.rolls:
        who = "" if roll.player is None else f"  {players[roll.player]}"
        console.line(f"{roll.index:>5}  {_dice(roll)}{who}")
    console.say(_UNCHECKED)
    return OK


_UNCHECKED: Final = mark("This is only what the log says. To check its dice: dice-verify LOG")


class _Story:
    """Tells a refereed match line by line."""

    def __init__(self, log: zarf.Refereed, speaker: Speaker, *, boards: bool) -> None:
        self.log = log
        self.say = speaker.say
        self.boards = boards
        self.names = [printable(label) for label in log.match.players]
        self.dice = ""
        self.turn = 0
        self.game = 0

    def lines(self) -> Iterator[str]:
        """The whole story."""
        match = self.log.match
        length = "" if match.length is None else f"{match.length}"
        yield self.say(
            mark("match {match_id}: {players}; rules {rules} {length}"),
            match_id=match.match_id,
            players=" – ".join(self.names),
            rules=match.rules,
            length=length,
        ).rstrip()
        for _, event, before, after in self.log.course():
            yield from self._event(event, before, after)
        yield ""
        yield self.say(_UNCHECKED)

    def _event(self, event: Event, before: MatchState, after: MatchState) -> Iterator[str]:
        if (
            before.stage == "game"
            and before.number != self.game
            and isinstance(event, (Roll, Double))
        ):
            self.game, self.turn = before.number, 0
            yield ""
            score = "{}–{}".format(*before.score)
            yield self.say(mark("Game {number}, score {score}"), number=self.game, score=score)
            if before.game.crawford:
                yield "  " + self.say(mark("the Crawford game: no doubling"))
        match event:
            case Roll():
                yield from self._roll(event, after)
            case Play():
                yield from self._play(event, after)
            case Double():
                yield "  " + self.say(
                    mark("{player} doubles to {value}"),
                    player=self.names[event.player],
                    value=2 * before.game.cube,
                )
            case ResignOffer():
                yield "  " + self.say(
                    mark("{player} offers to resign {points}"),
                    player=self.names[event.player],
                    points=event.value * before.game.cube,
                )
            case GameEnd() | MatchEnd():
                yield from self._end(event)
            case PassUnrolled() | Take() | Drop() | ResignAccept() | ResignRefuse():
                player = self.names[event.player]
                yield "  " + self.say(_DONE[type(event)], player=player)

    def _roll(self, event: Roll, after: MatchState) -> Iterator[str]:
        self.dice = _dice(event)
        if event.purpose != "opening":
            return
        first, second = event.dice
        starter = after.game.player
        text = mark("opening roll: {first} {die_one}, {second} {die_two}; {starter} starts")
        if starter is None:
            text = mark("opening roll: {first} {die_one}, {second} {die_two}; again")
        yield "  " + self.say(
            text,
            first=self.names[0],
            die_one=first,
            second=self.names[1],
            die_two=second,
            starter="" if starter is None else self.names[starter],
        )

    def _play(self, event: Play, after: MatchState) -> Iterator[str]:
        self.turn += 1
        moves = event.moves or self.say(mark("no move"))
        absent = " " + self.say(mark("(played for the absent player)")) if event.auto else ""
        checker = "XO"[event.player]
        yield f"{self.turn:>4}. {checker} {self.names[event.player]}  {self.dice}: {moves}{absent}"
        if self.boards:
            yield from (f"      {line}" for line in board(after.game.sides))

    def _end(self, event: GameEnd | MatchEnd) -> Iterator[str]:
        score = "" if event.score is None else "{}–{}".format(*event.score)
        if isinstance(event, GameEnd):
            if event.kind != "forfeit":
                yield "  " + self.say(
                    mark("{player} wins {points} ({kind}); score {score}"),
                    player=self.names[event.winner],
                    points=event.points,
                    kind=self.say(_KINDS[event.kind]),
                    score=score,
                )
            return
        yield ""
        reason = self.say(_REASONS[event.reason])
        if event.winner is None:
            yield self.say(mark("The match ends without a winner: {reason}"), reason=reason)
        else:
            yield self.say(
                mark("{player} wins the match {score}: {reason}"),
                player=self.names[event.winner],
                score=score,
                reason=reason,
            )


def _dice(roll: Roll) -> str:
    return "{}-{}".format(*roll.dice)
