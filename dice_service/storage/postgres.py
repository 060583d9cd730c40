"""PostgreSQL: any number of processes, on any number of machines, write to one database.

A batch of rolls is one statement; the primary key decides, row by row, whose line stands. Nothing
but ``INSERT … ON CONFLICT DO NOTHING RETURNING`` is relied on, at any isolation level.
"""

from collections.abc import Sequence
from typing import Any

from psycopg import errors

from dice_service.crash import crash_point
from dice_service.storage import (
    ApiKeyRow,
    Append,
    MatchRow,
    OpenMatch,
    Phase,
    StorageError,
)
from dice_service.storage.connections import PATIENCE, Connection, Connections
from dice_service.storage.migrations.of_postgres import check_or_create
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

READERS = 4  # connections a process reads with; one more writes
PING = 1.0  # seconds: who asks whether it works is not to wait long

# One text for any number of rows, so that the server plans it once; in the order given.
# Arrays go as binary (%b): as text, escaping the quotes of lines would cost more than the rest.
_ADD_LINES = (
    "INSERT INTO lines (match_id, seq, line)"
    " SELECT match_id, seq, line FROM unnest(%b::text[], %b::int[], %b::text[])"
    " WITH ORDINALITY AS new (match_id, seq, line, place) ORDER BY place"
    " ON CONFLICT DO NOTHING RETURNING match_id, seq"
)
_ADD_MATCHES = (
    f"INSERT INTO matches ({MATCH_COLUMNS}) SELECT {MATCH_COLUMNS}"  # noqa: S608 - constant text
    " FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[],"
    " %b::text[], %b::bytea[], %b::text[], %b::text[])"
    f" WITH ORDINALITY AS new ({MATCH_COLUMNS}, place) ORDER BY place"
    " ON CONFLICT DO NOTHING RETURNING match_id"
)
_SET_PHASES = (
    "UPDATE matches SET phase = new.phase, ended_at = coalesce(new.ended_at, matches.ended_at)"
    " FROM unnest(%b::text[], %b::text[], %b::text[]) AS new (match_id, phase, ended_at)"
    " WHERE matches.match_id = new.match_id"
)
_OPEN = """
    SELECT m.match_id, opened_at, phase, seq, line
    FROM (SELECT match_id, opened_at, phase FROM matches
        WHERE phase <> 'ended' AND opened_at <= %s AND (opened_at, match_id) > (%s, %s)
        ORDER BY opened_at, match_id LIMIT %s) AS m
    JOIN lines ON lines.match_id = m.match_id
        AND seq = (SELECT max(seq) FROM lines AS own WHERE own.match_id = m.match_id)
    ORDER BY opened_at, m.match_id
"""
_COUNTS = """
    SELECT match_id, count FROM unnest(%s::text[]) AS wanted (match_id),
    LATERAL (SELECT max(seq) + 1 AS count FROM lines WHERE lines.match_id = wanted.match_id) AS own
    WHERE count > 0
"""


class PostgresStorage:
    """A :class:`dice_service.storage.webhooks.Database` in PostgreSQL, made if it is empty.

    Raises :class:`dice_service.errors.SetupError` where the database cannot be used. ``patience``
    is for how many seconds lost connections and lost races are tried again.
    """

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        check_or_create(url)
        self._writer = Connections(url, 1, patience)
        self._readers = Connections(url, READERS, patience)
        self.webhooks = SqlWebhooks(self._rows, self._rows, lock=" FOR UPDATE SKIP LOCKED")
        self.restored = SqlRestored(self._rows, self._rows)

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """Write a batch in one transaction, one commit.

        When the connection is lost at the commit, nobody knows whether it was done. It is tried
        again, and lines that were written the first time are then "lost" to themselves: false,
        and whoever asked reads what stands there, as after any lost race.
        """
        return await self._writer.do(lambda db: _append(db, batch))

    async def match(self, match_id: str) -> MatchRow | None:
        """The row of a match."""
        sql = f"SELECT {MATCH_COLUMNS} FROM matches WHERE match_id = %s"  # noqa: S608 - constant text
        rows = await self._read(sql, match_id)
        return MatchRow(*rows[0]) if rows else None

    async def lines(self, match_id: str, first: int = 0, limit: int | None = None) -> list[bytes]:
        """The lines of a match."""
        sql = "SELECT line FROM lines WHERE match_id = %s AND seq >= %s ORDER BY seq LIMIT %s"
        return [line.encode() for (line,) in await self._read(sql, match_id, first, limit)]

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
        wanted = {"owner = %s": owner, "phase = %s": phase, "seeding = %s": seeding}
        where = [condition for condition, value in wanted.items() if value is not None]
        values: list[object] = [value for value in wanted.values() if value is not None]
        if before is not None:
            where.append("(opened_at, match_id) < (%s, %s)")
            values += before
        sql = (
            f"SELECT {MATCH_COLUMNS} FROM matches"  # noqa: S608 - conditions from the table above
            f" WHERE {' AND '.join(where) or 'true'}"
            " ORDER BY opened_at DESC, match_id DESC LIMIT %s"
        )
        return [MatchRow(*row) for row in await self._read(sql, *values, limit)]

    async def open_matches(self, most: int) -> dict[Phase, int]:
        """Count open matches by phase."""
        return dict(await self._read(COUNT_OPEN.format("%s"), most))

    async def opened_until(
        self, until: str, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[OpenMatch]:
        """Open matches from the oldest on."""
        rows = await self._read(_OPEN, until, *(after or ("", "")), limit)
        return list(map(open_match_of, rows))

    async def line_counts(self, match_ids: Sequence[str]) -> dict[str, int]:
        """How many lines matches have."""
        return dict(await self._read(_COUNTS, list(match_ids)))

    async def sealed_under_other(self, key_id: str, limit: int) -> list[MatchRow]:
        """Matches to be sealed anew."""
        # Two ranges of an index: "<>" would read the whole table for the last few.
        smaller, larger = (
            f"(SELECT {MATCH_COLUMNS} FROM matches WHERE sealing_key_id {sign} %s LIMIT %s)"  # noqa: S608
            for sign in "<>"
        )
        sql = f"{smaller} UNION ALL {larger} LIMIT %s"
        rows = await self._read(sql, key_id, limit, key_id, limit, limit)
        return [MatchRow(*row) for row in rows]

    async def reseal(self, old: MatchRow, sealed: bytes, key_id: str) -> bool:
        """Replace a sealed seed."""
        sql = (
            "UPDATE matches SET sealed = %s, sealing_key_id = %s"
            " WHERE match_id = %s AND sealed = %s"
        )
        return await self._change(sql, sealed, key_id, old.match_id, old.sealed)

    async def add_api_key(self, row: ApiKeyRow) -> bool:
        """Add a key."""
        sql = (
            f"INSERT INTO api_keys ({KEY_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)"  # noqa: S608
            " ON CONFLICT DO NOTHING"
        )
        return await self._change(sql, *key_values(row))

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        """The key of that id."""
        rows = await self._read(f"SELECT {KEY_COLUMNS} FROM api_keys WHERE key_id = %s", key_id)  # noqa: S608
        return key_of(rows[0]) if rows else None

    async def api_keys(self) -> list[ApiKeyRow]:
        """All keys."""
        sql = f"SELECT {KEY_COLUMNS} FROM api_keys ORDER BY created_at, key_id"  # noqa: S608
        return [key_of(row) for row in await self._read(sql)]

    async def revoke_api_key(self, key_id: str, at: str) -> bool:
        """Mark a key as revoked."""
        sql = "UPDATE api_keys SET revoked_at = %s WHERE key_id = %s AND revoked_at IS NULL"
        return await self._change(sql, at, key_id)

    async def ping(self) -> None:
        """Read, and see that one may write."""
        await self._readers.do(_touch, PING)
        await self._writer.do(_touch, PING)

    async def close(self) -> None:
        """Close the connections."""
        await self._readers.close()
        await self._writer.close()

    async def _read(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        async def read(db: Connection) -> list[tuple[Any, ...]]:
            return await (await db.execute(sql.encode(), values)).fetchall()

        return await self._readers.do(read)

    async def _rows(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return await self._read(sql.replace("?", "%s"), *values)

    async def _change(self, sql: str, *values: object) -> bool:
        async def change(db: Connection) -> bool:
            return (await db.execute(sql.encode(), values)).rowcount == 1

        return await self._readers.do(change)


class _Broken(Exception):  # noqa: N818 - it undoes a transaction and goes no further
    """Some appends could be written in part only; ``places`` are theirs."""

    def __init__(self, places: set[int]) -> None:
        self.places = places


async def _append(db: Connection, batch: Sequence[Append]) -> list[bool]:
    """All in one go; what can be written in part only is left out, and the rest done again.

    A crash before the commit leaves nothing of the batch, and nobody was answered. A crash after
    it leaves every line: a caller who was not answered asks again and gets what stands.
    """
    # Every process takes its locks in one order, so that they seldom wait for each other in a ring.
    order = sorted(range(len(batch)), key=lambda number: batch[number].match_id)
    won = [False] * len(batch)
    while order:
        appends = [batch[number] for number in order]
        try:
            if all(map(_is_one_line, appends)):  # each is whole or not there by itself
                crash_point("before-commit")
                results = [count == 1 for count in await _add_lines(db, appends)]
            else:
                async with db.transaction():
                    results = await _add(db, appends)
                    crash_point("before-commit")
        except _Broken as broken:
            left_out = broken.places
        except errors.ForeignKeyViolation as error:
            left_out = {_place_of_gap(error, appends)}
        else:
            crash_point("after-commit")
            for number, result in zip(order, results, strict=True):
                won[number] = result
            break
        order = [number for place, number in enumerate(order) if place not in left_out]
    return won


def _is_one_line(append: Append) -> bool:
    return append.opening is None and append.phase is None and len(append.lines) == 1


async def _add(db: Connection, appends: Sequence[Append]) -> list[bool]:
    """Write rows, lines and phases in a transaction that is at work."""
    openings = [append.opening for append in appends if append.opening is not None]
    opened = await _add_matches(db, openings) if openings else set()
    going: list[int] = []
    for place, append in enumerate(appends):
        if append.opening is not None:
            if append.match_id not in opened:
                continue
            opened.remove(append.match_id)  # by this one, and by no second one
        going.append(place)
    counts = await _add_lines(db, [appends[place] for place in going])
    results = [False] * len(appends)
    broken: set[int] = set()
    phases: dict[str, tuple[Phase, str | None]] = {}
    for place, count in zip(going, counts, strict=True):
        append = appends[place]
        results[place] = count == len(append.lines)
        if not results[place] and (count or append.opening is not None):
            broken.add(place)
        elif results[place] and append.phase is not None:
            phases[append.match_id] = (append.phase, append.ended_at)
    if broken:
        raise _Broken(broken)
    if phases:
        new_phases, ends = zip(*phases.values(), strict=True)
        await db.execute(_SET_PHASES, (list(phases), list(new_phases), list(ends)))
    return results


async def _add_matches(db: Connection, rows: Sequence[MatchRow]) -> set[str]:
    """The ids of those that were not there."""
    columns = zip(*map(match_values, rows), strict=True)
    cursor = await db.execute(_ADD_MATCHES.encode(), [list(column) for column in columns])
    return {match_id for (match_id,) in await cursor.fetchall()}


async def _add_lines(db: Connection, appends: Sequence[Append]) -> list[int]:
    """How many lines of each append were written."""
    places = [
        (append.match_id, seq, line.decode())
        for append in appends
        for seq, line in enumerate(append.lines, append.first_seq)
    ]
    columns = [list(column) for column in zip(*places, strict=True)] or [[], [], []]
    cursor = await db.execute(_ADD_LINES, columns)
    written = set(await cursor.fetchall())
    counts = []
    for append in appends:
        count = 0
        for seq in range(append.first_seq, append.first_seq + len(append.lines)):
            if (append.match_id, seq) in written:
                written.remove((append.match_id, seq))  # of two for one place the first has it
                count += 1
        counts.append(count)
    return counts


def _place_of_gap(error: errors.ForeignKeyViolation, appends: Sequence[Append]) -> int:
    """Which append the trigger ``lines_have_no_gap`` speaks of."""
    match_id, _, seq = (error.diag.message_detail or "").rpartition(" ")
    for place, append in enumerate(appends):
        last = append.first_seq + len(append.lines)
        if append.match_id == match_id and append.first_seq <= int(seq) < last:
            return place
    raise error


async def _touch(db: Connection) -> None:
    sql = (
        "SELECT current_setting('transaction_read_only')"
        " FROM (SELECT count(*) FROM (SELECT 1 FROM lines LIMIT 1) AS one) AS lines_are_there"
    )
    row = await (await db.execute(sql)).fetchone()
    if row is None or row[0] != "off":
        raise StorageError("The database is read-only.")
