"""One roll's workings, so that a person can redo it by hand (PROTOCOL.md, section D)."""

from dataclasses import dataclass
from typing import Any

from verifier.dice import FACES, Block, workings
from verifier.errors import InputError
from verifier.reading import read_log


@dataclass(frozen=True, slots=True)
class Workings:
    """How one roll follows from the seeds: its digests, the dice, and what the log says."""

    index: int
    secret: str
    blocks: tuple[Block, ...]
    dice: tuple[int, ...]
    recorded: tuple[int, int]

    def by_hand(self) -> list[str]:
        """The shell lines that redo each digest."""
        return [
            f"printf '%s' '{block.message}' | "
            f"openssl dgst -sha256 -mac HMAC -macopt hexkey:{self.secret}"
            for block in self.blocks
        ]

    def arithmetic(self) -> list[str]:
        """``byte mod 6 + 1`` for each die, as it is worked."""
        return [
            f"{byte} mod {FACES} + 1 = {byte % FACES + 1}"
            for block in self.blocks
            for byte in (block.digest[position] for position in block.taken)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The workings as plain values, for ``--json``."""
        return {
            "index": self.index,
            "dice": list(self.dice),
            "recorded": list(self.recorded),
            "blocks": [
                {
                    "message": block.message,
                    "digest": block.digest.hex(),
                    "skipped": block.skipped,
                    "taken": block.taken,
                    "openssl": line,
                }
                for block, line in zip(self.blocks, self.by_hand(), strict=True)
            ],
        }


def explain_roll(data: bytes, index: int) -> Workings:
    """The workings of roll ``index`` of a revealed log.

    Raises :class:`InputError` ``explain-impossible`` if the log has no such roll, or not all the
    seeds.
    """
    reading = read_log(data)
    recorded = {line.index: line.dice for _, line in reading.rolls}
    if index not in recorded:
        raise InputError(
            "explain-impossible",
            "roll {index} cannot be explained: the log has {count} rolls, counted from 0",
            index=index,
            count=len(recorded),
        )
    if reading.match is None or reading.reveal is None or len(reading.seeds) < 2:
        raise InputError(
            "explain-impossible",
            "roll {index} cannot be explained: the log does not hold all three seeds yet",
            index=index,
        )
    secret = reading.reveal[1]
    seed_0, seed_1 = (reading.seeds[player][1] for player in (0, 1))
    steps = list(workings(bytes.fromhex(secret), reading.match.match_id, seed_0, seed_1, index))
    dice = tuple(die for found, _ in steps for die in found)
    blocks = tuple(block for _, block in steps)
    return Workings(index, secret, blocks, dice, recorded[index])
