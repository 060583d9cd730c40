"""What the verifier found: the verdict, the checks behind it, and what does not hold."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifier.errors import Failure
from verifier.fraud import FraudProof


class Verdict(StrEnum):
    """The four verdicts (PROTOCOL.md, V1)."""

    VERIFIED = "VERIFIED"
    CONSISTENT = "CONSISTENT"
    INCOMPLETE = "INCOMPLETE"
    FAILED = "FAILED"


class Status(StrEnum):
    """What became of one check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"


# The checks in the order they are told (V3), and the failures that belong to each, in the order in
# which they are named when they fall on one line.
CHECKS: dict[str, tuple[str, ...]] = {
    "grammar": (
        "line-too-long",
        "line-blank",
        "line-bom",
        "line-carriage-return",
        "line-not-utf8",
        "line-not-json",
        "line-not-object",
        "field-duplicate",
        "event-unknown",
        "protocol-unknown",
        "field-unknown",
        "field-missing",
        "field-value",
        "field-order",
        "line-not-canonical",
    ),
    "order": (
        "seeding-unsupported",
        "rules-unknown",
        "rules-inconsistent",
        "event-out-of-place",
        "player-twice",
        "roll-index",
    ),
    "commitment": ("server-seed-mismatch",),
    "player_seeds": ("commitments-equal", "seed-mismatch"),
    "dice": ("dice-mismatch",),
    "plays": ("roll-not-due", "play-illegal", "action-not-due", "result-wrong"),
    "chain": ("prev-mismatch",),
    "signatures": ("key-id-mismatch", "signature-head", "signature-invalid", "signature-time"),
    "receipt": (
        "receipt-other-key",
        "receipt-invalid",
        "receipt-contradiction",
        "receipt-differs",
    ),
    "my_seed": ("my-seed-absent",),
    "key": ("key-other",),
}
RANK = {code: rank for rank, code in enumerate(c for codes in CHECKS.values() for c in codes)}
CHECK_OF = {code: check for check, codes in CHECKS.items() for code in codes}


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name (a key of CHECKS), its status, and why it was not made ("" if it was)."""

    name: str
    status: Status
    why: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on one log.

    ``failures`` are sorted by line, the first failing line first; ``why`` says what keeps a log
    from a better verdict ("" for VERIFIED and FAILED); ``rolls`` counts the rolls recomputed.
    """

    verdict: Verdict
    why: str
    checks: tuple[Check, ...]
    failures: tuple[Failure, ...]
    match_id: str = ""
    seeding: str = ""
    players: tuple[str, str] = ("", "")
    key_id: str = ""
    lines: int = 0
    rolls: int = 0
    head: str = ""
    reason: str = ""
    anchored: bool = False
    proof: FraudProof | None = None

    @property
    def failed_rolls(self) -> tuple[int, ...]:
        """The indexes of the rolls whose dice are not the ones the seeds give."""
        return tuple(
            f.roll for f in self.failures if f.code == "dice-mismatch" and f.roll is not None
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for ``--json``."""
        return {
            "verdict": str(self.verdict),
            "why": self.why,
            "match_id": self.match_id,
            "seeding": self.seeding,
            "players": list(self.players),
            "key_id": self.key_id,
            "lines": self.lines,
            "rolls": self.rolls,
            "head": self.head,
            "reason": self.reason,
            "anchored": self.anchored,
            "contradiction_proved": self.proof is not None,
            "failed_rolls": list(self.failed_rolls),
            "checks": [
                {"name": c.name, "status": str(c.status), "why": c.why} for c in self.checks
            ],
            "failures": [failure_dict(failure) for failure in self.failures],
        }


def failure_dict(failure: Failure) -> dict[str, Any]:
    """A failure as plain values; ``line`` counts from 1, ``seq`` from 0."""
    return {
        "code": failure.code,
        "line": failure.line,
        "seq": failure.seq,
        "field": failure.field,
        "roll": failure.roll,
        "expected": failure.expected,
        "found": failure.found,
        "rule": failure.rule.code if failure.rule else None,
        **failure.params,
    }
