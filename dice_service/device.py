"""A player's device: makes its seed, keeps its receipts, opens only what is safe to open, verifies.

    device = PlayerDevice("cup-7.game-3", 0, token, base_url=…, folder=Path("receipts"))
    device.commit()          # checks the service's signed commitment, then sends its own
    device.keep_receipt()    # all three commitments, signed, on this device's disk
    device.open_seed()       # refused before that
    device.keep_roll(…)      # each roll's receipt, as the game server hands it on
                             # (in a refereed match: keep_action, each action's)
    device.verify(log)       # at the end: the whole log, against what was kept

Everything is in ``folder`` before the next step is taken, so a device that restarts goes on where
it stopped: make it again with the same arguments and repeat the step (every step may be repeated).
"""

import secrets
import time
from pathlib import Path
from typing import Literal, Self

import httpx
import msgspec
from msgspec import Struct

from dice_service.client import (
    ClientError,
    ContradictionError,
    DeviceError,
    DiceClient,
    DishonestError,
    RefusedError,
    Retries,
)
from dice_service.client.files import append_line, read_lines, write_whole
from dice_service.client.proofs import (
    OPENING_LINES,
    check_consistent,
    check_opening,
    check_receipt,
    joined,
)
from verifier.errors import InputError, LineError
from verifier.events import Linked, Match, MatchId, Roll, Seed, SeedCommitment, type_name
from verifier.fraud import encode_proof
from verifier.log import decode_line, split_lines
from verifier.receipts import Receipts, RollReceipt, encode_receipt, read_receipts
from verifier.report import Report
from verifier.seeds import commitment_of
from verifier.verify import verify_log

_STOLEN = (
    "If it was not this device, someone else has used its token: do not play, and ask the site."
)
_STOLEN_TR = (
    "Bu oyuncu adına daha önce başka bir parmak izi verilmiş. Veren sen değilsen jetonunu başkası "
    "kullanmış: oynama, siteye sor."
)
POLL = 0.2  # seconds between two questions whether the other player has committed


class _State(Struct, frozen=True, forbid_unknown_fields=True):
    """What a device keeps besides the receipts. ``opening``: the two lines it checked, or ""."""

    match_id: str
    player: int
    seeding: str
    seed: str
    opening: str = ""
    opened: bool = False

    def __repr__(self) -> str:
        """Without the seed."""
        return f"_State({self.match_id!r}, {self.player}, opened={self.opened})"


class PlayerDevice:
    """One player's side of one match. Raises :class:`ClientError`, and OSError if its disk fails.

    ``player`` is 0 or 1, ``token`` that player's token, ``folder`` where the device's files are
    kept. ``label`` (the player's name in the match) and ``public_key`` (the service's signing key,
    64 hex digits) are compared with the signed opening where given. ``seeding`` is the one agreed
    on: a service that opens another is refused.
    """

    def __init__(
        self,
        match_id: str,
        player: Literal[0, 1],
        token: str,
        *,
        base_url: str,
        folder: Path,
        label: str | None = None,
        seeding: Literal["committed", "direct"] = "committed",
        public_key: str | None = None,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        try:
            msgspec.convert(match_id, MatchId)
        except msgspec.ValidationError:
            raise DeviceError("invalid", f"{match_id!r} is no match id") from None
        self.match_id = match_id
        self.player = player
        self._label = label
        self._pinned = (public_key,) if public_key else ()
        name = f"{match_id}.player{player}"
        self.state_file = folder / f"{name}.device.json"
        self.receipt_file = folder / f"{name}.receipt.jsonl"
        self.log_file = folder / f"{name}.zarf.jsonl"
        self.fraud_file = folder / f"{name}.fraud.json"
        self.contradiction_file = folder / f"{name}.contradiction.jsonl"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._state = self._load_state(seeding)
        self._kept = self._load_receipts()
        self._lines: dict[int, tuple[RollReceipt, Linked]] = {}
        for receipt in self._kept.rolls:
            event = check_consistent(receipt, self._match, self._lines)
            self._lines[receipt.seq] = (receipt, event)
        self._client = DiceClient(
            base_url, token, public_keys=self._pinned, retries=retries, transport=transport
        )

    @property
    def commitment(self) -> str:
        """The SHA-256 of this device's seed, which it may tell anyone."""
        return commitment_of(self._state.seed)

    @property
    def seed(self) -> str:
        """This device's seed. Tell no one before :meth:`open_seed`."""
        return self._state.seed

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """The rolls whose receipts this device holds, in their order."""
        kept = (event for _, (_, event) in sorted(self._lines.items()))
        return tuple(event for event in kept if isinstance(event, Roll))

    def check_opening(self) -> Match:
        """The match's first line, once the service has signed it and it says what was agreed.

        The two lines are kept: a later answer that differs from them is a contradiction.
        """
        if not self._state.opening:
            lines, _ = split_lines(self._client.log(self.match_id).data)
            opening = lines[:OPENING_LINES]
            match = self._agreed(opening)
            if match.commitment == self.commitment:
                raise DishonestError("commitments-equal", "the service commits to this very seed")
            self._save(msgspec.structs.replace(self._state, opening=joined(opening).decode()))
        return self._match

    def commit(self) -> None:
        """Send this device's commitment, after :meth:`check_opening`; in committed seeding only."""
        if self._state.seeding != "committed":
            raise DeviceError("not-due", f"in {self._state.seeding} seeding nothing is committed")
        self.check_opening()
        try:
            answer = self._client.commit(
                self.match_id, player=self.player, commitment=self.commitment
            )
        except RefusedError as error:
            if error.code != "commitment-differs":
                raise
            error.detail, error.detail_tr = f"{error.detail} {_STOLEN}", _STOLEN_TR
            raise
        event = _line(answer.line, answer.seq)
        if not isinstance(event, SeedCommitment) or (event.player, event.commitment) != (
            self.player,
            self.commitment,
        ):
            raise DishonestError("answer-differs", "another commitment was logged than was sent")

    def keep_receipt(self, *, wait: float = 0.0) -> Path:
        """Fetch, check and keep the opening receipt; returns its file.

        ``wait``: seconds to go on asking while the other player has not committed yet
        (``receipt-not-ready`` is raised after that).
        """
        match = self.check_opening()
        if self._kept.opening:
            return self.receipt_file
        until = time.monotonic() + wait
        while True:
            try:
                data = self._client.receipt(self.match_id)
                break
            except ClientError as error:
                if error.code != "receipt-not-ready" or time.monotonic() + POLL > until:
                    raise
            time.sleep(POLL)
        lines, _ = split_lines(data)
        try:
            check_receipt(lines, self._opening, match, self.player, self.commitment)
        except ContradictionError as error:
            self._keep_evidence(error)
            raise
        write_whole(self.receipt_file, data)
        self._kept = self._load_receipts()
        return self.receipt_file

    def open_seed(self) -> None:
        """Open this device's seed. Refused (``receipt-missing``) before the receipt is kept.

        In ``direct`` seeding the receipt is the signed opening alone, which is fetched here.
        """
        if self._state.seeding == "direct":
            self.keep_receipt()
        self._kept = self._load_receipts()  # what counts is what the disk holds
        self._require_receipt("the seed stays closed")
        answer = self._client.open_seed(self.match_id, player=self.player, seed=self._state.seed)
        event = _line(answer.line, answer.seq)
        if not isinstance(event, Seed) or (event.player, event.seed) != (
            self.player,
            self._state.seed,
        ):
            raise DishonestError("answer-differs", "another seed was logged than was sent")
        self._save(msgspec.structs.replace(self._state, opened=True))

    def keep_roll(self, receipt: RollReceipt | bytes) -> Roll:
        """Check and keep a roll's receipt, as the game server hands it on; returns the roll.

        Raises :class:`ContradictionError` with both receipts if it contradicts one kept before;
        both are then in ``contradiction_file``, and in ``fraud_file`` where they are a proof.
        """
        event = self.keep_action(receipt)
        if not isinstance(event, Roll):
            raise DishonestError("roll-malformed", f"the receipt is of a {type_name(event)}")
        return event

    def keep_action(self, receipt: RollReceipt | bytes) -> Linked:
        """As :meth:`keep_roll`, for any action of a refereed match; returns the line signed."""
        self._require_receipt("no roll can be checked")
        if isinstance(receipt, bytes):
            try:
                receipt = msgspec.json.decode(receipt, type=RollReceipt)
            except (msgspec.MsgspecError, UnicodeError) as error:
                raise DishonestError("receipt-malformed", f"not a roll receipt: {error}") from None
        try:
            event = check_consistent(receipt, self._match, self._lines)
        except ContradictionError as error:
            self._keep_evidence(error)
            raise
        if receipt.seq not in self._lines:
            append_line(self.receipt_file, encode_receipt(receipt))
            self._lines[receipt.seq] = (receipt, event)
            self._kept = Receipts(
                self._kept.opening, (*self._kept.rolls, receipt), self._kept.source
            )
        return event

    def follow(self) -> Report:
        """Fetch the log as far as it goes, check it against everything kept, and keep a copy.

        Raises :class:`ContradictionError` if it does not continue the copy kept before, and
        :class:`DishonestError` with the first thing that does not hold.
        """
        data = self._client.log(self.match_id).data
        before = read_lines(self.log_file)
        report = self.verify(data)
        if not data.startswith(before):
            error = ContradictionError(
                "log-rewritten",
                "the log does not continue the one this device fetched before",
                before,
                data,
                report.proof,
            )
            self._keep_evidence(error)
            raise error
        if report.failures:
            failure = report.failures[0]
            raise DishonestError(
                failure.code,
                f"line {failure.line} {failure.field}: expected {failure.expected or '-'}, "
                f"found {failure.found or '-'}",
            )
        write_whole(self.log_file, data)
        return report

    def verify(self, log: bytes) -> Report:
        """The verifier's report on a log, held against this device's receipts and its seed.

        Two signed statements that contradict each other are written to ``fraud_file``.
        """
        receipts = [self._kept] if self._kept.opening or self._kept.rolls else []
        my_seed = self._state.seed if self._state.opened else None
        key = self._match.public_key if self._state.opening else None
        try:
            report = verify_log(log, receipts, my_seed=my_seed, key=key)
        except InputError as error:
            raise DeviceError(error.code, str(error)) from None
        if report.proof:
            write_whole(self.fraud_file, encode_proof(report.proof))
        return report

    def close(self) -> None:
        """Close the connections; the files stay."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _opening(self) -> list[bytes]:
        return split_lines(self._state.opening.encode())[0]

    @property
    def _match(self) -> Match:
        if not self._state.opening:
            raise DeviceError("opening-missing", "the signed opening has not been checked yet")
        return self._agreed(self._opening)

    def _agreed(self, opening: list[bytes]) -> Match:
        """The signed match line, if it is about the match that this player agreed to play."""
        match = check_opening(opening, self.match_id, self._pinned)
        if match.seeding != self._state.seeding:
            raise DishonestError(
                "seeding-differs", f"agreed on {self._state.seeding}, opened as {match.seeding}"
            )
        if self._label is not None and match.players[self.player] != self._label:
            raise DishonestError(
                "label-differs",
                f"player {self.player} is {match.players[self.player]!r}, not {self._label!r}",
            )
        return match

    def _require_receipt(self, so: str) -> None:
        if not self._kept.opening:
            raise DeviceError("receipt-missing", f"without the signed opening receipt {so}")

    def _load_state(self, seeding: str) -> _State:
        """The state on disk; made, with a fresh seed, where there is none."""
        fresh = _State(self.match_id, self.player, seeding, secrets.token_hex(32))
        write_whole(self.state_file, msgspec.json.encode(fresh) + b"\n", replace=False)
        try:
            state = msgspec.json.decode(self.state_file.read_bytes(), type=_State)
        except (msgspec.MsgspecError, UnicodeError):
            raise DeviceError("state-damaged", f"{self.state_file} cannot be read") from None
        if (state.match_id, state.player) != (self.match_id, self.player):
            raise DeviceError("state-damaged", f"{self.state_file} is of another match or player")
        if state.seeding != seeding:
            raise DeviceError("seeding-differs", f"{self.state_file} has {state.seeding} seeding")
        return state

    def _load_receipts(self) -> Receipts:
        """The receipts on disk, checked as when they were kept."""
        data = read_lines(self.receipt_file)
        if not data:
            return Receipts()
        try:
            kept = read_receipts(data, str(self.receipt_file))
        except InputError as error:
            raise DeviceError("receipt-damaged", str(error)) from None
        check_receipt(kept.opening, self._opening, self._match, self.player, self.commitment)
        return kept

    def _save(self, state: _State) -> None:
        write_whole(self.state_file, msgspec.json.encode(state) + b"\n")
        self._state = state

    def _keep_evidence(self, error: ContradictionError) -> None:
        """Both statements, and the proof if they are one."""
        write_whole(self.contradiction_file, error.first + error.second)
        if error.proof:
            write_whole(self.fraud_file, encode_proof(error.proof))


def _line(line: str, seq: int) -> object:
    try:
        return decode_line(line.encode(), seq)
    except LineError as error:
        raise DishonestError("answer-differs", str(error)) from None
