"""Two signed statements of one service that contradict each other (PROTOCOL.md, section P).

A statement is a run of a log's lines whose last one the service signed: the ``prev`` fields tie
every line of the run to that signature. Two statements about one match contradict each other when
no honest log can hold both. Nobody but the holder of the key can make such a pair.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from verifier.errors import InputError, LineError
from verifier.events import (
    Count,
    Hex32,
    Linked,
    MatchId,
    Reveal,
    Roll,
    Signature64,
    SignatureLine,
)
from verifier.log import decode_line, line_hash
from verifier.signatures import verify_head


class Statement(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines ``first`` to ``seq`` of a log, and the signature over the head at ``seq``."""

    first: Count
    seq: Count
    lines: tuple[str, ...]
    sig: Signature64


class FraudProof(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="fraud_proof"
):
    """Two statements under one key about one match that cannot both be true."""

    protocol: Literal["zarf/1"]
    match_id: MatchId
    public_key: Hex32
    statements: tuple[Statement, Statement]


def encode_proof(proof: FraudProof) -> bytes:
    """The proof as a file's bytes: one line of JSON."""
    return msgspec.json.encode(proof) + b"\n"


def is_proof(data: bytes) -> bool:
    """Whether a file says that it is a fraud proof."""
    return data.startswith(b'{"type":"fraud_proof"')


def read_proof(data: bytes) -> FraudProof:
    """Read a fraud proof file, written in the one way that :func:`encode_proof` writes it.

    Raises :class:`InputError` ``proof-unreadable``.
    """
    what = "it is not written in the one way it may be written"
    try:
        proof = msgspec.json.decode(data, type=FraudProof)
        if encode_proof(proof) == data:
            return proof
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        what = str(error)[:200]
    raise InputError("proof-unreadable", "not a fraud proof: {what}", what=what)


def check_proof(proof: FraudProof) -> str:
    """What a fraud proof fails to show: "" when it holds, else a code (P3)."""
    one, two = proof.statements
    for statement in proof.statements:
        if fault := _statement_fault(proof, statement):
            return fault
    return "" if contradict(one, two) else "proof-no-contradiction"


def contradict(one: Statement, two: Statement) -> bool:
    """Whether two statements cannot both be true of one log (P2)."""
    mine, theirs = _numbered(one), _numbered(two)
    return (
        any(mine[seq] != theirs[seq] for seq in mine.keys() & theirs.keys())
        or any(_parts(a, b) for a, b in ((one, two), (two, one)))
        or _rolled_twice(mine, theirs)
    )


def statement_of(
    lines: Sequence[bytes], first: int, signatures: Sequence[tuple[int, SignatureLine]]
) -> Statement | None:
    """The shortest statement that a log makes about line ``first``: None if none was signed.

    ``signatures`` are the log's signature lines with their numbers, in order. The caller has
    checked the chain between and the signatures.
    """
    for seq, signature in signatures:
        if seq > first:
            run = tuple(line.decode() for line in lines[first:seq])
            return Statement(first, seq - 1, run, signature.sig)
    return None


def _statement_fault(proof: FraudProof, statement: Statement) -> str:
    lines = [line.encode() for line in statement.lines]
    if not lines or statement.first + len(lines) - 1 != statement.seq:
        return "proof-statement-malformed"
    prev = None
    for seq, line in enumerate(lines, statement.first):
        try:
            event = decode_line(line, seq)
        except LineError:
            return "proof-statement-malformed"
        if prev is not None and getattr(event, "prev", None) != prev:
            return "proof-chain-broken"
        prev = line_hash(line)
    head = line_hash(lines[-1])
    if not verify_head(proof.public_key, proof.match_id, statement.seq, head, statement.sig):
        return "proof-signature-invalid"
    return ""


def _numbered(statement: Statement) -> dict[int, bytes]:
    return {seq: line.encode() for seq, line in enumerate(statement.lines, statement.first)}


def _parts(one: Statement, two: Statement) -> bool:
    """Whether ``two`` goes on after a reveal that ``one`` signs, or goes on from another line."""
    last = one.lines[-1].encode()
    if isinstance(decode_line(last, one.seq), Reveal) and two.seq > one.seq:
        return True
    following = decode_line(two.lines[0].encode(), two.first)
    next_to = two.first == one.seq + 1
    return next_to and isinstance(following, Linked) and following.prev != line_hash(last)


def _rolled_twice(mine: dict[int, bytes], theirs: dict[int, bytes]) -> bool:
    """Whether one roll index stands at two line numbers."""
    places: dict[int, int] = {}
    for seq, line in (*mine.items(), *theirs.items()):
        event = decode_line(line, seq)
        if isinstance(event, Roll) and places.setdefault(event.index, seq) != seq:
            return True
    return False
