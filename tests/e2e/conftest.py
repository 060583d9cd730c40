from collections.abc import Iterator
from pathlib import Path

import pytest

from dice_service.subprocesses import ServiceProcess


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """The real service, as ``dice-service serve`` runs it."""
    with ServiceProcess(tmp_path_factory.mktemp("service")) as process:
        yield process


@pytest.fixture(scope="session")
def api_key(service: ServiceProcess) -> str:
    return service.command("api-key", "create", "--owner", "e2e")


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[ServiceProcess]:
    """One that a test may kill."""
    with ServiceProcess(tmp_path / "service") as process:
        yield process
