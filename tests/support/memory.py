"""A storage in memory, for tests of what stands above the storage; it can be told to fail."""

from collections.abc import Sequence

from dice_service.storage import (
    ApiKeyRow,
    Append,
    MatchRow,
    OpenMatch,
    Phase,
    StorageError,
)


class MemoryRestored:
    """Never restored, until told."""

    def __init__(self) -> None:
        self.copied_at: str | None = None
        self.why: dict[str, str] = {}

    async def mark(self) -> str | None:
        return self.copied_at

    async def set_mark(self, copied_at: str | None) -> None:
        self.copied_at = copied_at

    async def aside(self, match_id: str) -> str | None:
        return self.why.get(match_id)

    async def all_aside(self) -> dict[str, str]:
        return self.why

    async def set_aside(self, match_id: str, why: str | None) -> None:
        if why is None:
            self.why.pop(match_id, None)
        else:
            self.why[match_id] = why


class MemoryStorage:
    """Lines and rows in dictionaries. ``failure`` is raised by everything while it is set."""

    def __init__(self) -> None:
        self.rows: dict[str, MatchRow] = {}
        self.stored: dict[str, list[bytes]] = {}
        self.batches: list[int] = []
        self.failure: str | None = None
        self.restored = MemoryRestored()

    def _check(self) -> None:
        if self.failure is not None:
            raise StorageError(self.failure)

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        self._check()
        self.batches.append(len(batch))
        return [self._append(append) for append in batch]

    def _append(self, append: Append) -> bool:
        lines = self.stored.get(append.match_id, [])
        if append.first_seq != len(lines) or (append.opening and append.match_id in self.rows):
            return False
        if append.opening:
            self.rows[append.match_id] = append.opening
        self.stored[append.match_id] = [*lines, *append.lines]
        return True

    async def match(self, match_id: str) -> MatchRow | None:
        self._check()
        return self.rows.get(match_id)

    async def lines(self, match_id: str, first: int = 0, limit: int | None = None) -> list[bytes]:
        self._check()
        return self.stored.get(match_id, [])[first:][:limit]

    async def list_matches(
        self,
        *,
        owner: str | None = None,
        phase: Phase | None = None,
        seeding: str | None = None,
        before: tuple[str, str] | None = None,
        limit: int = 50,
    ) -> list[MatchRow]:
        raise NotImplementedError

    async def open_matches(self, most: int) -> dict[Phase, int]:
        raise NotImplementedError

    async def opened_until(
        self, until: str, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[OpenMatch]:
        raise NotImplementedError

    async def line_counts(self, match_ids: Sequence[str]) -> dict[str, int]:
        self._check()
        return {name: len(self.stored[name]) for name in match_ids if name in self.stored}

    async def sealed_under_other(self, key_id: str, limit: int) -> list[MatchRow]:
        found = [row for row in self.rows.values() if row.sealing_key_id != key_id]
        return found[:limit]

    async def reseal(self, old: MatchRow, sealed: bytes, key_id: str) -> bool:
        import dataclasses

        self.rows[old.match_id] = dataclasses.replace(old, sealed=sealed, sealing_key_id=key_id)
        return True

    async def add_api_key(self, row: ApiKeyRow) -> bool:
        raise NotImplementedError

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        raise NotImplementedError

    async def api_keys(self) -> list[ApiKeyRow]:
        raise NotImplementedError

    async def revoke_api_key(self, key_id: str, at: str) -> bool:
        raise NotImplementedError

    async def ping(self) -> None:
        self._check()

    async def close(self) -> None:
        pass
