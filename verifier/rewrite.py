"""The quick way through an honest log: write its lines again, and see that they are the same.

Everything in a dice-only match's roll lines but the time (and whom the game server names as the
roller) follows from the seeds and the line before. So they are written anew and compared, some
hundred at once. Where a single byte differs nothing is concluded: the caller reads the log line
by line and says what is wrong. A test holds both ways to each other.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from verifier.events import TIME_PATTERN
from verifier.roller import Roller

_TIME_AT = len('{"type":"roll","prev":"","time":"') + 64
TIME = slice(_TIME_AT, _TIME_AT + len("2026-11-30T18:00:00.000Z"))
"""Where the time stands in a line of type ``roll`` or ``play``."""

_CHUNK = 1 << 16  # bytes gone through together: few enough to stay in the processor's cache
_WHO = ('turn","player":null', 'turn","player":0', 'turn","player":1', 'opening","player":null')
_WHO_AT = slice(-len('turn","player":0,"dice":[1,2]}'), -len(',"dice":[1,2]}'))
_WHO_BY_END = {who[-len(_WHO[1]) :]: who for who in _WHO}
_TIMES = re.compile("(?:{})*".format(TIME_PATTERN.strip("^$").replace("(", "(?:")))


class Run(NamedTuple):
    """The whole lines that stand in ``data`` from ``start`` to ``stop``.

    ``prev``: the hash of the line before them.
    """

    data: bytes
    start: int
    stop: int
    prev: str


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
    sha256 = hashlib.sha256
    while at < stop:
        end = data.rfind(b"\n", at, min(at + _CHUNK, stop))
        if end < 0:
            end = data.index(b"\n", at)  # a line so long is none of ours: let the caller see it
        raw = data[at:end].split(b"\n")
        heads = [sha256(line).hexdigest() for line in raw]
        # What is not ASCII becomes what no line written again can hold.
        lines = data[at:end].decode("ascii", errors="replace").split("\n")
        yield Chunk(raw, lines, [prev, *heads[:-1]], heads[-1])
        at, prev = end + 1, heads[-1]


def rewrite_rolls(run: Run, roller: Roller) -> tuple[int, str] | None:
    """How many rolls of a dice-only match ``run`` holds, and the hash of the last.

    None if any byte is not what must stand there.
    """
    start, head = 0, run.prev
    for chunk in chunks(run):
        stop, head = start + len(chunk.lines), chunk.head
        times = [line[TIME] for line in chunk.lines]
        written = [
            f'{{"type":"roll","prev":"{prev}","time":"{time}","index":{index},'
            f'"purpose":"{_WHO_BY_END.get(line[_WHO_AT])},"dice":[{first},{second}]}}'
            for index, line, prev, time, first, second in zip(
                count(start), chunk.lines, chunk.prevs, times, *roller.rolls(start, stop)
            )
        ]
        if not chunk.same(written, times):
            return None
        start = stop
    return start, head
