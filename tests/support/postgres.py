"""A real PostgreSQL for tests: ``DICE_TEST_PG_URL``, else a private cluster of the system's."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

import dice_service
from dice_service.storage.databases import open_storage
from tests.support.volume import NoVolumeError, Volume, volume

SCALING = Path(dice_service.__file__).with_name("SCALING.md")
VARIABLE = "DICE_TEST_PG_URL"
START = 30.0  # seconds
SERVER = ("-c", "listen_addresses=", "-c", "shared_buffers=32MB", "-c", "max_connections=60")
# A disk of a few megabytes is full of old log otherwise.
SMALL = ("-c", "min_wal_size=8MB", "-c", "max_wal_size=24MB")


class NoPostgresError(Exception):
    """There is none to be had, for the reason given."""


class Cluster:
    """A server of our own on a socket in a temporary folder, with ``fsync`` as it comes: on."""

    def __init__(self, folder: Path, programs: Path, disk: Volume | None = None) -> None:
        self.folder = folder
        self.disk = disk
        self.url = f"postgresql:///postgres?host={quote(str(folder), safe='')}&user=zarf"
        self.programs = programs
        self._options = SERVER if disk is None else (*SERVER, *SMALL)
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL refuses to run as root.
        self._as: dict[str, Any] = {"cwd": folder}
        if os.geteuid() == 0:
            user = _unprivileged()
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        initdb = [str(programs / "initdb"), "--pgdata=data", "--username=zarf", "--auth=trust"]
        options = ["--encoding=UTF8", "--locale=C", "--no-sync"]
        if disk is not None:
            options.append("--wal-segsize=1")
        done = subprocess.run(
            initdb + options, check=False, capture_output=True, text=True, **self._as
        )
        if done.returncode:
            raise NoPostgresError(f"initdb: {done.stderr.strip()}")

    def start(self, *options: str) -> None:
        """Start it, with more ``-c`` options, and wait until it serves."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self.programs / "postgres",
                    "-D",
                    "data",
                    "-k",
                    self.folder,
                    *self._options,
                    *options,
                ],
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C is for the tests, which then stop it
                **self._as,
            )
        until = time.monotonic() + START
        while self._process.poll() is None and time.monotonic() < until:
            if self.serves():
                return
            time.sleep(0.02)
        raise NoPostgresError((self.folder / "log").read_text()[-2000:])

    def serves(self) -> bool:
        """Whether it answers now."""
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, number: int = signal.SIGINT) -> None:
        """SIGINT: it rolls back and closes; SIGQUIT: at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(START)
            self._process = None


@contextmanager
def cluster(megabytes: int = 0) -> Iterator[Cluster]:
    """A started cluster that is gone afterwards. Raises :class:`NoPostgresError`.

    With ``megabytes`` it has a disk of its own of that size, where one can be mounted.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(programs[-1]) if programs else shutil.which("initdb")
    if found is None:
        raise NoPostgresError("no initdb in /usr/lib/postgresql or on PATH")
    folder = Path(tempfile.mkdtemp(prefix="zarf-pg-"))  # short: a socket's path has 107 bytes
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        disk: Volume | None = None
        if megabytes:
            with suppress(NoVolumeError):
                disk = stack.enter_context(volume(folder, megabytes))
        server = Cluster(folder, Path(found).resolve().parent, disk)
        stack.callback(server.stop, signal.SIGQUIT)  # its folder goes too
        server.start()
        yield server


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server. Raises :class:`NoPostgresError`."""
    if url := os.environ.get(VARIABLE):
        yield url
    else:
        with cluster() as own:
            yield own.url


@contextmanager
def empty_database(server_url: str, *options: str) -> Iterator[str]:
    """The URL of a schema of its own on a server, gone afterwards; ``options`` as below."""
    name = f"t_{uuid.uuid4().hex[:12]}"
    hasty = with_options(server_url, "-csynchronous_commit=off")  # for what is not under test
    execute(hasty, f"CREATE SCHEMA {name}")
    try:
        yield with_options(server_url, f"-csearch_path={name}", *options)
    finally:
        execute(hasty, f"DROP SCHEMA {name} CASCADE")


def with_options(url: str, *options: str) -> str:
    """A URL whose sessions have these settings too, each ``-cNAME=VALUE``."""
    if not options:
        return url
    text = quote(" ".join(options), safe="")
    if "options=" in url:  # they stand last
        return f"{url}%20{text}"
    return f"{url}{'&' if '?' in url else '?'}options={text}"


def partition(url: str) -> None:
    """Partition an empty database as SCALING.md tells."""
    open_storage(url)
    text = SCALING.read_text()
    execute(url, text.split("```sql\n")[1].split("```")[0])


def execute(url: str, sql: str) -> list[tuple[Any, ...]]:
    """What a statement gives, in a connection of its own."""
    with psycopg.connect(url, autocommit=True) as db:
        cursor = db.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def _unprivileged() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgresError("root needs a user postgres or nobody to run it as")
