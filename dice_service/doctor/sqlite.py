"""A SQLite file, looked at without changing a byte of it, whether the service runs or not."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from dice_service.doctor.contents import Contents, contents
from dice_service.doctor.findings import Finding, failed, ok, unchecked
from dice_service.errors import SetupError
from dice_service.storage.migrations import refuse_newer, refuse_older
from dice_service.storage.migrations.of_sqlite import APPLICATION_ID, FILES

PATIENCE: Final = 60.0  # seconds for reading the whole file
_RESTORE = "stop the service and restore a backup (OPERATING.md, Backup and restore)"


def look(path: Path, findings: list[Finding]) -> Contents | None:
    """Add what was found; what the database holds, None where it cannot be read."""
    if not path.is_file():
        found = f"there is no file {path} yet"
        findings.append(unchecked("database", found, "the first start makes it"))
        return None
    try:
        with closing(_connect(path)) as db:
            findings.extend(_schema(db, path))
            if findings[-1].result != "ok":
                return None
            findings.append(_quick_check(db))
            return contents(lambda sql: db.execute(sql).fetchall())
    except sqlite3.Error as error:
        findings.append(failed("database", f"cannot read {path}: {error}", _RESTORE))
        return None


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, not even the files that SQLite puts beside a database.

    Where no process has the file open, there is no write-ahead log, and it may be taken to stand
    still; else another one's log is read too.
    """
    at_rest = not path.with_name(path.name + "-wal").exists()
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}"
    return sqlite3.connect(uri, uri=True, timeout=5.0)


def _schema(db: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        found = f"{path} is a database of another program"
        yield failed("database", found, "set DICE_DATABASE to the service's own")
        return
    try:
        refuse_newer(version, FILES, path)
        refuse_older(version, FILES, path)
    except SetupError as error:
        yield failed("database", str(error), "dice-service migrate, or the newer program")
        return
    yield ok("database", f"SQLite {sqlite3.sqlite_version}, schema {version}")


def _quick_check(db: sqlite3.Connection) -> Finding:
    until = time.monotonic() + PATIENCE
    db.set_progress_handler(lambda: time.monotonic() > until, 100_000)
    try:
        found = [row[0] for row in db.execute("PRAGMA quick_check(3)")]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        reason = f"its pages: reading them all takes longer than {PATIENCE:.0f} s"
        return unchecked("database", reason, "run PRAGMA quick_check on a backup")
    finally:
        db.set_progress_handler(None, 0)
    if found != ["ok"]:
        told = "; ".join(" ".join(line.split()) for line in found)
        return failed("database", f"damaged: {told}", _RESTORE)
    return ok("database", "quick_check finds no damage")
