"""What receipts say about a log: whether they anchor it, and whether they contradict it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from verifier.errors import Failure
from verifier.events import Match
from verifier.fraud import FraudProof, Statement, statement_of
from verifier.reading import Reading, read_log
from verifier.receipts import Receipts, RollReceipt
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
    """Hold a log against what its players' devices kept (PROTOCOL.md, R4 to R6)."""
    witness = Witness()
    seen: dict[int, RollReceipt] = {}
    for kept in receipts:
        if kept.match_id != match.match_id:
            failure = Failure(
                "receipt-other-match", 0, "match_id", expected=kept.match_id, found=match.match_id
            )
            witness.failures.append(failure)
            continue
        if kept.opening:
            _weigh_opening(witness, reading, match, kept.opening)
        for receipt in kept.rolls:
            _weigh_roll(witness, reading, match, receipt, seen)
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
    wanted = 2 if kept.match.seeding == "committed" else 1
    whole = len(kept.signatures) == wanted and kept.signatures[-1][0] == len(opening) - 1
    if kept.failures or not whole or not all(_signed(kept, match)):
        witness.failures.append(Failure("receipt-invalid", 0))
        return
    if tuple(reading.lines[: len(opening)]) == opening:
        witness.anchored = True
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
    _contradiction(witness, reading, match, theirs, Failure("", seq, "", None, expected, found))


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
    elif seq >= reading.count:
        if reading.over and reading.reveal:
            last = reading.reveal[0]
            failure = Failure("", last, "", None, receipt.line, reading.lines[last].decode())
            _contradiction(witness, reading, match, theirs, failure)
    elif reading.head(seq) != receipt.head:
        found = reading.lines[seq].decode(errors="replace")
        failure = Failure("", seq, "", None, receipt.line, found)
        _contradiction(witness, reading, match, theirs, failure)


def _contradiction(
    witness: Witness,
    reading: Reading,
    match: Match,
    theirs: Statement | None,
    difference: Failure,
) -> None:
    """Record that the log differs from a receipt, with the proof if both sides were signed."""
    assert difference.seq is not None
    ours = _log_statement(reading, match, difference.seq)
    code = "receipt-differs"
    if ours and theirs:
        code = "receipt-contradiction"
        witness.proof = witness.proof or _proof(match, theirs, ours)
    witness.failures.append(
        Failure(code, difference.seq, "", None, difference.expected, difference.found)
    )


def _log_statement(reading: Reading, match: Match, first: int) -> Statement | None:
    """What the log's own next valid signature says about line ``first``, its chain whole."""
    statement = statement_of(reading.lines, first, reading.signatures)
    if statement is None:
        return None
    run = range(first, statement.seq + 1)
    if any(seq in reading.unreadable for seq in run):
        return None
    if any(seq in reading.broken_links for seq in run[1:]):
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
