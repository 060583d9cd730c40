"""The faults: each is played on a place under load, and ends when the place is whole again.

Each says what the service must have said of it in its log, as a pattern over a line's event.
"""

import asyncio
import random
import re
import resource
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from dice_service.crash import POINTS
from dice_service.errors import SetupError
from dice_service.subprocesses import ServiceProcess
from tests.faults.load import Kept, Load, LoadError
from tests.faults.place import FAKETIME, Place, resident
from tests.support import postgres

Play = Callable[[Place, Load, random.Random], Awaitable[None]]
GIGABYTE: Final = 1 << 30


@dataclass(frozen=True)
class Fault:
    """``says`` is a pattern over the log's events; "" where the fault itself looks.

    ``needs``: ``disk``, ``server``, ``file`` (SQLite), ``limits``, ``faketime``. ``stops_all``: no
    process lives through it.
    """

    name: str
    play: Play
    says: str = ""
    needs: tuple[str, ...] = ()
    stops_all: bool = False

    def of(self, place: Place) -> bool:
        """Whether it is one of this kind of place."""
        others = "server" if place.server is None else "file"
        return others not in self.needs and ("limits" not in self.needs or place.disk is None)

    def missing(self, place: Place) -> str:
        """What the place lacks for it; "" if nothing."""
        have = {
            "disk": place.disk is not None,
            "server": place.server is not None,
            "file": place.server is None,
            "limits": place.server is None and place.disk is None,
            "faketime": bool(FAKETIME),
        }
        return ", ".join(need for need in self.needs if not have[need])


async def strike(fault: Fault, place: Place, load: Load, source: random.Random) -> str:
    """Play a fault under load, see that the load goes on after it; what the service said of it.

    Raises :class:`LoadError` when it does not go on, or says nothing.
    """
    since = place.marks()
    await load.more(5)
    try:
        await fault.play(place, load, source)
    except Exception:
        await place.heal()
        raise
    await load.more(20)
    said = await place.until_said(fault.says, since, 15) if fault.says else fault.name
    if not said:
        events = sorted({str(line["event"]) for line in place.told(since)})
        raise LoadError(f"{fault.name}: nothing was said of it, but {events}")
    traces = [line for line in place.told(since) if "exception" in line]
    if traces:
        raise LoadError(f"{fault.name}: {traces[0]}")
    return said


def victim(place: Place, source: random.Random) -> ServiceProcess:
    """One of the processes that may be hurt."""
    return source.choice(place.processes[:-1] or place.processes)


async def kill(place: Place, load: Load, source: random.Random) -> None:
    """kill -9 at any moment."""
    process = victim(place, source)
    await load.more(source.randint(1, 20))
    process.kill()
    await place.start(process)


async def kill_at_a_point(place: Place, load: Load, source: random.Random) -> None:
    """kill -9 at a named point between receiving and answering."""
    del load
    process = victim(place, source)
    await asyncio.to_thread(process.stop)
    point = f"{source.choice(POINTS)}:{source.randint(1, 25)}"
    try:
        await place.start(process, DICE_TEST_CRASH_AT=point)
    except SetupError:
        pass  # it was asked, and died, before it had told that it is ready
    else:
        if not await place.died(process, 30):
            raise LoadError(f"{point} was not passed")
    process.kill()
    await place.start(process)


async def terminate(place: Place, load: Load, source: random.Random) -> None:
    """SIGTERM under load: it answers what it has begun and ends with status 0."""
    del load
    process = victim(place, source)
    status = await asyncio.to_thread(process.stop)
    if status != 0:
        raise LoadError(f"SIGTERM: status {status}")
    await place.start(process)


async def clock_jumps(place: Place, load: Load, source: random.Random) -> None:
    """A process's clock goes days forward, then days back."""
    process = victim(place, source)
    await asyncio.to_thread(process.stop)
    clock = place.folder / "clock"
    clock.write_text("+0\n")
    await place.start(
        process,
        LD_PRELOAD=str(FAKETIME[0]),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
        DONT_FAKE_MONOTONIC="1",
    )
    for jump in ("+", "-"):
        await load.more(20)
        clock.write_text(f"{jump}{source.randint(1, 40)}d\n")
    await load.more(20)
    await asyncio.to_thread(process.stop)
    await place.start(process)


async def rude_clients(place: Place, load: Load, source: random.Random) -> None:
    """Clients that go away in the middle, that send a byte at a time, that send a gigabyte."""
    process = victim(place, source)
    before = resident(process)
    key = load.key.encode()
    head = b"PUT /v1/matches/rude HTTP/1.1\r\nhost: dice\r\nauthorization: Bearer %b\r\n" % key
    head += b"content-type: application/json\r\n"
    for cut in range(5, len(head), 40):
        await _leave(process.port, head[:cut])
    await _leave(process.port, head + b"content-length: 30\r\n\r\n" + b'{"players"')
    match_id = next(iter(load.playing), "rude")
    roll = head.replace(b"/rude ", b"/%b/rolls/0 " % match_id.encode())
    await _leave(process.port, roll + b"content-length: 0\r\n\r\n")
    slow = asyncio.create_task(_send(process.port, [bytes([byte]) for byte in head], 0.9))
    sized = head + b"content-length: %d\r\n\r\n" % GIGABYTE
    megabyte = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    chunked = head + b"transfer-encoding: chunked\r\n\r\n"
    for begin, part in ((sized, b" " * (1 << 20)), (chunked, megabyte)):
        sent, answer = await _send(process.port, [begin] + [part] * 1024, 0)
        if sent > GIGABYTE / 4 or b" 413 " not in answer.split(b"\r\n")[0]:
            raise LoadError(f"of a gigabyte {sent} bytes were taken, and answered: {answer[:80]!r}")
    if b" 408 " not in (await slow)[1].split(b"\r\n")[0]:
        raise LoadError("a byte a second was waited for")
    grown = resident(process) - before
    if grown > 100_000:
        raise LoadError(f"it grew by {grown} kB")


async def corrupted(place: Place, load: Load, source: random.Random) -> None:
    """A copy of the file with a die changed in it: that log is refused, and every other is true."""
    folder = place.folder / "copy"
    folder.mkdir(exist_ok=True)
    file = folder / "dice.db"
    file.unlink(missing_ok=True)
    while not (rolled := [kept for kept in load.playing.values() if kept.receipts]):
        await load.more(1)
    bad = source.choice(rolled)
    index, (receipt, *_) = source.choice(list(bad.receipts.items()))
    await asyncio.to_thread(place.processes[0].command, "backup", str(file))
    await asyncio.to_thread(spoil, file, receipt.line.encode())
    process = ServiceProcess(
        folder, DICE_KEYS=str(place.folder / "keys"), DICE_DATABASE=f"sqlite:///{file}"
    )
    await asyncio.to_thread(process.command, "restore", "--nothing-lost")
    await asyncio.to_thread(process.start)
    try:
        headers = {"authorization": f"Bearer {load.key}"}
        url = f"{process.url}/v1/matches/"
        async with httpx.AsyncClient(base_url=url, headers=headers, trust_env=False) as client:
            answers = [
                await client.get(f"{bad.match_id}/log"),
                await client.put(f"{bad.match_id}/rolls/{index}", json={}),
            ]
            for kept in rolled:
                answer = await client.get(f"{kept.match_id}/log")
                if kept is not bad and receipts_differ(kept, answer.content):
                    raise LoadError(f"a damaged log of {kept.match_id} was served")
    finally:
        await asyncio.to_thread(process.stop)
    told = f"(line .* of|stored log of) match {bad.match_id} is damaged"
    if [one.status_code for one in answers] != [503, 503] or not re.search(told, _text(process)):
        raise LoadError(f"{[answer.text for answer in answers]}; {_text(process)}")


def receipts_differ(kept: Kept, log: bytes) -> bool:
    """Whether a log has other lines than were signed to the devices."""
    lines = log.splitlines()
    receipts = [one for found in kept.receipts.values() for one in found]
    return any(one.seq < len(lines) and lines[one.seq] != one.line.encode() for one in receipts)


def spoil(file: Path, line: bytes) -> None:
    """Change a die of a line wherever it stands in a SQLite file (a split page leaves copies)."""
    place = line.index(b'"dice":[') + 8
    changed = bytearray(line)
    changed[place] = b"214365"[line[place] - 0x31]
    file.write_bytes(file.read_bytes().replace(line, changed))


def _text(process: ServiceProcess) -> str:
    return process.log_file.read_text()


async def disk_full(place: Place, load: Load, source: random.Random) -> None:
    """The disk of the database fills, and is given room again."""
    del load, source
    assert place.disk is not None
    since = place.marks()
    await asyncio.to_thread(place.disk.fill)
    said = await place.until_said("sqlite: failed|postgresql: given up", since)
    await asyncio.to_thread(place.disk.clear)
    if place.server is not None and not await asyncio.to_thread(place.server.serves):
        place.server.stop(signal.SIGQUIT)
        await asyncio.to_thread(place.server.start)
    if not said:
        raise LoadError("the disk was never full")


async def files_limited(place: Place, load: Load, source: random.Random) -> None:
    """The system takes no more bytes of the processes' files: where no disk can be filled."""
    del load, source
    since = place.marks()
    numbers = [process._process.pid for process in place.processes if process._process]
    old = [resource.prlimit(number, resource.RLIMIT_FSIZE) for number in numbers]
    for number, limit in zip(numbers, old, strict=True):
        resource.prlimit(number, resource.RLIMIT_FSIZE, (131_072, limit[1]))
    said = await place.until_said("sqlite: failed", since)
    for number, limit in zip(numbers, old, strict=True):
        resource.prlimit(number, resource.RLIMIT_FSIZE, limit)
    if not said:
        raise LoadError("no limit was felt")


async def disk_fails(place: Place, load: Load, source: random.Random) -> None:
    """The disk becomes read-only at once; it is checked and mounted again."""
    del load, source
    assert place.disk is not None
    since = place.marks()
    await asyncio.to_thread(place.disk.fail)
    said = await place.until_said("sqlite: failed", since)
    for process in place.processes:
        await asyncio.to_thread(process.stop)
    await asyncio.to_thread(place.disk.mend)
    for process in place.processes:
        await place.start(process)
    if not said:
        raise LoadError("the disk did not fail")


async def server_crashes(place: Place, load: Load, source: random.Random) -> None:
    """PostgreSQL is stopped at once, as by a crash, and started again."""
    await _restart(place, load, source, signal.SIGQUIT)


async def server_restarts(place: Place, load: Load, source: random.Random) -> None:
    """PostgreSQL is stopped in order and started again."""
    await _restart(place, load, source, signal.SIGINT)


async def _restart(place: Place, load: Load, source: random.Random, number: int) -> None:
    assert place.server is not None
    await load.more(source.randint(1, 20))
    await asyncio.to_thread(place.server.stop, number)
    await asyncio.sleep(source.uniform(0.5, 2))
    await asyncio.to_thread(place.server.start)


async def connections_cut(place: Place, load: Load, source: random.Random) -> None:
    """Every connection to PostgreSQL is ended by its administrator."""
    del load, source
    sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zarf'"
    await asyncio.to_thread(postgres.execute, place.database, sql)


async def server_read_only(place: Place, load: Load, source: random.Random) -> None:
    """PostgreSQL takes no more writes, as a primary that became a standby."""
    del source
    since = place.marks()
    await asyncio.to_thread(_read_only, place.database, "on")
    said = await place.until_said("read-only", since)
    await asyncio.to_thread(_read_only, place.database, "off")
    await load.more(1)
    if not said:
        raise LoadError("it could still be written")


def _read_only(url: str, value: str) -> None:
    setting = "default_transaction_read_only"
    postgres.execute(
        postgres.with_options(url, f"-c{setting}=off"), f"ALTER SYSTEM SET {setting} = {value}"
    )
    postgres.execute(url, "SELECT pg_reload_conf()")


async def _leave(port: int, data: bytes) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    writer.transport.abort()


async def _send(port: int, parts: Sequence[bytes], pause: float) -> tuple[int, bytes]:
    """How many bytes were taken until the service had enough, and what it answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reading = asyncio.create_task(reader.read())
    sent = 0
    with suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await asyncio.wait_for(writer.drain(), 10)
            sent += len(part)
            if pause:
                await asyncio.wait([reading], timeout=pause)
            if reading.done():
                break
    answer = b""
    with suppress(ConnectionError):
        answer = await asyncio.wait_for(reading, 10)
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return sent, answer


STARTED: Final = "^started$"
FAULTS: Final = (
    Fault("kill -9", kill, STARTED),
    Fault("kill -9 at a point", kill_at_a_point, STARTED),
    Fault("SIGTERM", terminate, "^stopped$"),
    Fault("clock jumps", clock_jumps, "^clock: it jumped", ("faketime",)),
    Fault("rude clients", rude_clients, "^request$"),
    Fault("corrupted page", corrupted, needs=("file",)),
    Fault("disk full", disk_full, "full|No space left|given up", ("disk",)),
    Fault("files limited", files_limited, "sqlite: failed", ("file", "limits")),
    Fault("disk fails", disk_fails, "sqlite: failed", ("file", "disk"), stops_all=True),
    Fault("PostgreSQL crashes", server_crashes, "postgresql: ", ("server",)),
    Fault("PostgreSQL restarts", server_restarts, "postgresql: ", ("server",)),
    Fault("connections cut", connections_cut, "postgresql: ", ("server",)),
    Fault("PostgreSQL read-only", server_read_only, "read-only", ("server",)),
)
