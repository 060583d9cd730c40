"""Doing a command on a match: decide on its cached state, append, be sure, answer.

Whether lines are written is decided by the database's primary key. Nothing is refused before the
lines that others wrote have been read, and a lost race is decided anew on what won.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from dice_service.answers import Outcome
from dice_service.cache import Cached, MatchCache, folded, read_stored
from dice_service.crash import crash_point
from dice_service.draft import Done
from dice_service.errors import Refusal
from dice_service.match import Decision, Standing
from dice_service.state import Line, State
from dice_service.storage import Append, Storage, StorageError
from dice_service.storage.batcher import Batcher

T = TypeVar("T")


class Commands:
    """Commands of one match are done one after the other, those of different ones together."""

    def __init__(self, storage: Storage, cache: MatchCache, batcher: Batcher) -> None:
        self._storage = storage
        self._cache = cache
        self._batcher = batcher

    async def do(
        self,
        cached: Cached,
        decide: Callable[[State], Decision | Done],
        answer: Callable[[int, Line], T],
    ) -> Outcome[T]:
        """Decide, append, be sure; ``answer`` makes the answer of the line and its seq."""
        async with cached.turn:
            crash_point("received")
            while True:
                state = cached.state
                try:
                    decision = decide(state)
                except Refusal:
                    if await self._cache.refresh(cached):
                        continue  # another process has written since: that may allow it
                    raise
                if isinstance(decision, Standing):
                    line = await self._line(cached, decision.seq)
                    return Outcome(False, answer(decision.seq, line))
                if cached.aside:
                    await self._refuse_aside(cached)
                if isinstance(decision, Done):
                    lines, after = decision.lines, decision.after
                else:
                    lines, after = decision, folded(state, decision)
                crash_point("decided")
                writing = self._batcher.submit(_append(state, lines, after))
                # Let the write begin, and make the answer (a signature takes its time) while the
                # disk works. It is given to nobody before the write is done.
                await asyncio.sleep(0)
                value = answer(state.lines, lines[0])
                # A crash before it is done: see storage/sqlite.py for what is then on the disk.
                won = await writing
                # A crash here: the lines are on the disk and nobody was told. Who asks again
                # gets the answer made of them.
                crash_point("before-answer")
                if won:
                    cached.state = after
                    return Outcome(True, value)
                # Another process was first. Its lines are read and it is decided again.
                if not await self._cache.refresh(cached):
                    self._cache.drop(cached)
                    raise StorageError("The stored log is shorter than it was.")

    async def _refuse_aside(self, cached: Cached) -> None:
        """Raise :class:`Refusal` ``set-aside`` unless the match was released since."""
        cached.aside = await self._storage.restored.aside(cached.row.match_id) or ""
        if cached.aside:
            raise Refusal(
                "set-aside",
                "The service was restored from a backup, and lines of this match may be lost:"
                f" {cached.aside}. What stands can be read; nothing is added. Play another match.",
            )

    async def _line(self, cached: Cached, seq: int) -> Line:
        (data,) = await self._cache.stored(cached, seq, 1)
        return read_stored(data, seq, cached.row.match_id)


def _append(state: State, lines: Sequence[Line], after: State) -> Append:
    phase = after.phase if after.phase != state.phase else None
    return Append(
        state.match.match_id,
        state.lines,
        tuple(line.data for line in lines),
        phase=phase,
        ended_at=after.end.time if after.end and phase else None,
    )
