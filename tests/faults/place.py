"""Where the service runs while faults are played: its processes, its database, its disk."""

import asyncio
import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from dice_service.subprocesses import ServiceProcess
from tests.support import postgres
from tests.support.volume import NoVolumeError, Volume, volume

FAKETIME: Final = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))


class Place:
    """Processes on one database; the last of them, the witness, is only stopped if all are."""

    def __init__(
        self,
        folder: Path,
        database: str,
        processes: int,
        disk: Volume | None,
        server: postgres.Cluster | None,
    ) -> None:
        self.folder = folder
        self.database = database
        self.disk = disk
        self.server = server
        settings = {
            "DICE_DATABASE": database,
            "DICE_KEYS": str(folder / "keys"),
            "DICE_REQUEST_TIMEOUT": "3",
        }
        self.processes = [
            ServiceProcess(folder / str(number), **settings) for number in range(processes)
        ]

    @property
    def kind(self) -> str:
        """``sqlite`` or ``postgres``."""
        return "sqlite" if self.server is None else "postgres"

    @property
    def witness(self) -> ServiceProcess:
        """The process that faults of one process leave alone."""
        return self.processes[-1]

    def marks(self) -> list[int]:
        """How far each process's log goes."""
        return [process.log_file.stat().st_size for process in self.processes]

    def told(self, since: list[int]) -> list[dict[str, Any]]:
        """The lines that were logged since."""
        lines = []
        for process, begin in zip(self.processes, since, strict=True):
            text = process.log_file.read_bytes()[begin:].decode()
            lines += [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return lines

    def said(self, what: str, since: list[int]) -> str:
        """The first event since that fits a pattern; "" if there is none."""
        for line in self.told(since):
            if re.search(what, str(line["event"])):
                return str(line["event"])
        return ""

    async def until_said(self, what: str, since: list[int], seconds: float = 30.0) -> str:
        """As :meth:`said`, waiting for it; "" if it is not said in time."""
        until = asyncio.get_running_loop().time() + seconds
        while not (found := self.said(what, since)):
            if asyncio.get_running_loop().time() > until:
                return ""
            await asyncio.sleep(0.05)
        return found

    async def start(self, process: ServiceProcess, **environment: str) -> None:
        """Start a process, with more variables in its environment this once."""
        usual = process._environment
        process._environment = usual | environment
        try:
            await asyncio.to_thread(process.start)
        finally:
            process._environment = usual

    async def heal(self) -> None:
        """Whatever was left in the middle of a fault: room, the server, every process."""
        if self.disk is not None:
            await asyncio.to_thread(self.disk.clear)
        if self.server is not None and not await asyncio.to_thread(self.server.serves):
            self.server.stop(signal.SIGQUIT)
            await asyncio.to_thread(self.server.start)
        for process in self.processes:
            if process._process is None or process._process.poll() is not None:
                await self.start(process)

    async def died(self, process: ServiceProcess, seconds: float) -> bool:
        """Whether a process ends by itself in time."""
        running = process._process
        assert running is not None
        until = asyncio.get_running_loop().time() + seconds
        while running.poll() is None and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return running.returncode == -signal.SIGKILL


def resident(process: ServiceProcess) -> int:
    """A process's memory, in kilobytes; 0 if it does not run."""
    if process._process is None:
        return 0
    text = Path(f"/proc/{process._process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0])


@contextmanager
def place(kind: str, folder: Path, *, processes: int = 2, megabytes: int = 96) -> Iterator[Place]:
    """A running place. Where no volume can be mounted its ``disk`` is None.

    Raises :class:`tests.support.postgres.NoPostgresError`.
    """
    with ExitStack() as stack:
        disk: Volume | None = None
        server: postgres.Cluster | None = None
        if kind == "postgres":
            server = stack.enter_context(postgres.cluster(megabytes))
            disk, database = server.disk, server.url
        else:
            data = folder / "data"
            try:
                disk = stack.enter_context(volume(data, megabytes))
            except NoVolumeError:
                data.mkdir(exist_ok=True)
            database = f"sqlite:///{data / 'dice.db'}"
        found = Place(folder, database, processes, disk, server)
        for process in found.processes:
            stack.enter_context(process)
        yield found
