"""The quick way through the play of an honest refereed log; ``rewrite.py`` says how it is meant.

Of a roll's line all but the time follows from the seeds and the rules, of a play's line all but
the time, the moves and whether a player made them; and the rules take a play in one spelling only.
What else a match has (cube, resignations, results) is little, and is read line by line.
"""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from verifier.events import TIME_PATTERN
from verifier.refereed import Referee
from verifier.rewrite import TIME, Run, hashes
from verifier.roller import Roller
from verifier.rules.messages import RuleError

_CHUNK = 1 << 16  # bytes gone through together: few enough to stay in the processor's cache
_TIMES = re.compile("(?:{})*".format(TIME_PATTERN.strip("^$").replace("(", "(?:")))
_KIND = slice(len('{"type":"'), len('{"type":"roll'))
_MOVES_AT = TIME.stop + len('","player":0,"moves":"')
_AUTO = '","auto":true}'
_NOT_AUTO = '","auto":false}'


class Chunk(NamedTuple):
    """Some lines of a log, as bytes and as text.

    ``prevs``: for each the hash of the line before; ``head``: the hash of the last.
    """

    raw: list[bytes]
    lines: list[str]
    prevs: list[str]
    head: str

    def same(self, written: list[str], times: list[str]) -> bool:
        """Whether these are the lines written again, with the times taken from them well formed."""
        return written == self.lines and _TIMES.fullmatch("".join(times)) is not None


def chunks(run: Run) -> Iterator[Chunk]:
    """The lines of ``run`` in order, chunk by chunk."""
    data, at, stop, prev = run
    while at < stop:
        end = data.rfind(b"\n", at, min(at + _CHUNK, stop))
        if end < 0:
            end = data.index(b"\n", at)  # a line so long is none of ours: let the caller see it
        raw = data[at:end].split(b"\n")
        heads = hashes(raw)
        # What is not ASCII becomes what no line written again can hold.
        lines = data[at:end].decode("ascii", errors="replace").split("\n")
        yield Chunk(raw, lines, [prev, *heads[:-1]], heads[-1])
        at, prev = end + 1, heads[-1]


class Replay:
    """Writes the rolls and plays of one match again, as the rules and ``referee`` have them due.

    ``take_other`` takes any other line: its place in the run, its bytes and the hash of the line
    before. It has the same referee follow, and says whether all is well and the play goes on.
    ``rolls``: how many rolls were written.
    """

    def __init__(
        self, roller: Roller, referee: Referee, take_other: Callable[[int, bytes, str], bool]
    ) -> None:
        self.rolls = 0
        self._roller = roller
        self._referee = referee
        self._take_other = take_other
        self._game = referee.state.game
        self._dice: tuple[int, int] | None = None  # of a turn that waits for its play

    def follow(self, run: Run) -> tuple[int, str] | None:
        """How many lines ``run`` holds and the hash of the last.

        None if any byte is not what must stand there, or a line is not due.
        """
        place, head = 0, run.prev
        for chunk in chunks(run):
            try:
                if not self._same(chunk, place):
                    return None
            except RuleError:
                return None
            place, head = place + len(chunk.lines), chunk.head
        self._hand_over()
        return place, head

    def _same(self, chunk: Chunk, place: int) -> bool:
        kinds = [line[_KIND] for line in chunk.lines]
        _, *both = self._roller.rolls(self.rolls, self.rolls + kinds.count("roll"))
        dice = zip(*both, strict=True)
        written, times = [], []
        for number, kind, line, prev in zip(count(), kinds, chunk.lines, chunk.prevs):
            if kind == "roll":
                written.append(self._roll(prev, line[TIME], next(dice)))
                times.append(line[TIME])
            elif kind == "play":
                written.append(self._play(prev, line[TIME], line))
                times.append(line[TIME])
            elif self._other(place + number, chunk.raw[number], prev):
                written.append(line)
            else:
                return False
        return chunk.same(written, times)

    def _roll(self, prev: str, time: str, dice: tuple[int, int]) -> str:
        if self._game.phase == "roll" and self._dice is None:
            self._dice = dice
            who = f'turn","player":{self._game.player}'
        else:
            self._game = self._game.roll("opening", None, dice)
            who = 'opening","player":null'
        index = self.rolls
        self.rolls = index + 1
        return (
            f'{{"type":"roll","prev":"{prev}","time":"{time}","index":{index},'
            f'"purpose":"{who},"dice":[{dice[0]},{dice[1]}]}}'
        )

    def _play(self, prev: str, time: str, line: str) -> str:
        auto = line.endswith(_AUTO)
        end = _AUTO if auto else _NOT_AUTO
        moves = line[_MOVES_AT : -len(end)]
        player = self._game.player or 0  # of an opening roll, nobody; then no play is due
        if self._dice:
            self._game = self._game.turn(player, self._dice, moves, auto)
            self._dice = None
        else:
            self._game = self._game.play(player, moves, auto)
        return (
            f'{{"type":"play","prev":"{prev}","time":"{time}",'
            f'"player":{player},"moves":"{moves}{end}'
        )

    def _other(self, place: int, line: bytes, prev: str) -> bool:
        self._hand_over()
        well = self._take_other(place, line, prev)
        self._game = self._referee.state.game
        return well

    def _hand_over(self) -> None:
        """Bring the referee to where the rolls and plays have come."""
        if self._dice:
            self._game = self._game.roll("turn", self._game.player, self._dice)
            self._dice = None
        self._referee.go_on(self._game)
