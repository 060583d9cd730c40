"""The quick way through an honest log: write its lines again, and see that they are the same.

Everything in a dice-only match's roll lines but the time (and whom the game server names as the
roller) follows from the seeds and the line before. So they are written anew and compared, some
hundred at once and not line by line: of lines equally long, what they all have at one place is a
*column*, a slice with their length as its stride. Where a single byte differs nothing is concluded:
the caller reads the log line by line and says what is wrong. A test holds both ways to each other.
"""

import hashlib
import re
import struct
from collections import defaultdict
from functools import cache
from typing import Final, NamedTuple

from verifier.events import TIME_PATTERN
from verifier.roller import Roller

_BLOCK: Final = 500  # lines: enough for columns to pay, few enough for the processor's cache

_TO_PREV: Final = '{"type":"roll","prev":"'
_TO_TIME: Final = '","time":"'
_TIME_AT: Final = len(_TO_PREV) + 64 + len(_TO_TIME)
TIME: Final = slice(_TIME_AT, _TIME_AT + len("2026-11-30T18:00:00.000Z"))
"""Where the time stands in a line of type ``roll`` or ``play``."""

_HOUR: Final = slice(_TIME_AT, _TIME_AT + len("2026-11-30T18"))
_AN_HOUR: Final = re.compile(TIME_PATTERN.partition(":")[0].encode("ascii"))
_INDEX_AT: Final = TIME.stop + len('","index":')
_DICE_AT: Final = (-len("1,2]}\n"), -len("2]}\n"))
_FACES: Final = bytes.maketrans(bytes(range(1, 7)), b"123456")
_NEW: Final = hashlib.sha256()


class Run(NamedTuple):
    """The whole lines that stand in ``data`` from ``start`` to ``stop``.

    ``prev``: the hash of the line before them.
    """

    data: bytes
    start: int
    stop: int
    prev: str


class _Rows(NamedTuple):
    """Lines of one length that stand one after another: ``text``, with their line ends.

    ``first``: the number of the first in its block; ``after``: that of the next after the last.
    """

    text: bytes
    first: int
    after: int


class _Field(NamedTuple):
    """What must stand at the place ``at`` of a block's lines (below 0: counted from their end).

    ``texts``: that of every line, ``stride`` apart, of which ``width`` characters count.
    """

    at: int
    width: int
    texts: bytes
    stride: int


class _Block:
    """The lines of ``data`` from ``at`` to ``end``: ``most`` of them, or those before ``stop``.

    ``lines``: without their line ends; ``starts``: what they begin with, up to the time, in one;
    ``alike``: those of each length.
    """

    def __init__(self, data: bytes, at: int, stop: int, most: int) -> None:
        self.lines: list[bytes] = []
        self.alike: defaultdict[int, list[_Rows]] = defaultdict(list)
        starts: list[bytes] = []
        while at < stop and len(self.lines) < most:
            length, text = _alike(data, at, stop, most - len(self.lines))
            count = len(text) // length
            first = len(self.lines)
            self.alike[length].append(_Rows(text, first, first + count))
            self.lines += struct.unpack(f"{length - 1}sx" * count, text)
            start = min(_TIME_AT, length)
            starts += struct.unpack(f"{start}s{length - start}x" * count, text)
            at += len(text)
        self.starts = b"".join(starts)
        self.end = at


def rewrite_rolls(run: Run, roller: Roller) -> tuple[int, str] | None:
    """How many rolls of a dice-only match ``run`` holds, and the hash of the last.

    None if any byte is not what must stand there.
    """
    done, at, head = 0, run.start, run.prev
    while at < run.stop:
        width = len(str(done))  # of every index in the block, which ends before the next is longer
        block = _Block(run.data, at, run.stop, min(_BLOCK, 10**width - done))
        heads = [head, *hashes(block.lines)]
        head = heads.pop()
        starts = _TO_PREV + f"{_TO_TIME}{_TO_PREV}".join(heads) + _TO_TIME
        if block.starts != starts.encode("ascii"):
            return None
        ends, *dice = roller.rolls(done, done + len(heads))
        fields = [_Field(_INDEX_AT, width, b"".join(ends), len(ends[0]))]
        for place, faces in zip(_DICE_AT, dice, strict=True):
            fields.append(_Field(place, 1, bytes(faces).translate(_FACES), 1))
        if not all(_same(length, rows, width, fields) for length, rows in block.alike.items()):
            return None
        done, at = done + len(heads), block.end
    return done, head


def hashes(lines: list[bytes]) -> list[str]:
    """The SHA-256 of each line, in lower-case hex."""
    copy, digests = _NEW.copy, []
    for line in lines:
        state = copy()  # cheaper than a new one
        state.update(line)
        digests.append(state.hexdigest())
    return digests


def _alike(data: bytes, at: int, stop: int, most: int) -> tuple[int, bytes]:
    """The length of the line at ``at``, and it with those after it that are as long, up to most."""
    length = data.index(b"\n", at, stop) + 1 - at
    ends = data[at + length - 1 : min(at + most * length, stop) : length]
    count = len(ends) - len(ends.lstrip(b"\n"))
    return length, data[at : at + count * length]


def _same(length: int, rows: list[_Rows], width: int, fields: list[_Field]) -> bool:
    """Whether these lines, all of one length, are what must stand there, from the time on."""
    pattern = _patterns(width).get(length)
    if pattern is None:
        return False
    text = b"".join([row.text for row in rows])
    count = len(text) // length
    for place, allowed in pattern:
        column = text[place::length]
        if column != allowed[:1] * count and column.strip(allowed):
            return False
    for at, characters, texts, stride in fields:
        these = b"".join([texts[row.first * stride : row.after * stride] for row in rows])
        for place in range(characters):
            if text[at % length + place :: length] != these[place::stride]:
                return False
    return all(map(_AN_HOUR.fullmatch, _hours(text, length, count)))


def _hours(text: bytes, length: int, count: int) -> set[bytes]:
    """The different dates and hours of these lines."""
    hour = text[_HOUR]
    if all(text[at::length] == text[at : at + 1] * count for at in range(_HOUR.start, _HOUR.stop)):
        return {hour}  # the usual case, and quicker
    return {*struct.unpack(f"{_HOUR.start}x{len(hour)}s{length - _HOUR.stop}x" * count, text)}


@cache
def _patterns(width: int) -> dict[int, list[tuple[int, bytes]]]:
    """By the length that a line with an index of so many digits can have: what may stand where.

    From the minute on, and without what a `_Field` holds.
    """
    patterns = {}
    for who in ('"turn","player":1', '"turn","player":null', '"opening","player":null'):
        # A digit stands for itself and those below.
        line = f':59:59.999Z","index":{"?" * width},"purpose":{who},"dice":[?,?]}}\n'
        allowed = [
            (place, bytes(range(ord("0"), byte + 1)) if chr(byte).isdigit() else bytes([byte]))
            for place, byte in enumerate(line.encode("ascii"), start=_HOUR.stop)
            if byte != ord("?")
        ]
        patterns[_HOUR.stop + len(line)] = allowed
    return patterns
