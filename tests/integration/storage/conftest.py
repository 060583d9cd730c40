from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dice_service.storage import Storage
from dice_service.storage.databases import open_storage as open_database
from tests.support import postgres

Open = Callable[[], Storage]  # another connection to the same database, as another process has

DATABASES = ("sqlite", "postgres", "postgres-serializable", "postgres-partitioned")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=DATABASES)
def any_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'dice.db'}"
    url: str = request.getfixturevalue("pg_url")
    if request.param == "postgres-serializable":
        return postgres.with_options(url, "-cdefault_transaction_isolation=serializable")
    if request.param == "postgres-partitioned":
        postgres.partition(url)
    return url


@pytest.fixture
async def open_storage(any_database_url: str) -> AsyncIterator[Open]:
    opened: list[Storage] = []

    def another() -> Storage:
        opened.append(open_database(any_database_url))
        return opened[-1]

    yield another
    for storage in opened:
        await storage.close()


@pytest.fixture
def storage(open_storage: Open) -> Storage:
    return open_storage()
