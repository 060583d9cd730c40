"""A folder with keys and matches whose rolls are due, made by the service's own code."""

import asyncio
import hashlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dice_service import sealing, signing
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage.sqlite import SqliteStorage
from verifier.events import Player

OWNER = "bench"
AT_ONCE = 256
PLAYERS: tuple[Player, Player] = (0, 1)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on the disk that the repository is on; gone afterwards."""
    var = Path("var")
    var.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=var)).absolute()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def match_ids(count: int) -> list[str]:
    """The names of the matches that are played."""
    return [f"bench-{number:06}" for number in range(count)]


def make_keys(folder: Path) -> None:
    """The service's keys, in the folder's ``keys/``."""
    signing.make_key(folder / "keys")
    sealing.make_key(folder / "keys")


def open_matches(folder: Path, storage: SqliteStorage) -> Matches:
    """The matches of a storage under the folder's keys."""
    keys = folder / "keys"
    return Matches(storage, SigningRing.load(keys), SealingRing.load(keys))


def make_matches(folder: Path, ids: list[str]) -> None:
    """Open these matches in the folder's ``dice.db``, up to the point where rolls are due."""

    async def make() -> None:
        storage = SqliteStorage(folder / "dice.db")
        matches = open_matches(folder, storage)
        for start in range(0, len(ids), AT_ONCE):
            await asyncio.gather(*(ready(matches, i) for i in ids[start : start + AT_ONCE]))
        await matches.close()
        await storage.close()

    asyncio.run(make())


async def ready(matches: Matches, match_id: str) -> None:
    """Open a match and take both players' commitments and seeds."""
    await matches.open(OWNER, match_id, players=("Ayşe", "Bora"))
    seeds = [secrets.token_bytes(32) for _ in PLAYERS]
    for player in PLAYERS:
        await matches.commit(match_id, player, hashlib.sha256(seeds[player]).hexdigest())
    for player in PLAYERS:
        await matches.open_seed(match_id, player, seeds[player].hex())
