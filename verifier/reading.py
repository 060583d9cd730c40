"""A log as it was read: its lines, its events, and what is wrong with them as lines.

Reading goes on after a fault, so that one changed byte does not hide what the rest shows:
every line is decoded and its place in the chain checked; only the order of events is followed
no further than the first fault in it. The rolls and plays of an honest log are not decoded at all
but written again (see ``rewrite.py``).
"""

from dataclasses import dataclass, field
from functools import cached_property

from verifier.errors import Failure, InputError, LineError
from verifier.events import (
    AnyEvent,
    Linked,
    Match,
    MatchEnd,
    Reveal,
    Roll,
    Seed,
    SeedCommitment,
    SignatureLine,
)
from verifier.log import MAX_LINE, MAX_LINES, MAX_LOG, decode_line, line_hash, split_lines
from verifier.order import Order
from verifier.rewrite import Run, rewrite_rolls
from verifier.roller import Roller


@dataclass
class Reading:
    """What a log holds, with the number of the line (from 0) each thing stands in.

    ``events`` lacks the lines that could not be read, which are in ``unreadable``, and the rolls
    and plays that were written again and are the same to the byte, ``rewritten`` of them rolls.
    ``count`` is the number of whole lines.
    """

    data: bytes
    count: int = 0
    heads: dict[int, str] = field(default_factory=dict)
    events: dict[int, AnyEvent] = field(default_factory=dict)
    unreadable: set[int] = field(default_factory=set)
    rewritten: int = 0
    failures: list[Failure] = field(default_factory=list)
    cut: bool = False
    over: bool = False
    match: Match | None = None
    commitments: dict[int, tuple[int, str]] = field(default_factory=dict)
    seeds: dict[int, tuple[int, str]] = field(default_factory=dict)
    rolls: list[tuple[int, Roll]] = field(default_factory=list)
    end: MatchEnd | None = None
    reveal: tuple[int, str] | None = None
    signatures: list[tuple[int, SignatureLine]] = field(default_factory=list)
    broken_links: set[int] = field(default_factory=set)

    @cached_property
    def lines(self) -> list[bytes]:
        """The whole lines, without their line ends."""
        return split_lines(self.data)[0]

    def head(self, seq: int) -> str:
        """The SHA-256 of line ``seq``."""
        return self.heads.get(seq) or line_hash(self.lines[seq])

    @property
    def roll_count(self) -> int:
        """How many roll lines the log has, of those that could be read."""
        return len(self.rolls) + self.rewritten


def read_log(data: bytes, *, rewrite: bool = False) -> Reading:
    """Read a log's bytes; with ``rewrite`` an honest log may be taken by writing it again.

    Raises :class:`InputError` ``file-empty``, ``file-too-long`` or ``file-not-a-log`` where there
    is nothing to judge; every other fault stands in the reading's ``failures``.
    """
    if not data:
        raise InputError("file-empty", "the file is empty")
    if len(data) > MAX_LOG:
        raise InputError(
            "file-too-long",
            "the file is longer than a log may be, {limit} bytes: line {line} passes the limit",
            limit=MAX_LOG,
            line=data.count(b"\n", 0, MAX_LOG) + 1,
        )
    if rewrite and (reading := _rewritten(data)):
        return reading
    if data.count(b"\n") > MAX_LINES:
        raise InputError(
            "file-too-long",
            "the file has more lines than a log may have, {limit}",
            limit=MAX_LINES,
        )
    lines, rest = split_lines(data)
    if not lines:
        raise InputError("file-not-a-log", "the file has no whole line: it is no match log")
    reader = _Reader(data)
    for line in lines:
        reader.take(line)
    if not reader.reading.events:
        raise _not_a_log(lines)
    return reader.close(cut=bool(rest))


def _not_a_log(lines: list[bytes]) -> InputError:
    """What to say of a file of which no line is an event (V2)."""
    if all(line.endswith(b"\r") for line in lines):
        return InputError(
            "file-not-a-log",
            "every line, from line 1 on, ends in a carriage return: an editor or a download "
            "changed the line ends; get the file again, as it was",
        )
    return InputError("file-not-a-log", "no line of the file is one of a match log")


class _Reader:
    """Takes a log's lines one by one into a :class:`Reading`."""

    def __init__(self, data: bytes) -> None:
        self.reading = Reading(data)
        self._order = Order()
        self._in_order = True

    def take(self, line: bytes) -> None:
        reading, seq = self.reading, self.reading.count
        reading.count += 1
        reading.heads[seq] = line_hash(line)
        try:
            event = decode_line(line, seq)
        except LineError as error:
            reading.unreadable.add(seq)
            reading.failures.append(error.failure)
            self._in_order = False
            return
        reading.events[seq] = event
        _keep(reading, event, seq)
        if self._in_order and (failure := self._order.take(event, seq)):
            reading.failures.append(failure)
            self._in_order = False

    def take_seeds(self) -> int:
        """Take the lines up to both players' seeds; where the next line begins, 0 if not so far."""
        at = 0
        while self._in_order and len(self.reading.seeds) < 2:
            end = self.reading.data.find(b"\n", at)
            if end < 0:
                return 0
            self.take(self.reading.data[at:end])
            at = end + 1
        return at if self._in_order else 0

    def take_play(self, run: Run, roller: Roller) -> bool:
        """Take the lines of play by writing them again; False if anything is not as it must be."""
        reading, first = self.reading, self.reading.count

        def have(lines: int, head: str) -> None:
            reading.count = first + lines
            reading.heads[reading.count - 1] = head

        def take_other(place: int, line: bytes, prev: str) -> bool:
            have(place, prev)
            self.take(line)
            return self._in_order and self._order.rolling

        if self._order.referee:
            from verifier.rewrite_refereed import Replay  # dice alone need no rules

            replay = Replay(roller, self._order.referee, take_other)
            written = replay.follow(run)
            reading.rewritten = replay.rolls
        else:
            written = rewrite_rolls(run, roller)
            reading.rewritten = written[0] if written else 0
        if written:
            have(*written)
        return written is not None

    def close(self, *, cut: bool) -> Reading:
        """The reading, after the last line; ``cut``: bytes without a line end follow it."""
        self.reading.cut = cut
        self.reading.over = self._in_order and self._order.over and not cut
        if self._order.broken_rule:
            self.reading.failures.append(self._order.broken_rule)
        _follow_chain(self.reading)
        return self.reading


def _rewritten(data: bytes) -> Reading | None:
    """A reading whose rolls and plays were written again; None if anything is not as it must be."""
    reader = _Reader(data)
    reading = reader.reading
    start = reader.take_seeds()
    *ending, rest = data[max(start, len(data) - 3 * (MAX_LINE + 1)) :].split(b"\n")[-4:]
    if not start or not reading.match or len(ending) < 3 or rest:
        return None
    stop = len(data) - sum(len(line) + 1 for line in ending)
    try:
        reveal = decode_line(ending[1], 0)
    except LineError:
        return None
    if not isinstance(reveal, Reveal):
        return None
    seeds = (reading.seeds[0][1], reading.seeds[1][1])
    run = Run(data, start, stop, reading.head(reading.count - 1))
    if not reader.take_play(run, Roller(reveal.server_seed, reading.match.match_id, seeds)):
        return None
    for line in ending:
        reader.take(line)
    return None if reader.close(cut=False).failures else reading


def _keep(reading: Reading, event: AnyEvent, seq: int) -> None:
    match event:
        case Roll():
            reading.rolls.append((seq, event))
        case Match():
            reading.match = reading.match or event
        case SeedCommitment():
            reading.commitments.setdefault(event.player, (seq, event.commitment))
        case Seed():
            reading.seeds.setdefault(event.player, (seq, event.seed))
        case MatchEnd():
            reading.end = reading.end or event
        case Reveal():
            reading.reveal = reading.reveal or (seq, event.server_seed)
        case SignatureLine():
            reading.signatures.append((seq, event))


def _follow_chain(reading: Reading) -> None:
    """Compare each ``prev`` with the hash of the line before, and name the line at fault (L3)."""
    for seq, event in reading.events.items():
        if seq and isinstance(event, Linked) and event.prev != reading.head(seq - 1):
            reading.broken_links.add(seq)
    for seq in sorted(reading.broken_links):
        if _at_fault(reading, seq) == seq:
            event = reading.events[seq]
            assert isinstance(event, Linked)
            failure = Failure(
                "prev-mismatch", seq, "prev", expected=reading.head(seq - 1), found=event.prev
            )
        elif seq - 1 in reading.broken_links:
            continue  # already named for its own prev
        else:
            failure = Failure("prev-mismatch", seq - 1, params={"next_line": seq + 1})
        reading.failures.append(failure)


def _at_fault(reading: Reading, seq: int) -> int:
    """Which line a broken link between ``seq - 1`` and ``seq`` speaks against.

    The one before, unless line ``seq`` is not what the line after it fixed either, only repeats
    the one before, or is a signature over the very line that its own ``prev`` denies.
    """
    if seq + 1 in reading.broken_links or reading.lines[seq] == reading.lines[seq - 1]:
        return seq
    event = reading.events[seq]
    if isinstance(event, SignatureLine) and event.head == reading.head(seq - 1):
        return seq
    return seq - 1
