"""A process that plays one match on a database and prints each answer once it has it.

``python -m tests.support.roller FOLDER DATABASE ROLLS``: opens the match, takes commitments and
seeds, rolls and ends; a second run, or another process, asks for exactly the same again.
"""

import asyncio
import hashlib
import sys
from pathlib import Path

import msgspec

from dice_service import sealing, signing
from dice_service.answers import Outcome, encode
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage.databases import open_storage
from verifier.events import Player

MATCH = "m-1"
SEEDS = tuple(hashlib.sha256(name).hexdigest() for name in (b"player 0", b"player 1"))


def make_keys(folder: Path) -> None:
    """The keys that every run uses."""
    signing.make_key(folder)
    sealing.make_key(folder)


def open_matches(folder: Path, database: str) -> Matches:
    """The matches of a database, whose keys are in ``folder``."""
    storage = open_storage(database)
    return Matches(storage, SigningRing.load(folder), SealingRing.load(folder))


def tell(outcome: Outcome[msgspec.Struct]) -> None:
    """Write an answer out before the next request is made."""
    kind = "new" if outcome.created else "old"
    sys.stdout.write(f"{kind} {encode(outcome.value).decode()}\n")
    sys.stdout.flush()


async def play(matches: Matches, rolls: int) -> None:
    """The whole match."""
    players: tuple[Player, Player] = (0, 1)
    tell(await matches.open("club", MATCH, players=("Ayşe", "Bora")))
    for player in players:
        commitment = hashlib.sha256(bytes.fromhex(SEEDS[player])).hexdigest()
        tell(await matches.commit(MATCH, player, commitment))
    for player in players:
        tell(await matches.open_seed(MATCH, player, SEEDS[player]))
    for index in range(rolls):
        tell(await matches.roll(MATCH, index))
    tell(await matches.end(MATCH, reason="finished", winner=1))


if __name__ == "__main__":
    asyncio.run(play(open_matches(Path(sys.argv[1]), sys.argv[2]), int(sys.argv[3])))
