"""What the service has signed, checked: openings, opening receipts, roll receipts. Pure.

Each check raises :class:`DishonestError` with a code that says what does not hold. The rules are
those of the log itself (PROTOCOL.md, sections L, G and R), read here before the match is over.
"""

from collections.abc import Collection, Mapping, Sequence

from dice_service.client.errors import ContradictionError, DishonestError
from verifier.errors import LineError
from verifier.events import (
    AnyEvent,
    Linked,
    Match,
    Reveal,
    Roll,
    SeedCommitment,
    SignatureLine,
    type_name,
)
from verifier.fraud import FraudProof, Statement, check_proof
from verifier.log import decode_line, line_hash
from verifier.receipts import SIGNED, RollReceipt, encode_receipt
from verifier.signatures import key_id_of, verify_head

OPENING_LINES = 2  # the match line and its signature


def receipt_lines(seeding: str) -> int:
    """How many lines an opening receipt has: in direct seeding nothing is committed after them."""
    return OPENING_LINES if seeding == "direct" else OPENING_LINES + 3


def check_opening(lines: Sequence[bytes], match_id: str, pinned: Collection[str]) -> Match:
    """The match line of a signed opening (the log's first two lines, without line ends).

    ``pinned``: the public keys that are believed (empty: the one in the line).
    """
    if len(lines) < OPENING_LINES:
        raise DishonestError(
            "opening-unsigned", f"the match has {len(lines)} lines and no signature"
        )
    match = _event(lines, 0)
    if not isinstance(match, Match):
        raise DishonestError("opening-malformed", "the first line is not the match line")
    if match.match_id != match_id:
        raise DishonestError(
            "match-differs", f"asked for {match_id}, the line says {match.match_id}"
        )
    if pinned and match.public_key not in pinned:
        raise DishonestError(
            "key-differs", f"the match names the key {match.public_key}, which is not the one known"
        )
    if match.key_id != key_id_of(match.public_key):
        raise DishonestError("key-differs", f"{match.key_id} is not the name of {match.public_key}")
    _check_signature(lines, 1, match)
    return match


def check_receipt(
    lines: Sequence[bytes], opening: Sequence[bytes], match: Match, player: int, own: str
) -> None:
    """An opening receipt, against the ``opening`` that ``player`` checked before committing.

    ``own`` is the player's commitment: it must stand in the receipt as the player's, the other's
    must be a third one, and the service's must be the one that was signed first.
    """
    wanted = receipt_lines(match.seeding)
    if len(lines) != wanted:
        raise DishonestError(
            "receipt-malformed", f"{wanted} lines make a receipt, not {len(lines)}"
        )
    if tuple(lines[:OPENING_LINES]) != tuple(opening):
        raise _changed(opening, lines[:OPENING_LINES], match)
    if match.seeding == "direct":
        return
    commitments: dict[int, str] = {}
    for seq in (2, 3):
        event = _event(lines, seq)
        if not isinstance(event, SeedCommitment):
            raise DishonestError("receipt-malformed", f"line {seq + 1} is not a commitment")
        commitments[event.player] = event.commitment
    if commitments.get(player) != own:
        raise DishonestError(
            "own-commitment-missing",
            f"this device committed to {own}; the receipt says {commitments.get(player)}: "
            "someone else may have used its token",
        )
    if len(commitments) != OPENING_LINES:
        raise DishonestError("other-commitment-missing", "both commitments are of one player")
    if len({match.commitment, *commitments.values()}) != len(commitments) + 1:
        raise DishonestError("commitments-equal", "two of the three commitments are the same")
    _check_signature(lines, 4, match)


def check_line(receipt: RollReceipt, match: Match) -> Linked:
    """The event that a receipt signs, by the match's own key."""
    if receipt.match_id != match.match_id:
        raise DishonestError(
            "match-differs", f"a receipt of {receipt.match_id}, not {match.match_id}"
        )
    if receipt.key_id != match.key_id:
        raise DishonestError(
            "key-differs", f"signed by {receipt.key_id}, the match by {match.key_id}"
        )
    line = receipt.line.encode()
    if line_hash(line) != receipt.head:
        raise DishonestError(
            "head-differs", f"the receipt of line {receipt.seq + 1} signs another line"
        )
    if not verify_head(match.public_key, match.match_id, receipt.seq, receipt.head, receipt.sig):
        raise DishonestError(
            "signature-wrong", f"the receipt of line {receipt.seq + 1} is not signed"
        )
    try:
        event = decode_line(line, receipt.seq)
    except LineError as error:
        raise DishonestError("roll-malformed", str(error)) from None
    may_stand = Roll if match.rules is None else SIGNED
    early = receipt.seq < receipt_lines(match.seeding) + 2
    if early or not isinstance(event, Linked) or not isinstance(event, may_stand):
        raise DishonestError("roll-malformed", f"line {receipt.seq + 1} cannot be a roll")
    return event


def check_roll(receipt: RollReceipt, match: Match) -> Roll:
    """The roll that a receipt signs, by the match's own key."""
    event = check_line(receipt, match)
    if not isinstance(event, Roll):
        raise DishonestError("roll-malformed", f"line {receipt.seq + 1} is no roll")
    return event


def _event(lines: Sequence[bytes], seq: int) -> AnyEvent:
    """Line ``seq``, in its one spelling and chained to the line before it."""
    try:
        event = decode_line(lines[seq], seq)
    except LineError as error:
        raise DishonestError("opening-malformed", str(error)) from None
    if seq and (isinstance(event, Match) or event.prev != line_hash(lines[seq - 1])):
        raise DishonestError("chain-broken", f"line {seq + 1} does not follow the line before it")
    return event


def _check_signature(lines: Sequence[bytes], seq: int, match: Match) -> None:
    """Line ``seq`` signs the line before it with the match's key."""
    event = _event(lines, seq)
    if not isinstance(event, SignatureLine):
        raise DishonestError("opening-unsigned", f"line {seq + 1} must be the service's signature")
    if event.key_id != match.key_id:
        raise DishonestError("key-differs", f"line {seq + 1} is signed by {event.key_id}")
    signed = (event.seq, event.head) == (seq - 1, event.prev)
    if not signed or not verify_head(
        match.public_key, match.match_id, event.seq, event.head, event.sig
    ):
        raise DishonestError("signature-wrong", f"the signature in line {seq + 1} does not hold")


def _changed(opening: Sequence[bytes], now: Sequence[bytes], match: Match) -> ContradictionError:
    """Two openings of one match. Signed by one key, they are proof."""
    code, detail, proof = "opening-changed", "the opening is not the one signed before", None
    try:
        other = check_opening(now, match.match_id, ())
    except DishonestError as error:
        detail = f"{detail}: {error.detail}"
    else:
        if other.public_key != match.public_key:
            code, detail = "key-differs", f"the key was {match.public_key}, is {other.public_key}"
        else:
            proof = fraud_proof(match, _signed_first_line(opening), _signed_first_line(now))
            if other.commitment != match.commitment:
                code = "commitment-changed"
                detail = f"the service's commitment was {match.commitment}, is {other.commitment}"
    return ContradictionError(code, detail, joined(opening), joined(now), proof)


def _signed_first_line(opening: Sequence[bytes]) -> Statement:
    signature = decode_line(opening[1], 1)
    assert isinstance(signature, SignatureLine)  # check_opening has seen it
    return Statement(0, 0, (opening[0].decode(),), signature.sig)


def fraud_proof(match: Match, one: Statement, two: Statement) -> FraudProof | None:
    """Two signed statements as proof, if they contradict each other; the same twice do not."""
    proof = FraudProof("zarf/1", match.match_id, match.public_key, (one, two))
    return None if check_proof(proof) else proof


def joined(lines: Sequence[bytes]) -> bytes:
    """Lines as they stand in a file, each with its line end."""
    return b"".join(line + b"\n" for line in lines)


def check_consistent(
    receipt: RollReceipt, match: Match, kept: Mapping[int, tuple[RollReceipt, Linked]]
) -> Linked:
    """The event of a receipt that goes with all receipts kept (by ``seq``) of the same match.

    Raises :class:`ContradictionError` with both receipts where one of the two must be false.
    """
    event = check_line(receipt, match)
    for other, before in kept.values():
        lines = receipt.seq - other.seq
        if lines == 0 and receipt.head != other.head:
            code, detail = "receipt-contradiction", f"line {receipt.seq + 1} is signed twice"
        elif not _in_order(event, before, lines):
            code = "roll-order"
            detail = (
                f"{_shown(before)} is signed as line {other.seq + 1}, "
                f"{_shown(event)} as line {receipt.seq + 1}"
            )
        elif (lines == 1 and event.prev != other.head) or (
            lines == -1 and before.prev != receipt.head
        ):
            code, detail = "chain-broken", f"lines {other.seq + 1} and {receipt.seq + 1} differ"
        else:
            continue
        raise ContradictionError(
            code,
            f"{detail}: two signed receipts that cannot both be true",
            encode_receipt(other) + b"\n",
            encode_receipt(receipt) + b"\n",
            fraud_proof(match, _statement(other), _statement(receipt)),
        )
    return event


def _in_order(event: Linked, before: Linked, lines: int) -> bool:
    """Whether two lines, so many apart, can stand in one log: rolls count on, a reveal is last."""
    if isinstance(event, Roll) and isinstance(before, Roll):
        step = event.index - before.index
        return (step > 0) == (lines > 0) and (step == 0) == (lines == 0)
    if isinstance(before, Reveal):
        return lines <= 0
    return lines >= 0 or not isinstance(event, Reveal)


def _shown(event: Linked) -> str:
    return f"roll {event.index}" if isinstance(event, Roll) else type_name(event)


def _statement(receipt: RollReceipt) -> Statement:
    return Statement(receipt.seq, receipt.seq, (receipt.line,), receipt.sig)
