"""``dice-service demo``: one whole match over HTTP, told step by step, and its verdict."""

import io
import os
import secrets
import shlex
import signal
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TextIO

from dice_service.answers import RollAnswer
from dice_service.client import ClientError, DiceClient
from dice_service.device import PlayerDevice
from dice_service.errors import SetupError
from dice_service.subprocesses import ServiceProcess
from verifier.cli import main as dice_verify
from verifier.events import Player, Purpose
from verifier.receipts import encode_receipt, read_receipts
from verifier.report import Verdict
from verifier.verify import verify_log

FOLDER = Path("var/demo")
ROLLS = 20
PLAYERS = ("Ayşe", "Bora")
Seeding = Literal["committed", "direct"]


def run(*, rolls: int = ROLLS, folder: Path = FOLDER, seeding: Seeding = "committed") -> int:
    """Play a match of ``rolls`` rolls (1 or more) in ``folder``, verify it, tell it.

    The exit status: 0 if the verdict is VERIFIED, 130 on Ctrl-C or SIGTERM, else 1.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no ş still gets the rest
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the service ends too
    try:
        return _Demo(rolls, folder, seeding, _Voice(sys.stdout)).run()
    except KeyboardInterrupt:
        sys.stderr.write("\ndice-service demo: stopped\n")
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): say nothing, and let nothing be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ClientError, SetupError, OSError) as error:
        sys.stderr.write(f"dice-service demo: {error}\n")
        return 1


class _Voice:
    """What the demo says, in colour on a terminal that wants it (https://no-color.org)."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._colour = out.isatty() and not os.environ.get("NO_COLOR")
        self._step = 0

    def step(self, title: str, why: str) -> None:
        self._step += 1
        self.say()
        self.say(self._in("1", f"{self._step}. {title}"))
        for line in why.strip().splitlines():
            self.say(self._in("2", f"   {line.strip()}"))

    def fact(self, name: str, value: str) -> None:
        self.say(f"   {name:<22} {self._in('36', value)}")

    def roll(self, index: int, who: str, answer: RollAnswer) -> None:
        dice = self._in("1", "{}-{}".format(*answer.dice))
        self.say(f"   roll {index:>3}  {who:<8} {dice}   signed as line {answer.receipt.seq + 1}")

    def say(self, text: str = "") -> None:
        self._out.write(text + "\n")
        self._out.flush()

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colour else text


class _Demo:
    def __init__(self, rolls: int, folder: Path, seeding: Seeding, voice: _Voice) -> None:
        self.rolls, self.folder, self.seeding, self.voice = rolls, folder, seeding, voice
        self.match_id = f"demo-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self.log_file = folder / f"{self.match_id}.zarf.jsonl"

    def run(self) -> int:
        self.voice.say("Zarf: the dice of a whole match, sealed, rolled over HTTP and verified.")
        receipts = self._play()
        return self._verify(receipts)

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
        opening = dice.open_match(self.match_id, players=PLAYERS, seeding=self.seeding)
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
        self.voice.say(f"   dice-verify {shlex.join(arguments)}")
        self.voice.say()
        dice_verify(arguments)
        kept = read_receipts(receipts[0].read_bytes())
        report = verify_log(self.log_file.read_bytes(), [kept])
        self.voice.say()
        self.voice.say(f"log: {self.log_file}")
        for receipt in receipts:
            self.voice.say(f"receipt: {receipt}")
        return 0 if report.verdict is Verdict.VERIFIED else 1
