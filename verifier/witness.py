"""What receipts say about a log: whether they anchor it, and whether they contradict it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from verifier.errors import Failure, InputError
from verifier.events import Match
from verifier.fraud import FraudProof, Statement, statement_of
from verifier.reading import Reading, read_log
from verifier.receipts import Receipts, RollReceipt, opening_fault
from verifier.signatures import verify_head


@dataclass(slots=True)
class Witness:
    """``anchored``: a valid opening receipt stands word for word at the log's beginning.

    ``proof``: the first contradiction between two signed statements, if there is one.
    """

    failures: list[Failure] = field(default_factory=list)
    anchored: bool = False
    proof: FraudProof | None = None


def weigh_receipts(reading: Reading, match: Match, receipts: Sequence[Receipts]) -> Witness:
    """Hold a log against what its players' devices kept (PROTOCOL.md, R4 to R6).

    Of each file's roll receipts the first that speaks against the log is told. Raises
    :class:`InputError` ``receipt-other-match`` for a receipt of another match.
    """
    witness = Witness()
    seen: dict[int, RollReceipt] = {}
    for kept in receipts:
        if kept.match_id != match.match_id:
            raise InputError(
                "receipt-other-match",
                "the receipt is of match {receipt}, the log of match {log}: give the two that "
                "belong together",
                receipt=kept.match_id,
                log=match.match_id,
            )
        if kept.opening:
            _weigh_opening(witness, reading, match, kept.opening)
        for receipt in sorted(kept.rolls, key=lambda roll: roll.seq):
            before = len(witness.failures)
            _weigh_roll(witness, reading, match, receipt, seen)
            if len(witness.failures) > before:
                break  # every later line differs too, for the same reason
    return witness


def _weigh_opening(
    witness: Witness, reading: Reading, match: Match, opening: tuple[bytes, ...]
) -> None:
    kept = read_log(b"\n".join(opening) + b"\n")
    if kept.match is None or (kept.match.public_key != match.public_key):
        expected = kept.match.key_id if kept.match else ""
        witness.failures.append(
            Failure("receipt-other-key", 0, "public_key", expected=expected, found=match.key_id)
        )
        return
    malformed = kept.failures or opening_fault(tuple(kept.events.values()))
    if malformed or not all(_signed(kept, match)):
        witness.failures.append(Failure("receipt-invalid", 0))
        return
    if tuple(reading.lines[: len(opening)]) == opening:
        witness.anchored = match.seeding != "direct"  # there it fixes no player's seed (R5)
        return
    if len(reading.lines) < len(opening) and tuple(reading.lines) == opening[: len(reading.lines)]:
        return
    seq = next(
        seq
        for seq, (ours, theirs) in enumerate(zip(opening, reading.lines, strict=False))
        if ours != theirs
    )
    expected, found = opening[seq].decode(), reading.lines[seq].decode(errors="replace")
    theirs = statement_of(opening, seq, kept.signatures)
    ours = _log_statement(reading, match, seq)
    _contradiction(witness, match, Failure("", seq, "", None, expected, found), theirs, ours)


def _weigh_roll(
    witness: Witness,
    reading: Reading,
    match: Match,
    receipt: RollReceipt,
    seen: dict[int, RollReceipt],
) -> None:
    seq = receipt.seq
    if receipt.key_id != match.key_id:
        witness.failures.append(
            Failure("receipt-other-key", 0, "key_id", expected=receipt.key_id, found=match.key_id)
        )
        return
    if not verify_head(match.public_key, match.match_id, seq, receipt.head, receipt.sig):
        witness.failures.append(Failure("receipt-invalid", seq if seq < reading.count else 0))
        return
    theirs = Statement(seq, seq, (receipt.line,), receipt.sig)
    other = seen.setdefault(seq, receipt)
    if other.head != receipt.head:
        proof = _proof(match, theirs, Statement(seq, seq, (other.line,), other.sig))
        witness.proof = witness.proof or proof
        failure = Failure("receipt-contradiction", seq, "", None, receipt.line, other.line)
        witness.failures.append(failure)
    else:
        _weigh_line(witness, reading, match, theirs)


def _weigh_line(witness: Witness, reading: Reading, match: Match, theirs: Statement) -> None:
    """Hold the log's line against a roll receipt's; after a signed reveal there can be none."""
    seq, line = theirs.seq, theirs.lines[0]
    last = reading.count - 1
    after_reveal = reading.over and seq >= last  # a whole log's last line signs its reveal
    if not after_reveal and (seq > last or reading.lines[seq] == line.encode()):
        return
    named = min(seq, last)
    found = reading.lines[named].decode(errors="replace")
    ours = _log_statement(reading, match, last - 1 if after_reveal else seq)
    _contradiction(witness, match, Failure("", named, "", None, line, found), theirs, ours)


def _contradiction(
    witness: Witness,
    match: Match,
    difference: Failure,
    theirs: Statement | None,
    ours: Statement | None,
) -> None:
    """Record that the log differs from a receipt, with the proof if both sides were signed."""
    code = "receipt-differs"
    if ours and theirs:
        code = "receipt-contradiction"
        witness.proof = witness.proof or _proof(match, theirs, ours)
    witness.failures.append(
        Failure(code, difference.seq, "", None, difference.expected, difference.found)
    )


def _log_statement(reading: Reading, match: Match, first: int) -> Statement | None:
    """What the log's own next valid signature says about line ``first``, its chain whole."""
    signed = next((seq for seq, _ in reading.signatures if seq > first), first)
    run = range(first, signed)
    if any(seq in reading.unreadable for seq in run):
        return None
    if any(seq in reading.broken_links for seq in run[1:]):
        return None
    statement = statement_of(reading.lines, first, reading.signatures)
    if statement is None:
        return None
    head = reading.head(statement.seq)
    if not verify_head(match.public_key, match.match_id, statement.seq, head, statement.sig):
        return None
    return statement


def _proof(match: Match, one: Statement, two: Statement) -> FraudProof:
    return FraudProof("zarf/1", match.match_id, match.public_key, (one, two))


def _signed(kept: Reading, match: Match) -> Iterator[bool]:
    """Whether each signature of an opening receipt is the key's, over the line before it."""
    for seq, line in kept.signatures:
        head = kept.head(seq - 1)
        yield verify_head(match.public_key, match.match_id, seq - 1, head, line.sig)
