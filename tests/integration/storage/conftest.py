from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dice_service.storage import Storage
from dice_service.storage.sqlite import SqliteStorage

Open = Callable[[], Storage]  # another connection to the same database, as another process has

OPENERS: dict[str, Callable[[Path], Storage]] = {
    "sqlite": lambda folder: SqliteStorage(folder / "dice.db"),
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=list(OPENERS))
async def open_storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    opened: list[Storage] = []

    def another() -> Storage:
        opened.append(OPENERS[request.param](tmp_path))
        return opened[-1]

    yield another
    for storage in opened:
        await storage.close()


@pytest.fixture
def storage(open_storage: Open) -> Storage:
    return open_storage()
