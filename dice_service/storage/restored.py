"""What a database knows of having been restored: the same SQL for SQLite and PostgreSQL."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol


class RestoredStorage(Protocol):
    """The mark of a copy that was put back, and the matches that are set aside since.

    Every method raises ``StorageError`` when it is not done.
    """

    async def mark(self) -> str | None:
        """When the copy was made that this is; None if it is none, or was looked after."""

    async def set_mark(self, copied_at: str | None) -> None:
        """Set the mark, or take it away."""

    async def aside(self, match_id: str) -> str | None:
        """Why a match is set aside; None if it is not."""

    async def all_aside(self) -> dict[str, str]:
        """All that are, and why."""

    async def set_aside(self, match_id: str, why: str | None) -> None:
        """Set a match aside, or release it."""


Run = Callable[[str, Sequence[Any]], Awaitable[list[tuple[Any, ...]]]]


class SqlRestored:
    """A :class:`RestoredStorage` over a way to read and a way to write, as for the webhooks."""

    def __init__(self, read: Run, write: Run) -> None:
        self._read = read
        self._write = write

    async def mark(self) -> str | None:
        """When the copy was made."""
        ((copied_at,),) = await self._read("SELECT max(copied_at) FROM restored", ())
        return None if copied_at is None else str(copied_at)

    async def set_mark(self, copied_at: str | None) -> None:
        """Set or take away."""
        if copied_at is None:
            await self._write("DELETE FROM restored RETURNING 1", ())
        else:
            sql = "INSERT INTO restored VALUES (?) ON CONFLICT DO NOTHING RETURNING 1"
            await self._write(sql, (copied_at,))

    async def aside(self, match_id: str) -> str | None:
        """Why it is."""
        rows = await self._read("SELECT why FROM set_aside WHERE match_id = ?", (match_id,))
        return str(rows[0][0]) if rows else None

    async def all_aside(self) -> dict[str, str]:
        """All that are."""
        return dict(await self._read("SELECT match_id, why FROM set_aside ORDER BY match_id", ()))

    async def set_aside(self, match_id: str, why: str | None) -> None:
        """Set aside or release."""
        if why is None:
            await self._write("DELETE FROM set_aside WHERE match_id = ? RETURNING 1", (match_id,))
        else:
            sql = (
                "INSERT INTO set_aside VALUES (?, ?)"
                " ON CONFLICT (match_id) DO UPDATE SET why = excluded.why RETURNING 1"
            )
            await self._write(sql, (match_id, why))
