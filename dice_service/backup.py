"""A backup of a SQLite database while the service writes to it, whole or not at all."""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from dice_service.clock import now
from dice_service.errors import SetupError
from dice_service.storage.migrations.of_sqlite import APPLICATION_ID


def backup(database: Path, file: Path) -> int:
    """Write what ``database`` holds now to ``file``, for the owner's eyes only; returns its bytes.

    SQLite's online backup in one step: a snapshot, for which no writer waits. It is checked, on
    the disk, and only then gets its name. Raises :class:`SetupError`: ``database-missing``,
    ``database-foreign``, ``backup-exists``, ``backup-failed``, ``database-damaged``.
    """
    if not database.is_file():
        raise SetupError("database-missing", f"there is no database {database}")
    if file.exists():
        raise SetupError("backup-exists", f"{file} is there already; it was left as it is")
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=f"{file.name}-") as folder:
            copy = Path(folder) / file.name  # with the files that SQLite puts beside it
            copy.touch(mode=0o600)
            _copy(database, copy)
            _sync(copy)
            copy.rename(file)
        _sync(file.parent)
    except (OSError, sqlite3.Error) as error:
        raise SetupError("backup-failed", f"cannot write {file}: {error}") from None
    return file.stat().st_size


def _copy(database: Path, copy: Path) -> None:
    uri = (
        f"{database.absolute().as_uri()}?mode=rw"  # a reader of a write-ahead log writes beside it
    )
    with (
        closing(sqlite3.connect(uri, uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        if source.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
            raise SetupError("database-foreign", f"{database} is a database of another program")
        source.backup(target)
        # Whoever puts it back is asked what became of the matches: see restoring.py.
        target.execute("CREATE TABLE IF NOT EXISTS restored (copied_at TEXT NOT NULL PRIMARY KEY)")
        target.execute("INSERT OR IGNORE INTO restored VALUES (?)", (now(),))
        target.commit()
        found = target.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise SetupError("database-damaged", f"{database} is damaged: {found}")


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
