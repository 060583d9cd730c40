"""The service as a process of its own on a free port, for the demo and for the tests."""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

import httpx

from dice_service.errors import SetupError

START = 20.0  # seconds that a start may take
STOP = 10.0

_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")


class ServiceProcess:
    """``dice-service serve`` on SQLite in a folder; a context manager that stops it.

    ``folder`` gets ``keys/``, ``dice.db`` and ``service.log``; what is there already is used.
    The port stays the same over :meth:`kill` and :meth:`start`. Raises :class:`SetupError`.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("DICE_")}
        self._environment = {
            **inherited,
            "DICE_DATABASE": f"sqlite:///{folder.absolute() / 'dice.db'}",
            "DICE_KEYS": str(folder.absolute() / "keys"),
            "DICE_HOST": "127.0.0.1",
            **settings,
        }

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log_file(self) -> Path:
        """What the service has logged."""
        return self.folder / "service.log"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.command("init")
        try:
            self.start()
        except BaseException:  # Ctrl-C too: __exit__ will not be called
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def command(self, *arguments: str) -> str:
        """What a ``dice-service`` command prints."""
        done = subprocess.run(  # noqa: S603 - this program itself
            _dice_service(*arguments), env=self._environment, capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise SetupError("command-failed", f"dice-service {arguments[0]}: {said}")
        return done.stdout.decode().strip()

    def start(self) -> None:
        """Start it and wait until it is ready: on a free port first, on the same one again."""
        with self.log_file.open("ab") as log:
            begin = log.seek(0, os.SEEK_END)
            # A session of its own: Ctrl-C ends the demo, and the demo ends the service.
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                _dice_service("serve", "--port", str(self.port)),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + START
        while self._process.poll() is None and time.monotonic() < until:
            if listening := _LISTENING.search(self._logged(begin)):
                self.port = int(listening[1])
                with suppress(httpx.TransportError):
                    if httpx.get(f"{self.url}/readyz", trust_env=False).is_success:
                        return
            time.sleep(0.05)
        self.kill()
        said = self._logged(begin).strip().rsplit("\n", 1)[-1] or "it said nothing"
        raise SetupError("not-started", f"the service did not start: {said}")

    def _logged(self, begin: int) -> str:
        return self.log_file.read_bytes()[begin:].decode(errors="replace")

    def stop(self) -> int | None:
        """End it as an operator does: it finishes what it has begun. Its exit status."""
        if self._process is None:
            return None
        self._process.terminate()
        try:
            status = self._process.wait(STOP)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self._process = None
        return status

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _dice_service(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dice_service.cli", *arguments]
