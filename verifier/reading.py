"""A log as it was read: its lines, its events, and what is wrong with them as lines.

Reading goes on after a fault, so that one changed byte does not hide what the rest shows:
every line is decoded and its place in the chain checked; only the order of events is followed
no further than the first fault in it.
"""

from dataclasses import dataclass, field

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
from verifier.log import MAX_LOG, decode_line, line_hash, split_lines
from verifier.order import Order


@dataclass(slots=True)
class Reading:
    """What a log holds, with the number of the line (from 0) each thing stands in."""

    lines: list[bytes]
    hashes: list[str]
    events: list[AnyEvent | None] = field(default_factory=list)
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


def read_log(data: bytes) -> Reading:
    """Read a log's bytes.

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
    lines, rest = split_lines(data)
    if not lines:
        raise InputError("file-not-a-log", "the file has no whole line: it is no match log")
    reading = Reading(lines, [line_hash(line) for line in lines], cut=bool(rest))
    order: Order | None = Order()
    for seq, line in enumerate(lines):
        try:
            event = decode_line(line, seq)
        except LineError as error:
            reading.events.append(None)
            reading.failures.append(error.failure)
            order = None
            continue
        reading.events.append(event)
        _keep(reading, event, seq)
        if order and (failure := order.take(event, seq)):
            reading.failures.append(failure)
            order = None
    reading.over = order is not None and order.over and not rest
    _follow_chain(reading)
    return reading


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
    for seq, event in enumerate(reading.events):
        if seq and isinstance(event, Linked) and event.prev != reading.hashes[seq - 1]:
            reading.broken_links.add(seq)
    for seq in sorted(reading.broken_links):
        if _at_fault(reading, seq) == seq:
            event = reading.events[seq]
            assert isinstance(event, Linked)
            failure = Failure(
                "prev-mismatch", seq, "prev", expected=reading.hashes[seq - 1], found=event.prev
            )
        elif seq - 1 in reading.broken_links:
            continue  # already named for its own prev
        else:
            failure = Failure("prev-mismatch", seq - 1, params={"next_line": seq + 1})
        reading.failures.append(failure)


def _at_fault(reading: Reading, seq: int) -> int:
    """Which line a broken link between ``seq - 1`` and ``seq`` speaks against.

    The one before, unless line ``seq`` is not what the line after it fixed either, or is a
    signature over the very line that its own ``prev`` denies.
    """
    if seq + 1 in reading.broken_links:
        return seq
    event = reading.events[seq]
    if isinstance(event, SignatureLine) and event.head == reading.hashes[seq - 1]:
        return seq
    return seq - 1
