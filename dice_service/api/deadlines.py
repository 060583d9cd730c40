"""A time limit on each of many short pieces of work, at the price of one timer for all of them.

``asyncio.timeout`` starts and stops a timer each time, which costs a roll a tenth of its time.
"""

import asyncio
from types import TracebackType


class Deadlines:
    """What is done in ``with deadlines.new():`` is cut off ``timeout`` seconds after its begin.

    As all have the same time, the first begun is the first that is late: a single timer waits
    for that one, and when it rings for those that began next.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._running: dict[Deadline, None] = {}  # in the order of their begin
        self._timer: asyncio.TimerHandle | None = None

    def new(self) -> "Deadline":
        """A limit for the current task, from now on; for one ``with``."""
        return Deadline(self)

    def begin(self, deadline: "Deadline", loop: asyncio.AbstractEventLoop) -> None:
        """Watch over it."""
        deadline.late_at = loop.time() + self._timeout
        self._running[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(deadline.late_at, self._ring, loop)

    def end(self, deadline: "Deadline") -> None:
        """Watch no longer; the timer is left to ring for nothing, or for the next."""
        self._running.pop(deadline, None)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        while self._running:
            first = next(iter(self._running))
            if first.late_at > now:
                self._timer = loop.call_at(first.late_at, self._ring, loop)
                return
            del self._running[first]
            first.cut_off()


class Deadline:
    """As ``asyncio.timeout``: raises :class:`TimeoutError` out of its ``with`` when it is late."""

    __slots__ = ("_cancelling", "_deadlines", "_late", "_task", "late_at")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self.late_at = 0.0

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._cancelling, self._late = task, task.cancelling(), False
        self._deadlines.begin(self, task.get_loop())

    def cut_off(self) -> None:
        """Cancel the task."""
        self._late = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._late:
            self._deadlines.end(self)
        # Who else cancels the task meanwhile is obeyed: then it is no timeout.
        elif self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error
