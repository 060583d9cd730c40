import io
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import structlog

from dice_service import logs
from tests.support.api import Api, opened


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def log_lines() -> Iterator[io.StringIO]:
    """What is logged, at the level that logs the most."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    logs.configure("debug", stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, database_of: Callable[[str], str]) -> str:
    return database_of(request.param)


@pytest.fixture
async def api(tmp_path: Path, database_url: str) -> AsyncIterator[Api]:
    async with opened(tmp_path, database=database_url) as found:
        yield found
