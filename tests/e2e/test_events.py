"""Following matches of real processes: killed, stopped, started again, and two at once."""

import asyncio
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from dice_service.client import AsyncDiceClient, DiceClient, LogLine, Retries
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import PATIENT, opened

WAIT = 30.0  # seconds for what comes in milliseconds


class Watcher:
    """A thread that follows a match, and what came."""

    def __init__(self, url: str, credential: str, match_id: str) -> None:
        self._lines: queue.Queue[LogLine | None] = queue.Queue()
        self.lines: list[LogLine] = []
        self._thread = threading.Thread(target=self._follow, args=(url, credential, match_id))
        self._thread.start()

    def _follow(self, url: str, credential: str, match_id: str) -> None:
        try:
            with DiceClient(url, credential, retries=PATIENT) as dice:
                for line in dice.events(match_id):
                    self._lines.put(line)
        finally:
            self._lines.put(None)

    def until(self, count: int) -> None:
        while len(self.lines) < count:
            line = self._lines.get(timeout=WAIT)
            assert line is not None, f"it ended after {len(self.lines)} lines"
            self.lines.append(line)

    def whole(self) -> bytes:
        while (line := self._lines.get(timeout=WAIT)) is not None:
            self.lines.append(line)
        self._thread.join()
        return b"".join(line.data + b"\n" for line in self.lines)


def ready(dice: DiceClient, url: str, folder: Path, match_id: str) -> None:
    for device in opened(dice, url, folder, match_id):
        device.close()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path / "service") as found:
        yield found


def test_a_kill_and_a_restart_lose_and_double_no_line(
    process: ServiceProcess, tmp_path: Path
) -> None:
    key = process.command("api-key", "create", "--owner", "club")
    with DiceClient(process.url, key, retries=PATIENT) as dice:
        ready(dice, process.url, tmp_path, "m")
        watchers = [Watcher(process.url, key, "m") for _ in range(3)]
        for index in range(12):
            dice.roll("m", index)
            if index % 3 == 1:
                process.kill()
                process.start()
            if index % 3 == 2:
                for watcher in watchers:
                    watcher.until(8 + index)
        dice.end("m")
        log = dice.log("m").data
        assert log.count(b"\n") == 7 + 12 + 3
        assert [watcher.whole() for watcher in watchers] == [log] * 3
    assert '"level":"error"' not in process.log_file.read_text()


def test_at_sigterm_streams_end_at_once_and_go_on_at_the_next_start(
    process: ServiceProcess, tmp_path: Path
) -> None:
    key = process.command("api-key", "create", "--owner", "club")
    with DiceClient(process.url, key, retries=PATIENT) as dice:
        ready(dice, process.url, tmp_path, "m")
        url, headers = f"{process.url}/v1/matches/m/events", {"authorization": f"Bearer {key}"}
        with httpx.stream("GET", url, headers=headers, timeout=WAIT) as stream:
            chunks = stream.iter_bytes()
            assert next(chunks).startswith(b"retry: ")
            watcher = Watcher(process.url, key, "m")
            watcher.until(7)
            begin = time.monotonic()
            assert process.stop() == 0
            assert time.monotonic() - begin < 5  # it drains for up to 10
            rest = b"".join(chunks)  # it ends in order, not by a reset
        assert rest.count(b"data: ") == 7
        assert b"event: end" not in rest
        process.start()
        dice.roll("m", 0)
        dice.end("m")
        assert watcher.whole() == dice.log("m").data


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_processes_on_one_database_tell_what_the_other_writes(
    kind: str, tmp_path: Path, database_of: Callable[[str], str]
) -> None:
    settings = {"DICE_DATABASE": database_of(kind), "DICE_KEYS": str(tmp_path / "keys")}
    with ExitStack() as stack:
        one = stack.enter_context(ServiceProcess(tmp_path / "one", **settings))
        two = stack.enter_context(ServiceProcess(tmp_path / "two", **settings))
        key = one.command("api-key", "create", "--owner", "club")
        patient = Retries(attempts=60, first=0.05, longest=0.2)

        async def play() -> tuple[list[list[bytes]], bytes]:
            async with (
                AsyncDiceClient(one.url, key, retries=patient) as first,
                AsyncDiceClient(two.url, key, retries=patient) as second,
            ):

                async def follow(dice: AsyncDiceClient) -> list[bytes]:
                    return [line.data async for line in dice.events("m")]

                async def write() -> None:
                    for index in range(60):
                        await (first, second)[index // 2 % 2].roll("m", index)
                    await second.end("m")

                writing = asyncio.create_task(write())
                logs = await asyncio.gather(*(follow(dice) for dice in (first, second) * 5))
                await writing
                return logs, (await first.log("m")).data

        with DiceClient(one.url, key) as dice:
            ready(dice, one.url, tmp_path, "m")
        logs, log = asyncio.run(asyncio.wait_for(play(), 60))
        assert len(log.splitlines()) == 70
        assert all(lines == log.splitlines() for lines in logs)


def test_a_reader_who_does_not_read_hinders_nobody_and_is_let_go_when_it_leaves(
    process: ServiceProcess, tmp_path: Path
) -> None:
    key = process.command("api-key", "create", "--owner", "club")
    with DiceClient(process.url, key, retries=PATIENT) as dice:
        ready(dice, process.url, tmp_path, "m")
        with closing(socket.socket()) as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", process.port))
            slow.sendall(
                b"GET /v1/matches/m/events HTTP/1.1\r\nHost: dice\r\n"
                b"Authorization: Bearer " + key.encode() + b"\r\n\r\n"
            )
            watcher = Watcher(process.url, key, "m")
            for index in range(100):
                dice.roll("m", index)
            watcher.until(107)
            assert _streams(process) == 2
        until = time.monotonic() + WAIT
        while _streams(process) > 1 and time.monotonic() < until:
            time.sleep(0.02)
        assert _streams(process) == 1
        dice.end("m")
        watcher.whole()
    assert '"level":"error"' not in process.log_file.read_text()


def _streams(process: ServiceProcess) -> float:
    text = httpx.get(f"{process.url}/metrics").text
    [line] = [line for line in text.splitlines() if line.startswith("dice_event_streams ")]
    return float(line.split()[1])
