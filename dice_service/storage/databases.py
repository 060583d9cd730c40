"""Which database a URL means: ``sqlite:///PATH`` or ``postgresql://…``."""

from importlib.util import find_spec
from pathlib import Path

from dice_service.errors import SetupError
from dice_service.storage.webhooks import Database

SQLITE = "sqlite:///"
POSTGRES = "postgresql://"


def known(url: str) -> bool:
    """Whether it is the URL of a database."""
    return url.startswith(POSTGRES) or (url.startswith(SQLITE) and url != SQLITE)


def is_there(url: str) -> bool:
    """Whether it can be opened without making a new file."""
    return not url.startswith(SQLITE) or sqlite_path(url).is_file()


def is_unclosed(url: str) -> bool:
    """Whether a SQLite file has a write-ahead log, which the last one to close it takes away."""
    if not url.startswith(SQLITE):
        return False
    path = sqlite_path(url)
    return path.with_name(path.name + "-wal").is_file()


def open_storage(url: str) -> Database:
    """Open a database, which is made if it is not there. Raises :class:`SetupError`."""
    if url.startswith(SQLITE):
        from dice_service.storage.sqlite import SqliteStorage

        return SqliteStorage(sqlite_path(url))
    _need_driver()
    from dice_service.storage.postgres import PostgresStorage

    return PostgresStorage(url)


def migrate(url: str) -> tuple[int, int]:
    """Bring a database to this program's schema; returns the versions before and after.

    Raises :class:`SetupError`; then the database is as it was.
    """
    if url.startswith(SQLITE):
        from dice_service.storage.migrations import of_sqlite

        return of_sqlite.migrate(sqlite_path(url))
    _need_driver()
    from dice_service.storage.migrations import of_postgres

    return of_postgres.migrate(url)


def sqlite_path(url: str) -> Path:
    """The file of a SQLite URL. Raises :class:`SetupError` for another."""
    if not url.startswith(SQLITE):
        raise SetupError(
            "not-sqlite", "this is done with a SQLite file only; for PostgreSQL there is pg_dump"
        )
    return Path(url.removeprefix(SQLITE))


def shown(url: str) -> str:
    """The URL as it may be shown: without a password."""
    if url.startswith(SQLITE):
        return url
    before, at, after = url.rpartition("@")
    if at:
        scheme, slashes, user = before.partition("//")
        url = f"{scheme}{slashes}{user.split(':')[0]}@{after}" if slashes else f"…@{after}"
    head, password, tail = url.partition("password=")
    return f"{head}{password}…{tail[tail.find('&') :] if '&' in tail else ''}" if password else url


def has_driver() -> bool:
    """Whether PostgreSQL's driver is installed."""
    return find_spec("psycopg") is not None


def _need_driver() -> None:
    if not has_driver():
        raise SetupError("driver-missing", "PostgreSQL needs: pip install 'zarf[postgres]'")
