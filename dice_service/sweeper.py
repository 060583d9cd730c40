"""Ends matches that nobody goes on with: as ``abort``, in the log, with the reveal.

How long a match has been idle is what its last line's time and the clock say. A clock may be
wrong, so three more things must hold before a match is ended:

- this process has seen that same line stand for a while, by a clock that nobody can set: a match
  whose lines come from a machine with a clock that is slow is not ended while it is played;
- since the clock last jumped, a whole timeout has passed: what was said before says nothing;
- the same since the start, unless a match was opened within a timeout of it: else the service
  was away, and nobody could play, or the clock is not what it was.

Any number of processes may sweep one database: who is second finds the match ended.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from dice_service.clock import at
from dice_service.errors import Refusal
from dice_service.matches import Matches
from dice_service.storage import OpenMatch, Storage, StorageError
from verifier.errors import LineError
from verifier.log import decode_line

PAGE: Final = 200  # matches read at once
PAGES: Final = 50  # in one round; the next goes on where it ended
TOGETHER: Final = 20  # matches ended at once: enough to share commits, few enough to hinder nobody
WATCH: Final = 300.0  # seconds that a last line is watched at most
ROUND: Final = 30.0  # seconds between rounds at most
JUMP: Final = 100  # the clock may be set by this part of the shortest timeout, and no more

_random = random.SystemRandom()
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds after its last line that a match is ended; 0: never.

    ``opening`` is for those whose seeds are not both open, ``idle`` for the others.
    """

    opening: float
    idle: float

    def of(self, match: OpenMatch) -> float:
        """The one that holds for a match."""
        return self.idle if match.phase == "rolling" else self.opening

    @property
    def shortest(self) -> float:
        """The shorter one of those that are set; 0 if none is."""
        return min((seconds for seconds in (self.opening, self.idle) if seconds), default=0.0)


class Sweeper:
    """Looks for idle matches of a storage, round by round. ``on_swept`` is told of each phase.

    ``clock`` is the time of day in seconds, ``steady`` one that only ever goes on.
    """

    def __init__(
        self,
        storage: Storage,
        matches: Matches,
        timeouts: Timeouts,
        *,
        on_swept: Callable[[str], object] = bool,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._storage = storage
        self._matches = matches
        self._timeouts = timeouts
        self._on_swept = on_swept
        self._clock = clock
        self._steady = steady
        self._offset: float | None = None  # of the two clocks, since the clock last jumped
        self._distrusted_at = float("-inf")
        self._silence = 0.0  # seconds before that time of which nothing is known
        self._after: tuple[str, str] | None = None
        self._seen: dict[str, tuple[int, float]] = {}  # seq of the last line, and since when
        self._seeing: dict[str, tuple[int, float]] = {}
        self._told: set[str] = set()

    async def run(self) -> None:
        """Sweep until cancelled; with no timeout set, return at once."""
        if not self._timeouts.shortest:
            return
        pause = min(ROUND, self._timeouts.shortest / 8)
        while True:
            try:
                await self.round()
            except StorageError as error:
                _log.warning("sweeper: not now", reason=error.detail)
            except Exception:  # noqa: BLE001 - one bad round must not be the last
                _log.exception("sweeper: a round failed")
            # Drawn, so that many processes started together do not look together.
            await asyncio.sleep(pause * _random.uniform(0.5, 1.0))

    async def round(self) -> int:
        """Look at the open matches that may be idle, end those that are; returns how many."""
        now, steady = self._clock(), self._steady()
        await self._look_at_clock(now, steady)
        shortest = self._timeouts.shortest
        until = at(max(0.0, now - shortest + _watch(shortest)))
        swept = 0
        for _ in range(PAGES):
            page = await self._storage.opened_until(until, self._after, PAGE)
            idle = [match for match in page if self._is_idle(match, now, steady)]
            for start in range(0, len(idle), TOGETHER):
                some = idle[start : start + TOGETHER]
                swept += sum(await asyncio.gather(*map(self._end, some)))
            if len(page) < PAGE:
                self._after, self._seen, self._seeing = None, self._seeing, {}
                break
            self._after = (page[-1].opened_at, page[-1].match_id)
        return swept

    async def _look_at_clock(self, now: float, steady: float) -> None:
        offset = now - steady
        if self._offset is None:
            newest = await self._storage.list_matches(limit=1)
            self._silence = abs(now - _seconds(newest[0].opened_at)) if newest else float("inf")
        elif abs(offset - self._offset) > self._timeouts.shortest / JUMP:
            _log.warning("sweeper: the clock jumped", seconds=round(offset - self._offset))
            self._silence = float("inf")
        else:
            return
        self._offset, self._distrusted_at = offset, steady

    def _is_idle(self, match: OpenMatch, now: float, steady: float) -> bool:
        timeout = self._timeouts.of(match)
        last = self._time_of(match)
        if not timeout or last is None or now - last < timeout - _watch(timeout):
            return False
        seq, since = self._seen.get(match.match_id, (-1, 0.0))
        since = since if seq == match.seq else steady
        self._seeing[match.match_id] = (match.seq, since)
        return (
            now - last >= timeout
            and steady - since >= _watch(timeout)
            and (self._silence <= timeout or steady - self._distrusted_at >= timeout)
        )

    def _time_of(self, match: OpenMatch) -> float | None:
        try:
            return _seconds(decode_line(match.line, match.seq).time)
        except (LineError, ValueError):
            self._tell(match, "its last line is damaged")
            return None

    async def _end(self, match: OpenMatch) -> bool:
        try:
            ended = await self._matches.abort_idle(match.match_id, match.seq + 1)
        except Refusal as refusal:  # its key is missing, its log damaged: the others are ended
            self._tell(match, refusal.code)
            if isinstance(refusal, StorageError):
                await self._storage.ping()  # which raises if it is not this match's fault
            return False
        if ended:
            self._on_swept(match.phase)
            _log.info("match swept", match_id=match.match_id, phase=match.phase, last=match.seq)
        return ended

    def _tell(self, match: OpenMatch, reason: str) -> None:
        if match.match_id not in self._told and len(self._told) < PAGE * PAGES:
            self._told.add(match.match_id)
            _log.warning("sweeper: match left", match_id=match.match_id, reason=reason)


def _watch(timeout: float) -> float:
    return min(timeout / 2, WATCH)


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
