"""The schema of a PostgreSQL database; its table ``zarf_schema`` says how far it is.

Everything is in the schema that ``search_path`` names first, ``public`` unless told otherwise.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from dice_service.errors import SetupError
from dice_service.storage.connections import connect, reason
from dice_service.storage.databases import shown
from dice_service.storage.migrations import files_for, foreign, refuse_newer, refuse_older

FILES = files_for("postgres")
NEEDED = {"fsync": "on", "full_page_writes": "on", "server_encoding": "UTF8"}  # of a server

_LOCK = 0x5A617266  # "Zarf": held by whoever looks at the schema or changes it


def check_or_create(url: str) -> None:
    """Make the tables in an empty database; check those of an old one.

    Raises :class:`SetupError`: ``database-older`` (run ``dice-service migrate``),
    ``database-newer``, ``database-foreign`` (another program's), ``database-unsafe`` (the server
    does not wait for its disk), ``database-unusable``.
    """
    with _opened(url) as db:
        version = _version(db, url)
        if version == 0:
            _apply(db, 0)
        else:
            refuse_older(version, FILES, shown(url))


def migrate(url: str) -> tuple[int, int]:
    """Bring a database to this program's schema; returns the versions before and after.

    Raises :class:`SetupError` as :func:`check_or_create`; then the database is as it was.
    """
    with _opened(url) as db:
        before = _version(db, url)
        _apply(db, before)
    return before, len(FILES)


def _version(db: psycopg.Connection, url: str) -> int:
    """Zero for a database without our tables."""
    row = db.execute("SELECT to_regclass('zarf_schema'), to_regclass('matches')").fetchone()
    assert row is not None
    ours, theirs = row
    if ours is None:
        if theirs is not None:
            raise foreign(shown(url))
        return 0
    found = db.execute("SELECT max(version) FROM zarf_schema").fetchone()
    version = int(found[0]) if found and found[0] is not None else 0
    refuse_newer(version, FILES, shown(url))
    return version


def _apply(db: psycopg.Connection, version: int) -> None:
    """Apply what is missing, in the caller's transaction: all or nothing."""
    if version == 0:
        db.execute("CREATE TABLE zarf_schema (version INTEGER NOT NULL PRIMARY KEY)")
    for number, file in enumerate(FILES[version:], version + 1):
        db.execute(file.read_bytes())
        db.execute("INSERT INTO zarf_schema VALUES (%s)", (number,))


@contextmanager
def _opened(url: str) -> Iterator[psycopg.Connection]:
    """A transaction that no other process looks into: the second of two waits for the first."""
    try:
        with connect(url) as db:
            for name, needed in NEEDED.items():
                _need(db, name, needed)
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield db
    except psycopg.Error as error:
        raise SetupError("database-unusable", f"cannot use {shown(url)}: {reason(error)}") from None


def _need(db: psycopg.Connection, name: str, needed: str) -> None:
    found = db.execute("SELECT current_setting(%s)", (name,)).fetchone()
    if found != (needed,):
        raise SetupError(
            "database-unsafe", f"the server has {name} {found and found[0]}; it must be {needed}"
        )
