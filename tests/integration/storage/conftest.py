from collections.abc import AsyncIterator, Callable

import pytest

from dice_service.storage.databases import open_storage as open_database
from dice_service.storage.webhooks import Database
from tests.support import postgres

Open = Callable[[], Database]  # another connection to the same database, as another process has

DATABASES = ("sqlite", "postgres", "postgres-serializable", "postgres-partitioned")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, database_of: Callable[[str], str]) -> str:
    kind, _, way = request.param.partition("-")
    url = database_of(kind)
    if way == "serializable":
        return postgres.with_options(url, "-cdefault_transaction_isolation=serializable")
    if way == "partitioned":
        postgres.partition(url)
    return url


@pytest.fixture
async def open_storage(database_url: str) -> AsyncIterator[Open]:
    opened: list[Database] = []

    def another() -> Database:
        opened.append(open_database(database_url))
        return opened[-1]

    yield another
    for storage in opened:
        await storage.close()


@pytest.fixture
def storage(open_storage: Open) -> Database:
    return open_storage()
