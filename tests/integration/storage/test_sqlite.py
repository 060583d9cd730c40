"""What is SQLite's own: the schema's version, durability, a full disk, a damaged file."""

import resource
import sqlite3
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from dice_service.answers import RollAnswer
from dice_service.errors import Refusal, SetupError
from dice_service.matches import Matches
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage import Append, MatchRow, StorageError, sqlite
from dice_service.storage.migrations import of_sqlite as migrations
from dice_service.storage.sqlite import SqliteStorage, connect
from verifier import Verdict, verify_log

pytestmark = pytest.mark.anyio


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[SqliteStorage]:
    storage = SqliteStorage(tmp_path / "dice.db")
    yield storage
    await storage.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A new database that nobody has open."""
    path = tmp_path / "new.db"
    migrations.check_or_create(path)
    return path


def pragma(path: Path, name: str) -> object:
    db = connect(path)
    try:
        return db.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        db.close()


async def ready(matches: Matches) -> None:
    """The match m, whose rolls are due."""
    await matches.open("club", "m", players=("Ayşe", "Bora"), seeding="direct")
    await matches.open_seed("m", 0, "0a" * 31 + "0b")
    await matches.open_seed("m", 1, "0c" * 31 + "0d")


def run(path: Path, sql: str) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute(sql)
    db.close()


async def test_a_commit_waits_for_the_disk(path: Path) -> None:
    assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "synchronous") == 2  # FULL: https://sqlite.org/pragma.html
    assert pragma(path, "user_version") == len(migrations.FILES)


async def test_lines_can_be_neither_changed_nor_taken_out(
    storage: SqliteStorage, tmp_path: Path
) -> None:
    match = MatchRow("m", "o", "direct", None, "t", None, "seeds", b"", "k", "s")
    await storage.append([Append("m", 0, (b"a", b"b"), opening=match)])
    for sql in ("UPDATE lines SET line = 'x'", "DELETE FROM lines"):
        with pytest.raises(sqlite3.IntegrityError, match="a line"):
            run(tmp_path / "dice.db", sql)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("PRAGMA user_version = 99", "database-newer"),
        ("PRAGMA application_id = 7", "database-foreign"),
    ],
)
async def test_a_database_of_another_kind_is_refused_by_name(
    path: Path, sql: str, code: str
) -> None:
    run(path, sql)
    with pytest.raises(SetupError) as caught:
        SqliteStorage(path)
    assert caught.value.code == code


async def test_an_older_database_is_refused_until_it_is_migrated(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "9999_more.sqlite.sql"
    newer.write_text("CREATE TABLE more (a TEXT);\nINSERT INTO more VALUES ('here');\n")
    monkeypatch.setattr(migrations, "FILES", [*migrations.FILES, newer])
    with pytest.raises(SetupError, match="migrate") as caught:
        SqliteStorage(path)
    assert caught.value.code == "database-older"
    now = len(migrations.FILES)
    assert migrations.migrate(path) == (now - 1, now)
    assert migrations.migrate(path) == (now, now)
    db = connect(path)
    assert db.execute("SELECT a FROM more").fetchall() == [("here",)]
    db.close()


async def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "9999_bad.sqlite.sql"
    bad.write_text("CREATE TABLE more (a TEXT);\nCREATE TABLE lines (a TEXT);\n")
    before = len(migrations.FILES)
    monkeypatch.setattr(migrations, "FILES", [*migrations.FILES, bad])
    with pytest.raises(SetupError) as caught:
        migrations.migrate(path)
    assert caught.value.code == "database-unusable"
    assert pragma(path, "user_version") == before
    db = connect(path)
    assert not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'more'").fetchall()
    db.close()


@pytest.mark.parametrize("content", [b"this is no database at all" * 200, b"\0" * 8192])
async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dice.db"
    path.write_bytes(content)
    with pytest.raises(SetupError) as caught:
        SqliteStorage(path)
    assert caught.value.code == "database-unusable"
    assert path.read_bytes() == content


async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "dice.db", tmp_path):
        with pytest.raises(SetupError) as caught:
            SqliteStorage(path)
        assert caught.value.code == "database-unusable"


async def roll_until_refused(matches: Matches, rolled: list[RollAnswer]) -> Refusal:
    while len(rolled) < 2000:
        try:
            outcome = await matches.roll("m", len(rolled))
        except Refusal as refusal:
            return refusal
        rolled.append(outcome.value)
    raise AssertionError("the disk was never full")


@contextmanager
def few_pages(path: Path) -> Iterator[None]:
    """SQLite's own limit: the file may not grow."""
    pages = pragma(path, "page_count")

    def limited(path: Path) -> sqlite3.Connection:
        db = connect(path)
        db.execute(f"PRAGMA max_page_count = {pages}")
        return db

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "connect", limited)
        yield


@contextmanager
def small_files(path: Path) -> Iterator[None]:
    """The system's limit: a write past it fails, as on a full disk."""
    wal = path.with_name(path.name + "-wal").stat().st_size
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (wal + 40_000, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.mark.parametrize("full", [few_pages, small_files])
async def test_a_full_disk_refuses_what_it_cannot_keep_and_recovers_when_there_is_room(
    tmp_path: Path, full: Callable[[Path], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "dice.db"
    signing, sealing = SigningRing.generate(), SealingRing.generate()
    other = SqliteStorage(path)  # keeps the write-ahead log in place when the other is closed
    await ready(Matches(other, signing, sealing))
    rolled: list[RollAnswer] = []
    storage = SqliteStorage(path)
    matches = Matches(storage, signing, sealing)
    with full(path):
        failure = await roll_until_refused(matches, rolled)
        assert failure.code == "storage-failed"
        with pytest.raises(Refusal):
            await matches.end("m", reason="finished")
        assert (await matches.roll("m", 0)).value == rolled[0]  # reading goes on
        log = (await matches.log("m")).data
        assert verify_log(log).verdict is Verdict.INCOMPLETE
        assert log.count(b'"type":"roll"') == len(rolled)
    assert (await matches.roll("m", len(rolled))).created
    assert (await matches.end("m", reason="finished")).created
    report = verify_log((await matches.log("m")).data)
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, len(rolled) + 1)
    await storage.close()
    await other.close()


async def test_a_damaged_file_is_a_refusal_and_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "dice.db"
    rings = SigningRing.generate(), SealingRing.generate()
    storage = SqliteStorage(path)
    await ready(Matches(storage, *rings))
    await storage.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    storage = SqliteStorage(path)
    matches = Matches(storage, *rings)
    for asking in (matches.view("m"), matches.roll("m", 0), storage.ping()):
        with pytest.raises(Refusal) as caught:
            await asking
        assert caught.value.code == "storage-failed"
    await storage.close()


async def test_another_programs_lock_is_waited_for_and_then_a_refusal(
    storage: SqliteStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY", 0.1)
    blocker = sqlite3.connect(tmp_path / "dice.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    row = MatchRow("m", "o", "direct", None, "t", None, "seeds", b"", "k", "s")
    append = Append("m", 0, (b"a",), opening=row)
    with pytest.raises(StorageError, match="locked"):
        await storage.append([append])
    blocker.execute("ROLLBACK")
    blocker.close()
    assert await storage.append([append]) == [True]


def test_nobody_but_the_service_may_read_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "var" / "dice.db"
    migrations.check_or_create(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
