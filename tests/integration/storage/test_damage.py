"""Bytes that changed in a SQLite file: what is told is true or refused, whichever they were."""

import random
import shutil
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from dice_service.errors import Refusal, SetupError
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage.sqlite import SqliteStorage

pytestmark = pytest.mark.anyio

PAGE = 4096
MATCHES, ROLLS = 4, 12
SEEDS = ("0a" * 31 + "0b", "0c" * 31 + "0d")


class World:
    """A file with some matches, one of them ended, and all that was told of them."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "dice.db"
        self.copy = folder / "copy.db"
        self.rings = SigningRing.generate(), SealingRing.generate()
        self.truth: dict[str, object] = {}

    async def play(self) -> None:
        storage = SqliteStorage(self.path)
        matches = Matches(storage, *self.rings)
        for number in range(MATCHES):
            await matches.open("club", f"m-{number}", players=("Ayşe", "Bora"), seeding="direct")
            await matches.open_seed(f"m-{number}", 0, SEEDS[0])
            await matches.open_seed(f"m-{number}", 1, SEEDS[1])
            for index in range(ROLLS):
                await matches.roll(f"m-{number}", index)
        await matches.end("m-0", reason="finished")
        self.truth = await self.told(matches)
        await storage.close()

    async def told(self, matches: Matches) -> dict[str, object]:
        """Everything that is said of what stands: refusals are left out."""
        found: dict[str, object] = {}

        async def ask(name: str, asking: Awaitable[Any]) -> None:
            try:
                found[name] = await asking
            except Refusal as refusal:
                if refusal.code not in {"storage-failed", "not-found", "key-missing"}:
                    raise

        for match_id in (f"m-{number}" for number in range(MATCHES)):
            # Repeats first: afterwards the whole log was read, and is in memory.
            for index in range(ROLLS):
                asking = matches.roll(match_id, index)
                await ask(f"{match_id} {index}", _value(asking))
            await ask(f"{match_id} log", matches.log(match_id))
            await ask(f"{match_id} view", matches.view(match_id))
        return found

    async def spoilt(self, content: bytes) -> dict[str, object]:
        """What is told over a file of this content."""
        for beside in self.copy.parent.glob("copy.db*"):
            beside.unlink()
        self.copy.write_bytes(content)
        try:
            storage = SqliteStorage(self.copy)
        except SetupError:
            return {}  # noticed at the start
        try:
            return await self.told(Matches(storage, *self.rings))
        finally:
            await storage.close()


async def _value(asking: Awaitable[Any]) -> object:
    return (await asking).value


@pytest.fixture
async def world(tmp_path: Path) -> World:
    found = World(tmp_path)
    await found.play()
    return found


def without_owner(told: dict[str, object]) -> dict[str, object]:
    """Whose a match is, no line says."""
    return {
        name: getattr(value, "data", getattr(value, "view", value)) for name, value in told.items()
    }


async def test_any_page_that_is_lost_is_noticed_or_not_needed(world: World) -> None:
    content = world.path.read_bytes()
    truth = without_owner(world.truth)
    assert len(truth) == MATCHES * (ROLLS + 2)
    noticed = 0
    for start in range(0, len(content), PAGE):
        for rubbish in (b"\xa5" * PAGE, bytes(PAGE)):
            told = await world.spoilt(content[:start] + rubbish + content[start + PAGE :])
            assert without_owner(told).items() <= truth.items()
            noticed += len(told) < len(truth)
    assert noticed >= 2 * (MATCHES * ROLLS * 250 // PAGE)  # at least the pages that hold the lines


async def test_any_single_byte_of_a_line_is_noticed(world: World) -> None:
    """A changed byte that is still JSON, and still a line of the grammar, too."""
    content = world.path.read_bytes()
    truth = without_owner(world.truth)
    source = random.Random(4)
    lines = [at for at in range(len(content)) if content.startswith(b'"time":"', at)]
    noticed = 0
    for at in source.sample(lines, 40):
        for place in (at + 8 + source.randrange(23), at + source.randrange(-40, 90)):
            changed = bytearray(content)
            changed[place] = ord("7") if content[place : place + 1] != b"7" else ord("3")
            told = without_owner(await world.spoilt(bytes(changed)))
            assert told.items() <= truth.items(), (place, content[place - 30 : place + 30])
            noticed += len(told) < len(truth)
    assert noticed > 70


async def test_the_last_line_of_an_unfinished_log_is_noticed_too(world: World) -> None:
    storage = SqliteStorage(world.path)
    last = (await storage.lines("m-3"))[-1]
    await storage.close()
    time = last.index(b'"time":"') + 8 + 22
    changed = bytearray(last)
    changed[time] = ord("7") if last[time] != ord("7") else ord("3")
    content = world.path.read_bytes()
    assert content.count(last) == 1
    told = await world.spoilt(content.replace(last, bytes(changed)))
    assert not any(name.startswith("m-3") for name in told)
    assert sum(name.startswith("m-2") for name in told) == ROLLS + 2


async def test_a_byte_that_changes_while_the_match_is_in_memory_is_noticed(world: World) -> None:
    shutil.copy(world.path, world.copy)
    storage = SqliteStorage(world.copy)
    matches = Matches(storage, *world.rings)
    assert without_owner(await world.told(matches)) == without_owner(world.truth)
    lines = await storage.lines("m-1")
    line = lines[6]
    content = world.copy.read_bytes()
    assert content.count(line) == 1
    place = line.index(b'"dice":[') + 8
    other = line[:place] + (b"1" if line[place : place + 1] != b"1" else b"2") + line[place + 1 :]
    world.copy.write_bytes(content.replace(line, other))
    await storage._reader.run(lambda db: db.execute("PRAGMA shrink_memory"))  # it has the pages too
    for asking in (matches.log("m-1"), matches.roll("m-1", 6 - 4)):
        with pytest.raises(Refusal, match="damaged") as caught:
            await asking
        assert caught.value.code == "storage-failed"
    assert (await matches.log("m-2")).data == b"".join(
        one + b"\n" for one in await storage.lines("m-2")
    )
    await storage.close()
