"""A folder with keys and matches whose rolls are due, made by the service's own code."""

import asyncio
import hashlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dice_service import sealing, signing
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage import Storage
from dice_service.storage.databases import open_storage
from verifier.events import Player

OWNER = "bench"
AT_ONCE = 256
PLAYERS: tuple[Player, Player] = (0, 1)


class Secrets(NamedTuple):
    """A match's three seeds: the dice follow from them."""

    server: bytes
    player_0: bytes
    player_1: bytes


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


def open_matches(folder: Path, storage: Storage) -> Matches:
    """The matches of a storage under the folder's keys."""
    keys = folder / "keys"
    return Matches(storage, SigningRing.load(keys), SealingRing.load(keys))


def sqlite_url(folder: Path) -> str:
    """The folder's own database."""
    return f"sqlite:///{folder.absolute() / 'dice.db'}"


def make_matches(
    folder: Path, ids: list[str], database: str | None = None, **opening: Any
) -> list[Secrets]:
    """Open these matches, up to the point where rolls are due, under the folder's keys.

    ``database``: a URL, None for the folder's ``dice.db``; ``opening``: what
    :meth:`Matches.open` is told besides. Returns each one's secrets.
    """

    async def make() -> list[Secrets]:
        storage = open_storage(database or sqlite_url(folder))
        matches = open_matches(folder, storage)
        made = []
        for start in range(0, len(ids), AT_ONCE):
            part = [ready(matches, i, **opening) for i in ids[start : start + AT_ONCE]]
            made += await asyncio.gather(*part)
        ring = SealingRing.load(folder / "keys")
        rows = [await storage.match(match_id) for match_id in ids]
        await matches.close()
        await storage.close()
        sealed = [(row.match_id, row.sealing_key_id, row.sealed) for row in rows if row]
        return [
            Secrets(ring.open(*one).seed, *seeds) for one, seeds in zip(sealed, made, strict=True)
        ]

    return asyncio.run(make())


async def ready(matches: Matches, match_id: str, **opening: Any) -> tuple[bytes, bytes]:
    """Open a match and take both players' commitments and seeds; the seeds."""
    await matches.open(OWNER, match_id, players=("Ayşe", "Bora"), **opening)
    seeds = secrets.token_bytes(32), secrets.token_bytes(32)
    for player in PLAYERS:
        await matches.commit(match_id, player, hashlib.sha256(seeds[player]).hexdigest())
    for player in PLAYERS:
        await matches.open_seed(match_id, player, seeds[player].hex())
    return seeds
