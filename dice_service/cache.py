"""The matches that a process holds in memory: a bounded, least-recently-used copy of the log.

Never a second truth: a state is the fold of stored lines, and :meth:`MatchCache.refresh` folds
what has been stored since.
"""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Iterable

from dice_service.errors import Refusal
from dice_service.sealing import SealingRing, Secrets
from dice_service.state import Line, State, begin, fold, read
from dice_service.storage import MatchRow, Storage, StorageError
from verifier.errors import LineError
from verifier.events import Linked, Match
from verifier.log import line_hash
from verifier.rules.messages import RuleError

_PREV = re.compile(rb'\{"type":"[a-z_]+","prev":"([0-9a-f]{64})"')

_log = logging.getLogger(__name__)


class Cached:
    """A match in memory. Who changes it holds ``turn``; ``secrets`` are None until needed.

    ``aside`` says why it was set aside when it was read, "" if it was not.
    """

    __slots__ = ("aside", "row", "secrets", "state", "turn")

    def __init__(
        self, row: MatchRow, state: State, secrets: Secrets | None = None, aside: str = ""
    ) -> None:
        self.aside = aside
        self.row = row
        self.state = state
        self.secrets = secrets
        self.turn = asyncio.Lock()


class MatchCache:
    """Up to ``size`` matches of a storage."""

    def __init__(self, storage: Storage, sealing: SealingRing, size: int) -> None:
        self._storage = storage
        self._sealing = sealing
        self._size = size
        self._matches: OrderedDict[str, Cached] = OrderedDict()

    async def find(self, match_id: str) -> Cached | None:
        """The match as last seen, read if it is not here; None if there is none."""
        cached = self._matches.get(match_id)
        if cached is not None:
            self._matches.move_to_end(match_id)
            return cached
        row = await self._storage.match(match_id)
        if row is None:
            return None
        lines = await self._storage.lines(match_id)
        first = read_stored(lines[0], 0, match_id) if lines else None
        if first is None or not isinstance(first.event, Match) or first.event.match_id != match_id:
            raise damaged(match_id, "there is no match line")
        rest = [read_stored(line, seq, match_id) for seq, line in enumerate(lines[1:], 1)]
        aside = await self._storage.restored.aside(match_id)
        return self.put(Cached(row, folded(begun(first), rest), aside=aside or ""))

    async def get(self, match_id: str) -> Cached:
        """As :meth:`find`. Raises :class:`Refusal` ``not-found``."""
        cached = await self.find(match_id)
        if cached is None:
            raise Refusal("not-found", "There is no such match that you may see.")
        return cached

    async def fresh(self, match_id: str) -> Cached:
        """The match with every line that is stored by now."""
        cached = await self.get(match_id)
        async with cached.turn:
            await self.refresh(cached)
        return cached

    async def refresh(self, cached: Cached) -> bool:
        """Fold what was stored since, by whatever process; true if there was anything."""
        if cached.state.server_seed is not None:
            return False  # revealed: the log is whole
        known = cached.state.lines
        match_id = cached.row.match_id
        lines = await self._storage.lines(match_id, known)
        read_lines = [read_stored(line, seq, match_id) for seq, line in enumerate(lines, known)]
        cached.state = folded(cached.state, read_lines)
        return bool(lines)

    async def stored(self, cached: Cached, first: int, count: int) -> list[bytes]:
        """``count`` lines from ``first`` on, as the database has them *now*, held to the chain.

        Each must be the one whose hash the next one carries, and the last of all the head of the
        state: a byte that changed on the disk since is noticed, never told, let alone signed.
        Raises :class:`Refusal` ``storage-failed``. The state must have as many lines.
        """
        state = cached.state
        lines = await self._storage.lines(cached.row.match_id, first, count + 1)
        heads = [prev_of(line) for line in lines[1:]]
        if len(lines) == count:  # nothing stands after them, so they are the state's last
            heads.append(state.head)
        if len(heads) < count or any(
            line_hash(line) != head for line, head in zip(lines, heads, strict=False)
        ):
            raise damaged(cached.row.match_id, f"lines {first} to {first + count - 1} do not fit")
        return lines[:count]

    async def secrets(self, cached: Cached) -> Secrets:
        """The match's secrets, unsealed. Raises :class:`Refusal`."""
        if cached.secrets is not None:
            return cached.secrets
        match_id = cached.row.match_id
        if cached.row.sealing_key_id not in self._sealing.key_ids:
            # Perhaps it was sealed anew, under a key that is here, since the row was read.
            row = await self._storage.match(match_id)
            cached.row = row if row is not None else cached.row
        key_id = cached.row.sealing_key_id
        if key_id not in self._sealing.key_ids:
            _log.error("sealing: the sealing key %s of match %s is not here", key_id, match_id)
        secrets = self._sealing.open(match_id, key_id, cached.row.sealed)
        if secrets.commitment != cached.state.match.commitment:
            raise StorageError("The sealed seed is not the one committed to.")
        cached.secrets = secrets
        return secrets

    def put(self, cached: Cached) -> Cached:
        """Keep a match, unless it is here already: then that one is returned."""
        kept = self._matches.setdefault(cached.row.match_id, cached)
        self._matches.move_to_end(cached.row.match_id)
        while len(self._matches) > self._size:
            self._matches.popitem(last=False)  # commands under way hold it and end as ever
        return kept

    def drop(self, cached: Cached) -> None:
        """Forget a match."""
        self._matches.pop(cached.row.match_id, None)


def begun(first: Line) -> State:
    """The state after a stored first line. Raises :class:`Refusal` if its rules are unknown."""
    try:
        return begin(first)
    except RuleError as error:
        raise StorageError(f"The stored match cannot be played: {error}") from None


def folded(state: State, lines: Iterable[Line]) -> State:
    """The state after these lines. Raises :class:`Refusal` if one does not link to the last."""
    for line in lines:
        if not isinstance(line.event, Linked) or line.event.prev != state.head:
            raise damaged(state.match.match_id, f"line {state.lines} does not fit")
        try:
            state = fold(state, line)
        except RuleError as error:
            raise damaged(state.match.match_id, f"line {state.lines}: {error}") from None
    return state


def read_stored(data: bytes, seq: int, match_id: str) -> Line:
    """A stored line. Raises :class:`Refusal` ``storage-failed`` if it is damaged."""
    try:
        return read(data, seq)
    except LineError:
        raise damaged(match_id, f"line {seq} cannot be read") from None


def prev_of(line: bytes) -> str:
    """The hash of the line before it, as a line carries it; "" if it is none of ours."""
    found = _PREV.match(line)
    return found[1].decode("ascii") if found else ""


def damaged(match_id: str, what: str) -> StorageError:
    """The refusal of a stored log that is not as it was written, which the operator is told of."""
    _log.error("storage: the stored log of match %s is damaged: %s", match_id, what)
    return StorageError(f"The stored log of {match_id} is damaged: {what}.")
