"""What a player's device keeps: the opening receipt and the roll receipts (PROTOCOL.md, section R).

A receipt file is JSON Lines: the log's first lines up to its opening signature, exactly as they
stand, then one ``roll_receipt`` a line. Either part may stand alone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from verifier.errors import Failure, InputError, LineError
from verifier.events import (
    AnyEvent,
    Count,
    Double,
    Drop,
    GameEnd,
    Hex32,
    KeyId,
    Match,
    MatchId,
    PassUnrolled,
    Play,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Reveal,
    Roll,
    Seed,
    Signature64,
    SignatureLine,
    Take,
)
from verifier.log import MAX_LINE, MAX_LOG, decode_line, line_hash, split_lines
from verifier.sentences import mark

# The lines that a receipt can be of (R3): those with which an action can end.
SIGNED = (
    *(Roll, Play, PassUnrolled, Double, Take, Drop),
    *(ResignOffer, ResignAccept, ResignRefuse, GameEnd, Reveal),
)
_ROLL_RECEIPT = b'{"type":"roll_receipt"'


class RollReceipt(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="roll_receipt"
):
    """The service's signature over a roll, or the last line of another action of the match.

    It says that line ``seq`` of the log is ``line``.
    """

    match_id: MatchId
    key_id: KeyId
    seq: Count
    head: Hex32
    sig: Signature64
    line: str


@dataclass(frozen=True, slots=True)
class Receipts:
    """A receipt file's two parts: the opening receipt's lines (none: not in it), the rolls'."""

    opening: tuple[bytes, ...] = ()
    rolls: tuple[RollReceipt, ...] = ()
    source: str = ""

    @property
    def match_id(self) -> str:
        """The match that the file says it is about; "" if it holds nothing."""
        if self.opening:
            return str(json.loads(self.opening[0])["match_id"])
        return self.rolls[0].match_id if self.rolls else ""


def encode_receipt(receipt: RollReceipt) -> bytes:
    """The one way to write a roll receipt, without the line end (R3)."""
    return msgspec.json.encode(receipt)


def decode_receipt(line: bytes, seq: int = 0) -> RollReceipt:
    """Read a roll receipt; raises :class:`LineError` for any other way to write it (R3)."""
    try:
        receipt = msgspec.json.decode(line, type=RollReceipt)
        whole = len(line) <= 3 * MAX_LINE and encode_receipt(receipt) == line
        kept = receipt.line.encode()
        if whole and line_hash(kept) == receipt.head and isinstance(decode_line(kept, seq), SIGNED):
            return receipt
    except (msgspec.MsgspecError, UnicodeError, RecursionError, LineError):
        pass  # the one message says enough
    raise LineError(Failure("receipt-malformed", seq))


def opening_fault(events: Sequence[AnyEvent]) -> str:
    """Why a log's first events are not an opening receipt, no more and no less; "" if so (R1)."""
    match = events[0]
    if not isinstance(match, Match):
        return mark("an opening receipt begins with the match line")
    signed = [seq for seq, event in enumerate(events) if isinstance(event, SignatureLine)]
    wanted = 1 if match.seeding == "direct" else 2
    if len(signed) == wanted and signed[-1] == len(events) - 1:
        return ""
    return mark("an opening receipt ends with the signature after both commitments")


def holds_roll_receipts(data: bytes) -> bool:
    """Whether a file has roll receipts in it, which a log never has."""
    return data.startswith(_ROLL_RECEIPT) or b"\n" + _ROLL_RECEIPT in data


def read_receipts(data: bytes, source: str = "receipt") -> Receipts:
    """Read a receipt file. ``source`` names it in messages.

    Raises :class:`InputError` ``receipt-unreadable`` with the line. Signatures are not checked
    here but against a log, by :func:`verifier.verify_log`.
    """
    opening: list[bytes] = []
    events: list[AnyEvent] = []
    rolls: list[RollReceipt] = []
    lines, rest = split_lines(data)
    if rest or not lines or len(data) > MAX_LOG:
        raise _unreadable(source, len(lines) + 1, mark("it is empty or cut short"))
    for seq, line in enumerate(lines):
        try:
            if line.startswith(_ROLL_RECEIPT):
                rolls.append(decode_receipt(line, seq))
            elif rolls:
                raise _unreadable(source, seq + 1, mark("a roll receipt must stand here"))
            else:
                events.append(decode_line(line, seq))
                opening.append(line)
                if isinstance(events[-1], Seed):
                    raise _unreadable(source, seq + 1, mark("is this the log itself?"))
        except LineError as error:
            failure = error.failure
            what = f"{failure.code} {failure.field}".rstrip()
            raise _unreadable(source, seq + 1, what) from None
    if opening and (what := opening_fault(events)):
        raise _unreadable(source, len(opening), what)
    kept = Receipts(tuple(opening), tuple(rolls), source)
    for seq, receipt in enumerate(rolls, len(opening)):
        if receipt.match_id != kept.match_id:
            raise _unreadable(source, seq + 1, mark("of another match than the rest"))
    return kept


def _unreadable(source: str, line: int, what: str) -> InputError:
    return InputError(
        "receipt-unreadable",
        "{source}, line {line}: not a receipt as a player's device keeps it ({what})",
        source=source,
        line=line,
        what=what,
    )
