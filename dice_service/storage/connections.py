"""Connections to PostgreSQL: opened when needed, kept, and replaced when they are lost.

What is given to :meth:`Connections.do` is done again after a serialization failure and after a
lost connection, so it must be something that may be done twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from dice_service.errors import SetupError
from dice_service.storage import StorageError

T = TypeVar("T")
Connection = psycopg.AsyncConnection[tuple[Any, ...]]

PATIENCE: Final = 6.0  # seconds of trying again: longer than a server takes to restart
_PAUSES: Final = (0.0, 0.02, 0.1, 0.25, 0.5)  # seconds before the first tries again; the last stays

# What the URL may say otherwise. A server that is gone without a word is noticed in ten seconds.
_DEFAULTS: Final[dict[str, Any]] = {
    "application_name": "zarf",
    "connect_timeout": 3,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,  # milliseconds
}
# The locks of a process whose machine is gone are free after the first; the second is longer.
# A commit waits for the disk, whatever the role's or the database's default says.
_SESSION: Final = """
    SET idle_in_transaction_session_timeout = '4s';
    SET statement_timeout = '9s';
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'
"""

_RACES: Final = {
    "40001",  # serialization failure
    "40P01",  # deadlock: the other transaction was done
}
_GONE: Final = {
    "25006",  # read-only: a primary that has become a standby; the next connection finds the other
    "25P03",  # we were silent for too long in a transaction
    "53300",  # too many connections
    "57P01",  # the server shuts down,
    "57P02",  # has crashed,
    "57P03",  # or does not serve yet
}

_log = logging.getLogger(__name__)


class Connections:
    """Up to ``limit`` connections to one database, the last used first."""

    def __init__(self, url: str, limit: int, patience: float = PATIENCE) -> None:
        self._arguments = arguments(url)
        self._patience = patience
        self._idle: list[Connection] = []
        self._free = asyncio.Semaphore(limit)
        self._closed = False

    async def do(
        self, work: Callable[[Connection], Awaitable[T]], patience: float | None = None
    ) -> T:
        """What ``work`` returns. Raises :class:`StorageError` when it cannot be done."""
        until = time.monotonic() + (self._patience if patience is None else patience)
        tries = 0
        lost = ""
        while True:
            try:
                async with self._one() as db:
                    done = await work(db)
            except psycopg.Error as error:
                pause = _PAUSES[min(tries, len(_PAUSES) - 1)]
                if not may_pass(error) or time.monotonic() + pause > until:
                    _log.warning("postgresql: given up after %d tries: %s", tries + 1, told(error))
                    raise StorageError(f"The database did not do it: {reason(error)}.") from None
                _log.info("postgresql: to be tried again: %s", told(error))
                if error.sqlstate not in _RACES:
                    lost = told(error)
                    await self._close_idle()  # they were most likely lost too
                tries += 1
                await asyncio.sleep(pause)
            else:
                if lost:
                    _log.warning("postgresql: done after %d failed tries: %s", tries, lost)
                return done

    async def close(self) -> None:
        """Close what is open; what is still in use is closed when it is given back."""
        self._closed = True
        await self._close_idle()

    async def _close_idle(self) -> None:
        while self._idle:
            await self._idle.pop().close()

    @asynccontextmanager
    async def _one(self) -> AsyncIterator[Connection]:
        async with self._free:
            db = self._idle.pop() if self._idle else await self._open()
            try:
                yield db
            finally:
                if db.info.transaction_status is TransactionStatus.IDLE and not self._closed:
                    self._idle.append(db)
                else:  # lost, left in the middle of something, or no longer wanted
                    await db.close()

    async def _open(self) -> Connection:
        db = await psycopg.AsyncConnection.connect(autocommit=True, **self._arguments)
        try:
            await db.execute(_SESSION)
        except BaseException:
            await db.close()
            raise
        return db


def arguments(url: str) -> dict[str, Any]:
    """What a URL says, and our defaults for the rest.

    Raises :class:`SetupError` ``database-unusable``, without the URL: it may hold a password.
    """
    try:
        return _DEFAULTS | conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise SetupError(
            "database-unusable",
            "the database's URL cannot be read; it is postgresql://USER@HOST:PORT/DATABASE",
        ) from None


def connect(url: str) -> psycopg.Connection:
    """A connection for a thread of its own. Raises :class:`psycopg.Error`."""
    return psycopg.connect(**arguments(url))


def may_pass(error: psycopg.Error) -> bool:
    """Whether the same may be done if it is tried again."""
    state = error.sqlstate
    if state is None:  # the server said nothing more, or was not reached
        return isinstance(error, psycopg.OperationalError)
    return state in _RACES or state in _GONE or state.startswith("08")


def told(error: psycopg.Error) -> str:
    """The reason for the log, with its code."""
    return f"{reason(error)} ({error.sqlstate or 'connection'})"


def reason(error: psycopg.Error) -> str:
    """What the server or the driver says, in one line."""
    return " ".join((error.diag.message_primary or str(error)).split()).rstrip(".") or "no reason"
