"""A match played over HTTP, for the tests of this folder."""

import secrets
from pathlib import Path
from typing import Any, Literal

from dice_service.client import DiceClient, Retries
from dice_service.device import PlayerDevice
from verifier.receipts import encode_receipt, read_receipts
from verifier.report import Verdict
from verifier.verify import verify_log

Seeding = Literal["committed", "direct"]
PATIENT = Retries(attempts=60, first=0.05, longest=0.2)
PLAYERS = ("Ayşe", "Bora")


def fresh_id() -> str:
    return f"e2e-{secrets.token_hex(6)}"


def opened(
    dice: DiceClient,
    url: str,
    folder: Path,
    match_id: str,
    seeding: Seeding = "committed",
    **terms: Any,
) -> tuple[PlayerDevice, PlayerDevice]:
    """Open a match (refereed under ``terms``) and bring two devices to its first roll."""
    opening = dice.open_match(match_id, players=PLAYERS, seeding=seeding, **terms)

    def device(player: Literal[0, 1]) -> PlayerDevice:
        return PlayerDevice(
            match_id,
            player,
            opening.tokens[player],
            base_url=url,
            folder=folder,
            label=PLAYERS[player],
            seeding=seeding,
            public_key=opening.public_key,
            retries=PATIENT,
        )

    devices = device(0), device(1)
    if seeding == "committed":
        for one in devices:
            one.commit()
        for one in devices:
            one.keep_receipt()
    for one in devices:
        one.open_seed()
    return devices


def rolled(
    dice: DiceClient, devices: tuple[PlayerDevice, PlayerDevice], match_id: str, index: int
) -> tuple[int, int]:
    answer = dice.roll(match_id, index)
    for one in devices:
        one.keep_roll(encode_receipt(answer.receipt))
    return answer.dice


def finished(
    dice: DiceClient, devices: tuple[PlayerDevice, PlayerDevice], match_id: str, rolls: int
) -> None:
    """End the match; every device verifies it, and so does a stranger with a device's file."""
    dice.end(match_id)
    log = dice.log(match_id).data
    for one in devices:
        report = verify_log(log, [read_receipts(one.receipt_file.read_bytes())])
        best = Verdict.CONSISTENT if report.seeding == "direct" else Verdict.VERIFIED
        assert one.verify(log).verdict is best
        assert (report.verdict, report.rolls) == (best, rolls)
        one.close()
