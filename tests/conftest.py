import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TypeVar

import pytest

from tests.support import postgres

T = TypeVar("T")


def _had(stack: ExitStack, found: AbstractContextManager[T]) -> T:
    """A PostgreSQL, which CI must have; elsewhere the test is skipped where there is none."""
    try:
        return stack.enter_context(found)
    except postgres.NoPostgresError as why:
        if os.environ.get("CI"):
            pytest.fail(f"CI has no PostgreSQL: {why}")
        pytest.skip(f"no PostgreSQL: {why}")


@pytest.fixture(scope="session")
def pg_server() -> Iterator[str]:
    """The URL of a real PostgreSQL, one for each worker of pytest-xdist."""
    with ExitStack() as stack:
        yield _had(stack, postgres.server())


@pytest.fixture
def pg_url(pg_server: str) -> Iterator[str]:
    """The URL of an empty database."""
    with postgres.empty_database(pg_server) as url:
        yield url


@pytest.fixture(scope="module")
def pg_cluster() -> Iterator[postgres.Cluster]:
    """A server that tests may stop and start."""
    with ExitStack() as stack:
        yield _had(stack, postgres.cluster())


@pytest.fixture
def database_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """The URL of an empty database of a kind: ``sqlite`` or ``postgres``."""

    def url(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / 'dice.db'}"
        found: str = request.getfixturevalue("pg_url")
        return found

    return url
