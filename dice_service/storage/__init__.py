"""What the service asks of a database: append lines, all or nothing; read them; list matches.

A storage never changes a line. Whether an append won is decided by the primary key
``(match_id, seq)`` alone, so any number of processes may write to one database.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from dice_service.errors import Refusal
from dice_service.storage.restored import RestoredStorage

Phase = Literal["commitments", "seeds", "rolling", "ended"]


class StorageError(Refusal):
    """The database did not do it. What was asked for must be counted as not done."""

    def __init__(self, detail: str) -> None:
        super().__init__("storage-failed", detail)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as the database lists it. ``sealed`` is opened with the key ``sealing_key_id``."""

    match_id: str
    owner: str
    seeding: str
    rules: str | None
    opened_at: str
    ended_at: str | None
    phase: Phase
    sealed: bytes = field(repr=False)
    sealing_key_id: str
    signing_key_id: str


@dataclass(frozen=True, slots=True)
class Append:
    """Lines that belong together: all of them are written, or none.

    ``lines`` (bytes without line ends) are to stand at ``first_seq`` and after. ``opening`` is
    the match's row, with the first lines; ``phase`` is set where the lines change it, and with
    "ended" also ``ended_at``.
    """

    match_id: str
    first_seq: int
    lines: tuple[bytes, ...]
    opening: MatchRow | None = None
    phase: Phase | None = None
    ended_at: str | None = None


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match that has not ended, and its last line, which stands at ``seq``."""

    match_id: str
    opened_at: str
    phase: Phase
    seq: int
    line: bytes


@dataclass(frozen=True, slots=True)
class ApiKeyRow:
    """An API key: its readable id and the SHA-256 of its text; never the text itself."""

    key_id: str
    owner: str
    scopes: tuple[str, ...]
    hash: bytes
    created_at: str
    revoked_at: str | None = None


class Storage(Protocol):
    """A database. Every method raises :class:`StorageError` when the database does not do it."""

    @property
    def restored(self) -> RestoredStorage:
        """What it knows of having been restored from a copy."""

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """Write each append or not, durably when this returns; true for those that were written.

        False: another line stands there already (a race lost), or the line before is missing.
        """

    async def match(self, match_id: str) -> MatchRow | None:
        """The row of a match."""

    async def lines(self, match_id: str, first: int = 0, limit: int | None = None) -> list[bytes]:
        """The lines of a match from ``first`` on, in order, without line ends."""

    async def list_matches(
        self,
        *,
        owner: str | None = None,
        phase: Phase | None = None,
        seeding: str | None = None,
        before: tuple[str, str] | None = None,
        limit: int = 50,
    ) -> list[MatchRow]:
        """Matches from the newest to the oldest, below ``before``, an (opened_at, match_id)."""

    async def open_matches(self, most: int) -> dict[Phase, int]:
        """How many of the ``most`` oldest matches that have not ended are in which phase."""

    async def opened_until(
        self, until: str, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[OpenMatch]:
        """Open matches from the oldest to the newest, those opened at ``until`` or before it.

        ``after``, an (opened_at, match_id), leaves out what was listed before. What it costs does
        not grow with the matches that have ended.
        """

    async def line_counts(self, match_ids: Sequence[str]) -> dict[str, int]:
        """How many lines each of these matches has; those that there are not are left out."""

    async def sealed_under_other(self, key_id: str, limit: int) -> list[MatchRow]:
        """Up to ``limit`` matches whose seed is sealed under another key than ``key_id``."""

    async def reseal(self, old: MatchRow, sealed: bytes, key_id: str) -> bool:
        """Replace a match's sealed seed if it still is the old one."""

    async def add_api_key(self, row: ApiKeyRow) -> bool:
        """Add a key; false if the id is taken."""

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        """The key of that id, revoked or not."""

    async def api_keys(self) -> list[ApiKeyRow]:
        """All keys, the oldest first."""

    async def revoke_api_key(self, key_id: str, at: str) -> bool:
        """Mark a key as revoked; false if there is no such key or it is revoked already."""

    async def ping(self) -> None:
        """Raise :class:`StorageError` unless the database can be read and written."""

    async def close(self) -> None:
        """Release everything. Nothing may be asked after."""
