"""A table to cheat at: a service with its key, and two players' devices that keep receipts.

The service is a :class:`Scribe`, so that it can write whatever it likes and sign it. The devices
are honest and do what a device must: nothing is opened before the opening receipt was checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.scribe import PLAYER_SEEDS, Scribe, sha256
from verifier import Report, Verdict, read_receipts, verify_log
from verifier.fraud import check_proof, encode_proof, read_proof


@dataclass
class Device:
    """A player's device: its seed, and what it was handed and keeps."""

    player: int
    seed: bytes = b""
    kept: bytes = b""
    rolls: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seed = self.seed or PLAYER_SEEDS[self.player]

    def see_opening(self, opening: bytes) -> bytes:
        """Check and keep the opening receipt; only then give the seed."""
        read_receipts(opening)
        assert not verify_log(opening).failures, "a device opens nothing on a false receipt"
        if b'"seeding":"committed"' in opening:
            assert sha256(self.seed).encode() in opening, "my commitment does not stand in it"
        self.kept = opening
        return self.seed

    def see_roll(self, receipt: bytes) -> None:
        self.rolls.append(receipt)

    @property
    def file(self) -> bytes:
        """The receipt file as the device saves it."""
        return self.kept + b"".join(self.rolls)

    def verify(self, log: bytes) -> Report:
        return verify_log(log, [read_receipts(self.file)], my_seed=self.seed.hex())


def devices() -> tuple[Device, Device]:
    return Device(0), Device(1)


def play(service: Scribe, players: Sequence[Device], rolls: int = 4) -> Scribe:
    """An honest match up to its last roll; both devices keep all they are handed."""
    service.sign()
    if service.seeding == "committed":
        service.commit(0).commit(1).sign()
    for device in players:
        device.see_opening(service.opening)
    service.seed(0).seed(1)
    for _ in range(rolls):
        answer(service.roll(), players)
    return service


def answer(service: Scribe, players: Sequence[Device]) -> None:
    """Hand out the roll receipt for the last line."""
    for device in players:
        device.see_roll(service.receipt(len(service.lines) - 1))


def caught(report: Report, code: str, seq: int, field_name: str = "") -> None:
    """The log fails, first of all for this reason, in this line."""
    first = report.failures[0] if report.failures else None
    assert report.verdict == Verdict.FAILED
    assert first is not None
    assert (first.code, first.seq, first.field) == (code, seq, field_name)


def proved(report: Report) -> None:
    """A third person is convinced by the proof alone, read back from its file."""
    assert report.proof is not None
    assert check_proof(read_proof(encode_proof(report.proof))) == ""
