"""A dice-only match, told step by step."""

import secrets
import shlex
import signal
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from dice_service.client import DiceClient
from dice_service.demo.voice import Voice
from dice_service.device import PlayerDevice
from dice_service.subprocesses import ServiceProcess
from verifier.cli import main as dice_verify
from verifier.events import Player, Purpose
from verifier.page.build import TARGET
from verifier.receipts import encode_receipt, read_receipts
from verifier.report import Verdict
from verifier.verify import verify_log

PLAYERS = ("Ayşe", "Bora")
Seeding = Literal["committed", "direct"]


def _dice_verify_here() -> str:
    """How the verifier is started from this folder: it need not be on the path."""
    program = Path(sys.executable).with_name("dice-verify")
    try:
        return str(program.relative_to(Path.cwd()))
    except ValueError:
        return str(program)


class Demo:
    """A match of ``rolls`` rolls in ``folder``, from its opening to its verdict."""

    terms: Mapping[str, Any] = {}  # how the match is opened, besides its players and its seeding
    stay = False  # whether the service goes on, for a browser, when all is told

    def __init__(self, rolls: int, folder: Path, seeding: Seeding, voice: Voice) -> None:
        self.rolls, self.folder, self.seeding, self.voice = rolls, folder, seeding, voice
        self.match_id = f"demo-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self.log_file = folder / f"{self.match_id}.zarf.jsonl"

    def run(self) -> int:
        """Play, verify, tell. The exit status: 0 if the verdict is the best there is."""
        if not self.voice.brief:
            self.voice.say(
                "Zarf: the dice of a whole match, sealed, rolled over HTTP and verified."
            )
        receipts = self._play()
        status = self._verify(receipts)
        if self.stay:
            self._serve(receipts)
        return status

    def _serve(self, receipts: list[Path]) -> None:
        """The service once more, for the page; until Ctrl-C."""
        with ServiceProcess(self.folder) as service, suppress(KeyboardInterrupt):
            self.voice.say()
            self.voice.say(f"page: {service.url}/verify/{self.match_id}")
            self.voice.say(
                f"   Open it in a browser, and give it the receipt {receipts[0]}: without one it "
                "cannot tell that the log was not written after the match. Ctrl-C ends."
            )
            signal.pause()

    def _play(self) -> list[Path]:
        with ExitStack() as stack:
            service = stack.enter_context(ServiceProcess(self.folder))
            key = service.command("api-key", "create", "--owner", "demo")
            dice = stack.enter_context(DiceClient(service.url, key))
            self._sealed(dice, service)
            devices = [stack.enter_context(self._device(service, p)) for p in (0, 1)]
            if self.seeding == "committed":
                self._committed(devices)
            self._opened(devices)
            self._rolled(dice, devices)
            self._revealed(dice)
            return [device.receipt_file for device in devices]

    def _sealed(self, dice: DiceClient, service: ServiceProcess) -> None:
        self.voice.step(
            "Sealed",
            """The game server opens a match. Before it knows anything of the players, the dice
            service makes a secret and commits to it: it signs the secret's SHA-256.""",
        )
        opening = dice.open_match(
            self.match_id, players=PLAYERS, seeding=self.seeding, **self.terms
        )
        self.tokens = opening.tokens
        self.public_key = opening.public_key
        self.voice.fact("service", f"{service.url} (log: {service.log_file})")
        self.voice.fact("match", opening.match_id)
        self.voice.fact("service's commitment", opening.commitment)
        self.voice.fact("signed by key", opening.public_key)

    def _device(self, service: ServiceProcess, player: Player) -> PlayerDevice:
        return PlayerDevice(
            self.match_id,
            player,
            self.tokens[player],
            base_url=service.url,
            folder=self.folder / f"player{player}",
            label=PLAYERS[player],
            seeding=self.seeding,
            public_key=self.public_key,
        )

    def _committed(self, devices: list[PlayerDevice]) -> None:
        self.voice.step(
            "Committed",
            """Each player's device checks that signature, makes a seed of its own and commits to
            it likewise. So all three have chosen, and nobody has seen another's choice.""",
        )
        for device in devices:
            device.commit()
            self.voice.fact(f"{PLAYERS[device.player]}'s commitment", device.commitment)
        self.voice.step(
            "Receipts",
            """The service signs all three commitments at once. Each device keeps that receipt on
            its own disk, and opens its seed only now: whoever changes a commitment later is
            convicted by it.""",
        )
        for device in devices:
            self.voice.fact(f"{PLAYERS[device.player]} keeps", str(device.keep_receipt()))

    def _opened(self, devices: list[PlayerDevice]) -> None:
        committed = """Each device sends its seed itself, so the game server cannot put another
        in its place. From here on every die is fixed: the service can work them out, and
        neither it nor anyone else can change them."""
        direct = """In direct seeding each device sends its seed with no commitment before. That
        leaves one thing to trust: that the service does not help one player choose last."""
        self.voice.step("Opened", committed if self.seeding == "committed" else direct)
        for device in devices:
            device.open_seed()
            self.voice.fact(f"{PLAYERS[device.player]}'s seed", device.seed)

    def _rolled(self, dice: DiceClient, devices: list[PlayerDevice]) -> None:
        self.voice.step(
            "Rolled",
            """The game server asks for roll 0, 1, 2 … and hands each signed receipt to both
            devices, which check and keep it. HMAC-SHA256 of the three secrets and the number
            gives the dice: no roll can be taken back, repeated or left out. A roll asked for
            again, as after a lost answer, is the same roll.""",
        )
        turn: Player | None = None  # whose: nobody's while the opening roll is tied
        for index in range(self.rolls):
            purpose: Purpose = "opening" if turn is None else "turn"
            asked = turn
            answer = dice.roll(self.match_id, index, purpose=purpose, player=asked)
            for device in devices:
                device.keep_roll(encode_receipt(answer.receipt))
            who = "opening" if turn is None else PLAYERS[turn]
            self.voice.roll(index, who, answer)
            if turn is not None:
                turn = 0 if turn else 1
            elif answer.dice[0] != answer.dice[1]:
                turn = 0 if answer.dice[0] > answer.dice[1] else 1
            if index == self.rolls - 1:
                again = dice.roll(self.match_id, index, purpose=purpose, player=asked)
                self.voice.roll(index, "again", again)

    def _revealed(self, dice: DiceClient) -> None:
        self.voice.step(
            "Revealed",
            """The match is over: the service opens its secret. Its SHA-256 is the commitment of
            step 1, so it is the one that was chosen before the first roll.""",
        )
        end = dice.end(self.match_id)
        self.log_file.write_bytes(dice.log(self.match_id).data)
        self.voice.fact("service's secret", end.server_seed)
        self.voice.fact("log's head", end.head)

    def _verify(self, receipts: list[Path]) -> int:
        self.voice.step(
            "Verified",
            """The service is stopped. What follows needs the log and a receipt, and no network:
            the verifier redoes every roll. Run it yourself:""",
        )
        arguments = [str(self.log_file), "--receipt", str(receipts[0])]
        if not self.voice.brief:
            self.voice.say(f"   {shlex.join([_dice_verify_here(), *arguments])}")
            self.voice.say()
            dice_verify(arguments)
            self.voice.say()
            self.voice.say("   The same in a browser, with no network, by choosing these files in")
            self.voice.say(f"   {TARGET.as_uri()}")
        kept = read_receipts(receipts[0].read_bytes())
        report = verify_log(self.log_file.read_bytes(), [kept])
        if self.voice.brief:
            self.voice.say(f"{report.verdict.value}: {report.rolls} rolls")
        else:
            self.voice.say()
        self.voice.say(f"log: {self.log_file}")
        for receipt in receipts:
            self.voice.say(f"receipt: {receipt}")
        as_good_as_it_gets = report.verdict is Verdict.VERIFIED or report.why == "direct-seeding"
        return 0 if as_good_as_it_gets else 1
