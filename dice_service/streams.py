"""Following logs while they grow, whichever process writes them.

What this process writes is told to :meth:`Streams.written`; what others write is found by one
look at the database for all matches that are followed here, once a :data:`LOOK`. The lines that
came last are kept for all who follow the match; who is further behind reads the database.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from dice_service.errors import Refusal
from dice_service.storage import StorageError
from dice_service.storage.batcher import Batch

LOOK: Final = 1.0  # seconds between looks at what other processes wrote
CHUNK: Final = 64  # lines read and kept at once
PER_MATCH: Final = 100  # streams of one match: its players cannot take every stream there is
_IDS: Final = 1000  # matches asked after in one query

_log = logging.getLogger(__name__)


class LogLine(NamedTuple):
    """A line of a log and where it stands."""

    seq: int
    data: bytes


class Counts(Protocol):
    """The part of a storage that is needed here."""

    async def line_counts(self, match_ids: Sequence[str]) -> dict[str, int]:
        """As :meth:`dice_service.storage.Storage.line_counts`."""


class Logs(Protocol):
    """The part of :class:`dice_service.matches.Matches` that is needed here."""

    async def lines(self, match_id: str, first: int, limit: int) -> list[bytes]:
        """As :meth:`dice_service.matches.Matches.lines`."""


class _Feed:
    """A match that is followed: how many lines are known, the last of them, and who follows."""

    def __init__(self, count: int, *, whole: bool) -> None:
        self.count = count
        self.final = count if whole else None  # how many lines there will ever be, once known
        self.tail: deque[bytes] = deque(maxlen=CHUNK)
        self.streams: set[Stream] = set()

    def push(self, first: int, lines: Sequence[bytes]) -> bool:
        """Add what is new of these lines; false if some before them are missing."""
        if first > self.count:
            return False
        for line in lines[self.count - first :]:
            if type_of(line) == "reveal":
                self.final = self.count + 2  # itself, and the signature written with it
            self.tail.append(line)
            self.count += 1
        for stream in self.streams:
            stream.wake()
        return True


class Stream:
    """One follower of a match. It ends after the log's last line, and at :meth:`stop`."""

    def __init__(self, logs: Logs, match_id: str, feed: _Feed, first: int, silence: float) -> None:
        self._logs = logs
        self._match_id = match_id
        self._feed = feed
        self._next = first
        self._silence = silence
        self._news = asyncio.Event()
        self._stopped = False

    @property
    def whole(self) -> bool:
        """Whether every line that the log will ever have was given."""
        return self._feed.final is not None and self._next >= self._feed.final

    def wake(self) -> None:
        """There may be something."""
        self._news.set()

    def stop(self) -> None:
        """Give no more."""
        self._stopped = True
        self._news.set()

    async def some(self) -> tuple[LogLine, ...] | None:
        """The next lines; () after ``silence`` seconds without any, None at the end.

        Raises :class:`dice_service.storage.StorageError`.
        """
        while not self._stopped and not self.whole:
            self._news.clear()
            if self._next < self._feed.count:
                lines = await self._read()
                found = tuple(LogLine(seq, line) for seq, line in enumerate(lines, self._next))
                self._next += len(lines)
                return found
            try:
                async with asyncio.timeout(self._silence):
                    await self._news.wait()
            except TimeoutError:
                return ()
        return None

    async def _read(self) -> Sequence[bytes]:
        feed = self._feed
        kept = self._next - (feed.count - len(feed.tail))
        if kept >= 0:
            return list(feed.tail)[kept:]
        return await self._logs.lines(self._match_id, self._next, CHUNK)


class Streams:
    """All streams of one process, at most ``limit``. ``look`` is in seconds, as :data:`LOOK`."""

    def __init__(self, storage: Counts, logs: Logs, limit: int, look: float = LOOK) -> None:
        self._storage = storage
        self._logs = logs
        self._limit = limit
        self._look = look
        self._feeds: dict[str, _Feed] = {}
        self._open = 0
        self._hurry = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def open(self) -> int:
        """How many there are."""
        return self._open

    def written(self, batch: Batch) -> None:
        """This process wrote these lines."""
        if not self._feeds:
            return
        for append, won in zip(batch.appends, batch.won, strict=False):
            feed = self._feeds.get(append.match_id) if won else None
            if feed is not None and not feed.push(append.first_seq, append.lines):
                self._hurry.set()

    @contextmanager
    def follow(
        self, match_id: str, first: int, count: int, *, whole: bool, silence: float
    ) -> Iterator[Stream]:
        """A stream from line ``first`` on of a log of which ``count`` lines are known by now.

        ``whole``: they are all. Raises :class:`Refusal` ``overloaded``.
        """
        feed = self._feeds.get(match_id)
        if self._closed or self._open >= self._limit:
            raise Refusal("overloaded", f"{self._limit} streams are open; try again in a second.")
        if feed is not None and len(feed.streams) >= PER_MATCH:
            raise Refusal("overloaded", f"{PER_MATCH} streams of this match are open; close some.")
        if feed is None:
            feed = self._feeds[match_id] = _Feed(count, whole=whole)
            self._hurry.set()  # something may have been written since it was counted
        stream = Stream(self._logs, match_id, feed, first, silence)
        feed.streams.add(stream)
        self._open += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_out())
        try:
            yield stream
        finally:
            self._open -= 1
            feed.streams.discard(stream)
            if not feed.streams:
                del self._feeds[match_id]
            if not self._feeds and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    def close(self) -> None:
        """End every stream, and begin none."""
        self._closed = True
        for feed in self._feeds.values():
            for stream in feed.streams:
                stream.stop()

    async def _look_out(self) -> None:
        failing = False
        while True:
            try:
                async with asyncio.timeout(self._look):
                    await self._hurry.wait()
            except TimeoutError:
                pass
            self._hurry.clear()
            try:
                await self._catch_up()
            except StorageError as error:
                if not failing:  # once: it is tried again every second
                    _log.warning("streams: the storage failed: %s", error.detail)
                failing = True
            else:
                failing = False

    async def _catch_up(self) -> None:
        followed = [name for name, feed in self._feeds.items() if feed.final is None]
        for start in range(0, len(followed), _IDS):
            counts = await self._storage.line_counts(followed[start : start + _IDS])
            for match_id, count in counts.items():
                await self._catch_up_with(match_id, count)

    async def _catch_up_with(self, match_id: str, count: int) -> None:
        while (feed := self._feeds.get(match_id)) is not None and feed.count < count:
            first = feed.count
            try:
                feed.push(first, await self._logs.lines(match_id, first, CHUNK))
            except StorageError:  # the log is damaged, most likely, and the operator is told so
                for stream in feed.streams:
                    stream.stop()
                return


def type_of(line: bytes) -> str:
    """The type of a line, which stands first in it."""
    return line[len(b'{"type":"') : line.index(b'"', len(b'{"type":"'))].decode("ascii")
