"""A start where nothing can be written: refused in one line, and nothing is changed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx
import pytest

from dice_service.subprocesses import ServiceProcess
from tests.support.volume import NoVolumeError, volume


@contextmanager
def file_system(data: Path) -> Iterator[None]:
    """The disk is mounted read-only."""
    with volume(data, 16) as disk:
        played(data)
        disk.unmount()
        disk.mount("loop,ro")
        yield


@contextmanager
def fixed(data: Path, what: Path) -> Iterator[None]:
    """The file, or the folder, may not be changed, which root needs an ext4 for."""
    with volume(data, 16) if os.geteuid() == 0 else nullcontext():
        played(data)
        if os.geteuid() == 0:
            subprocess.run(["chattr", "+i", what], check=True)
        else:
            what.chmod(what.stat().st_mode & ~0o222)
        yield
        if os.geteuid() == 0:
            subprocess.run(["chattr", "-i", what], check=True)
        else:
            what.chmod(what.stat().st_mode | 0o200)


def played(data: Path) -> None:
    """One match in a database that was closed."""
    data.mkdir(exist_ok=True)
    with process(data) as service:
        key = service.command("api-key", "create", "--owner", "club")
        answer = httpx.put(
            f"{service.url}/v1/matches/m-1",
            json={"players": ["Ayşe", "Bora"]},
            headers={"authorization": f"Bearer {key}"},
            trust_env=False,
        )
        assert answer.status_code == 201


def process(data: Path) -> ServiceProcess:
    return ServiceProcess(data.parent / "run", DICE_DATABASE=f"sqlite:///{data / 'dice.db'}")


@pytest.mark.parametrize("kind", ["file system", "folder", "file"])
def test_a_start_on_what_cannot_be_written_is_refused_in_one_line(
    kind: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    file = data / "dice.db"
    whole = kind == "file system"
    try:
        with file_system(data) if whole else fixed(data, data if kind == "folder" else file):
            before = file.read_bytes()
            done = subprocess.run(
                [sys.executable, "-m", "dice_service.cli", "serve", "--port", "0"],
                env=process(data)._environment,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
            assert file.read_bytes() == before
    except NoVolumeError as why:
        pytest.skip(f"{why}")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"dice-service: cannot use {file}: ")
