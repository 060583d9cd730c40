"""Group commit: while one batch is being written, the next one gathers.

An append is answered only when its batch is durable. Under load many appends share one
commit, and an idle service commits each at once: no timer, nothing to tune.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dice_service.errors import Refusal
from dice_service.storage import Append, StorageError

_log = logging.getLogger(__name__)

MAX_BATCH = 512  # appends in one transaction: bounds how long any of them waits for the others


class Appends(Protocol):
    """The part of a storage that is needed here."""

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """As :meth:`dice_service.storage.Storage.append`."""


class Batch(NamedTuple):
    """Appends that were given to the storage together, when (nanoseconds), and what came of it.

    ``won`` says it for each; it is empty where the storage did not do it.
    """

    appends: Sequence[Append]
    won: Sequence[bool]
    began: int
    ended: int


class Batcher:
    """Gathers the appends of one event loop and gives them to a storage, one batch at a time.

    ``on_batch`` is told of each batch when it is done.
    """

    def __init__(
        self, storage: Appends, limit: int, on_batch: Callable[[Batch], object] = bool
    ) -> None:
        self._storage = storage
        self._limit = limit
        self._on_batch = on_batch
        self._waiting: list[tuple[Append, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """How many appends wait for the batch at work to be written."""
        return len(self._waiting)

    def submit(self, append: Append) -> asyncio.Future[bool]:
        """Queue an append; the future says, once it is durable, whether it won.

        Raises :class:`Refusal` ``overloaded`` when ``limit`` appends wait already; the future
        raises ``storage-failed`` when the storage did not do it.
        """
        if len(self._waiting) >= self._limit:
            raise Refusal("overloaded", f"{self._limit} writes are waiting; try again in a second.")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        self._waiting.append((append, future))
        if self._writing is None:
            # The task starts once the requests that are ready now have been decided, so that
            # they share the first commit.
            self._writing = loop.create_task(self._write())
        return future

    async def close(self) -> None:
        """Write what waits. Nothing may be submitted after."""
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:MAX_BATCH]
                del self._waiting[:MAX_BATCH]
                await self._write_batch(batch)
        finally:
            self._writing = None

    async def _write_batch(self, batch: list[tuple[Append, asyncio.Future[bool]]]) -> None:
        appends = [append for append, _ in batch]
        results: list[bool] = []
        began = time.time_ns()
        try:
            results = await self._storage.append(appends)
        except Exception as error:  # noqa: BLE001 - nobody may wait for ever
            detail = error.detail if isinstance(error, StorageError) else "The storage failed."
            for _, future in batch:
                if not future.done():  # a caller that has gone away is told nothing
                    future.set_exception(StorageError(detail))
            if not isinstance(error, StorageError):
                _log.exception("storage failed")
            return
        finally:
            self._on_batch(Batch(appends, results, began, time.time_ns()))
        for (_, future), won in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(won)
