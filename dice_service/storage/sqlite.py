"""SQLite: one file, one writer thread, one reader thread, the standard library's driver.

Write-ahead log with ``synchronous=FULL``: a commit returns when its bytes are on the disk.
Any number of processes on one machine may open the same file.
"""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar
from zlib import crc32

from dice_service.crash import crash_point
from dice_service.storage import (
    ApiKeyRow,
    Append,
    MatchRow,
    OpenMatch,
    Phase,
    StorageError,
)
from dice_service.storage.migrations.of_sqlite import check_or_create
from dice_service.storage.restored import SqlRestored
from dice_service.storage.rows import (
    COUNT_OPEN,
    KEY_COLUMNS,
    MATCH_COLUMNS,
    key_of,
    key_values,
    match_values,
    open_match_of,
)
from dice_service.storage.webhooks import SqlWebhooks

T = TypeVar("T")
_Work = tuple[Callable[[sqlite3.Connection], Any], asyncio.Future[Any], asyncio.AbstractEventLoop]

_log = logging.getLogger(__name__)

BUSY = 5.0  # seconds that a transaction waits for another process's
CHUNK = 64  # lines in one INSERT; each step into SQLite gives up the interpreter, so few is fast

_PLACES = ", ".join("?" * len(MATCH_COLUMNS.split()))
_ADD_MATCH = f"INSERT INTO matches ({MATCH_COLUMNS}) VALUES ({_PLACES})"  # noqa: S608
_SET_PHASE = "UPDATE matches SET phase = ?, ended_at = coalesce(?, ended_at) WHERE match_id = ?"
# One row, whatever the number of lines: see CHUNK. The crc is the last line's: a bare column is
# of the row that has the max() (https://sqlite.org/lang_select.html#bareagg).
_LINES = (
    "SELECT group_concat(line, char(10)), max(seq), crc FROM"
    " (SELECT line, seq, crc FROM lines WHERE match_id = ? AND seq >= ? ORDER BY seq LIMIT ?)"
)
_OPEN = (
    "SELECT m.match_id, opened_at, phase, seq, line"
    " FROM (SELECT match_id, opened_at, phase FROM matches INDEXED BY matches_open_by_opening"
    "  WHERE phase <> 'ended' AND opened_at <= ? AND (opened_at, match_id) > (?, ?)"
    "  ORDER BY opened_at, match_id LIMIT ?) AS m"
    " JOIN lines ON lines.match_id = m.match_id"
    " AND seq = (SELECT max(seq) FROM lines WHERE match_id = m.match_id)"
    " ORDER BY opened_at, m.match_id"
)
_COUNTS = (
    "SELECT value, (SELECT max(seq) + 1 FROM lines WHERE match_id = value) AS count"
    " FROM json_each(?) WHERE count > 0"
)


class SqliteStorage:
    """A :class:`dice_service.storage.webhooks.Database` in one file, made if it is not there.

    Raises :class:`dice_service.errors.SetupError` where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        check_or_create(path)
        self._writer = _Connection(path, "dice-writer")
        self._reader = _Connection(path, "dice-reader")
        self.webhooks = SqlWebhooks(self._reader.rows, self._writer.rows)
        self.restored = SqlRestored(self._reader.rows, self._writer.rows)

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """Write a batch in one transaction, one commit, one fsync."""
        return await self._writer.run(lambda db: _append(db, batch))

    async def match(self, match_id: str) -> MatchRow | None:
        """The row of a match."""
        sql = f"SELECT {MATCH_COLUMNS} FROM matches WHERE match_id = ?"  # noqa: S608 - constant text
        row = await self._reader.run(lambda db: db.execute(sql, (match_id,)).fetchone())
        return row and MatchRow(*row)

    async def lines(self, match_id: str, first: int = 0, limit: int | None = None) -> list[bytes]:
        """The lines of a match, the last of them held to its checksum; the others link."""
        values = (match_id, first, -1 if limit is None else limit)
        row = await self._reader.run(lambda db: db.execute(_LINES, values).fetchone())
        text, last, crc = row
        if text is None:
            return []
        lines: list[bytes] = text.encode().split(b"\n")
        if crc is not None and crc != crc32(lines[-1]):
            _log.error(
                "storage: line %d of match %s is damaged: its checksum differs", last, match_id
            )
            raise StorageError(f"Line {last} of the stored log of {match_id} is damaged.")
        return lines

    async def list_matches(
        self,
        *,
        owner: str | None = None,
        phase: Phase | None = None,
        seeding: str | None = None,
        before: tuple[str, str] | None = None,
        limit: int = 50,
    ) -> list[MatchRow]:
        """Matches from the newest to the oldest."""
        wanted = {"owner = ?": owner, "phase = ?": phase, "seeding = ?": seeding}
        where = [condition for condition, value in wanted.items() if value is not None]
        values: list[str | int] = [value for value in wanted.values() if value is not None]
        if before is not None:
            where.append("(opened_at, match_id) < (?, ?)")
            values += before
        sql = (
            f"SELECT {MATCH_COLUMNS} FROM matches"  # noqa: S608 - conditions from the table above
            f" WHERE {' AND '.join(where) or '1'} ORDER BY opened_at DESC, match_id DESC LIMIT ?"
        )
        rows = await self._reader.run(lambda db: db.execute(sql, (*values, limit)).fetchall())
        return [MatchRow(*row) for row in rows]

    async def open_matches(self, most: int) -> dict[Phase, int]:
        """Count open matches by phase."""
        sql = COUNT_OPEN.format("?")
        return dict(await self._reader.run(lambda db: db.execute(sql, (most,)).fetchall()))

    async def opened_until(
        self, until: str, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[OpenMatch]:
        """Open matches from the oldest on."""
        values = (until, *(after or ("", "")), limit)
        rows = await self._reader.run(lambda db: db.execute(_OPEN, values).fetchall())
        return list(map(open_match_of, rows))

    async def line_counts(self, match_ids: Sequence[str]) -> dict[str, int]:
        """How many lines matches have."""
        values = (json.dumps(match_ids),)
        return dict(await self._reader.run(lambda db: db.execute(_COUNTS, values).fetchall()))

    async def sealed_under_other(self, key_id: str, limit: int) -> list[MatchRow]:
        """Matches to be sealed anew."""
        sql = f"SELECT {MATCH_COLUMNS} FROM matches WHERE sealing_key_id <> ? LIMIT ?"  # noqa: S608
        rows = await self._reader.run(lambda db: db.execute(sql, (key_id, limit)).fetchall())
        return [MatchRow(*row) for row in rows]

    async def reseal(self, old: MatchRow, sealed: bytes, key_id: str) -> bool:
        """Replace a sealed seed."""
        sql = "UPDATE matches SET sealed = ?, sealing_key_id = ? WHERE match_id = ? AND sealed = ?"
        values = (sealed, key_id, old.match_id, old.sealed)
        return await self._writer.run(lambda db: db.execute(sql, values).rowcount == 1)

    async def add_api_key(self, row: ApiKeyRow) -> bool:
        """Add a key."""
        sql = (
            f"INSERT INTO api_keys ({KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"  # noqa: S608
        )
        values = key_values(row)
        return await self._writer.run(lambda db: db.execute(sql, values).rowcount == 1)

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        """The key of that id."""
        sql = f"SELECT {KEY_COLUMNS} FROM api_keys WHERE key_id = ?"  # noqa: S608
        row = await self._reader.run(lambda db: db.execute(sql, (key_id,)).fetchone())
        return row and key_of(row)

    async def api_keys(self) -> list[ApiKeyRow]:
        """All keys."""
        sql = f"SELECT {KEY_COLUMNS} FROM api_keys ORDER BY created_at, key_id"  # noqa: S608
        rows = await self._reader.run(lambda db: db.execute(sql).fetchall())
        return [key_of(row) for row in rows]

    async def revoke_api_key(self, key_id: str, at: str) -> bool:
        """Mark a key as revoked."""
        sql = "UPDATE api_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL"
        return await self._writer.run(lambda db: db.execute(sql, (at, key_id)).rowcount == 1)

    async def ping(self) -> None:
        """Read, and take the write lock and let it go."""
        await self._reader.run(lambda db: db.execute("SELECT 1 FROM matches LIMIT 1").fetchone())
        await self._writer.run(_touch)

    async def close(self) -> None:
        """Finish what runs and close the file."""
        await self._reader.close()
        await self._writer.close()


class _Connection:
    """A thread of its own with a connection of its own, opened anew after any failure."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        # An executor would do, at one more future and a third more time for each hop.
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._thread = Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._work.put((work, future, loop))
        return future

    async def rows(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """What one statement gives, which SQLite commits by itself."""
        return await self.run(lambda db: db.execute(sql, values).fetchall())

    async def close(self) -> None:
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        db: sqlite3.Connection | None = None
        failures, told = 0, ""
        while (item := self._work.get()) is not None:
            work, future, loop = item
            result: object = None
            failure: Exception | None = None
            try:
                if db is None:
                    db = connect(self._path)
                result = work(db)
                if failures:
                    _log.warning("sqlite: works again after %d failures: %s", failures, told)
                    failures, told = 0, ""
            except sqlite3.Error as error:
                # A full or failing disk, a lost file: what was not committed is undone by
                # closing, and the next call tries again with a new connection.
                if db is not None:
                    db.close()
                    db = None
                failure = StorageError(f"The database did not do it: {error}.")
                failures += 1
                if str(error) != told:  # once: who asks again and again fills no log
                    told = str(error)
                    _log.error("sqlite: failed, nothing of it was written: %s", told)
            except Exception as error:  # noqa: BLE001 - whoever asked must hear of it
                failure = error
            loop.call_soon_threadsafe(_settle, future, result, failure)
        if db is not None:
            db.close()


def _settle(future: asyncio.Future[Any], result: object, failure: Exception | None) -> None:
    if future.done():
        return  # whoever asked has gone away
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode (transactions are begun by hand) with our settings."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    db = sqlite3.connect(
        uri, uri=True, timeout=BUSY, isolation_level=None, cached_statements=4 * CHUNK
    )
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA cache_size = -16384")  # KiB
    return db


def _append(db: sqlite3.Connection, batch: Sequence[Append]) -> list[bool]:
    """All in one go, as nearly always nothing is in the way; else one after the other.

    A crash before the commit leaves nothing of the batch in the file, and nobody was answered.
    A crash after it leaves every line on the disk: a caller who was not answered asks again and
    gets the answer made of the line that stands.
    """
    try:
        if _is_one_statement(batch):  # which SQLite commits by itself
            crash_point("before-commit")
            _insert(db, batch)
        else:
            db.execute("BEGIN IMMEDIATE")
            _insert(db, batch)
            crash_point("before-commit")
            db.execute("COMMIT")
        results = [True] * len(batch)
    except sqlite3.IntegrityError:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("BEGIN IMMEDIATE")
        results = [_insert_alone(db, append) for append in batch]
        crash_point("before-commit")
        db.execute("COMMIT")
    crash_point("after-commit")
    return results


def _is_one_statement(batch: Sequence[Append]) -> bool:
    count = 0
    for append in batch:
        if append.opening is not None or append.phase is not None:
            return False
        count += len(append.lines)
    return count <= CHUNK


def _insert_alone(db: sqlite3.Connection, append: Append) -> bool:
    db.execute("SAVEPOINT one")
    try:
        _insert(db, [append])
    except sqlite3.IntegrityError:
        db.execute("ROLLBACK TO one")
        return False
    finally:
        db.execute("RELEASE one")
    return True


def _insert(db: sqlite3.Connection, batch: Sequence[Append]) -> None:
    rows: list[tuple[str, int, str, int]] = []
    for append in batch:
        if (opening := append.opening) is not None:
            db.execute(_ADD_MATCH, match_values(opening))
        for seq, line in enumerate(append.lines, append.first_seq):
            rows.append((append.match_id, seq, line.decode(), crc32(line)))
        if append.phase is not None:
            db.execute(_SET_PHASE, (append.phase, append.ended_at, append.match_id))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        db.execute(_insert_lines(len(chunk)), [value for row in chunk for value in row])


@cache
def _insert_lines(count: int) -> str:
    places = ", ".join(["(?, ?, ?, ?)"] * count)
    return f"INSERT INTO lines (match_id, seq, line, crc) VALUES {places}"  # noqa: S608 - only places


def _touch(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.execute("ROLLBACK")
