"""The schema of a SQLite file; its ``user_version`` says how far it is."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dice_service.errors import SetupError
from dice_service.storage.migrations import files_for, foreign, refuse_newer, refuse_older

APPLICATION_ID = 0x5A617266  # "Zarf": what SQLite writes into the file's header
FILES = files_for("sqlite")


def check_or_create(path: Path) -> None:
    """Make the tables in a new file; check those of an old one.

    Raises :class:`SetupError`: ``database-older`` (run ``dice-service migrate``),
    ``database-newer``, ``database-foreign`` (another program's), ``database-unusable``.
    """
    with _opened(path) as db:
        version = _version(db, path)
        if version == 0:
            _apply(db)
        else:
            refuse_older(version, FILES, path)


def migrate(path: Path) -> tuple[int, int]:
    """Bring a file to this program's schema; returns the versions before and after.

    Raises :class:`SetupError` as :func:`check_or_create`; then the file is as it was.
    """
    with _opened(path) as db:
        before = _version(db, path)
        _apply(db)
    return before, len(FILES)


def _version(db: sqlite3.Connection, path: Path) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and tables:
        raise foreign(path)
    refuse_newer(version, FILES, path)
    return int(version)


def _apply(db: sqlite3.Connection) -> None:
    """Apply what is missing, all or nothing: a crash leaves the version as it was.

    Two processes may start on one new file: the second waits, then finds nothing to do.
    """
    db.execute("BEGIN IMMEDIATE")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    for file in FILES[version:]:
        for statement in _statements(file.read_text("utf-8")):
            db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(FILES)}")
    db.execute("COMMIT")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one (``executescript`` would commit in between)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)  # what it holds is nobody's but the service's
        if not os.access(path, os.W_OK):  # SQLite would open it, and refuse every write
            raise SetupError("database-unusable", f"cannot use {path}: it is read-only")
        db = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise SetupError("database-unusable", f"cannot open {path}: {error}") from None
    try:
        db.execute("PRAGMA journal_mode = WAL")
        yield db
    except sqlite3.Error as error:
        raise SetupError("database-unusable", f"cannot use {path}: {error}") from None
    finally:
        db.close()
