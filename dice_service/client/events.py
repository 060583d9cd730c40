"""Following a match's log while it grows: what is sent, what comes, when it is asked again. Pure.

:class:`Follower` is the whole of it but for the connection, which the two clients hold.
"""

from collections.abc import Iterator

import httpx
from msgspec import Struct

from dice_service.client.errors import DishonestError, UnexpectedAnswerError, UnreachableError
from dice_service.client.exchange import RETRIED, Request, Retries, media_type, refusal, unexpected
from verifier.errors import LineError
from verifier.events import AnyEvent, Linked
from verifier.log import decode_line, line_hash

SILENCE = 45.0  # seconds: a stream says something every 15, so this one is dead
_LONGEST = 65_536  # bytes of one line of a stream; the service's are a few hundred


class LogLine(Struct, frozen=True):
    """A line of a log: where it stands, its bytes without the line end, and what it says."""

    seq: int
    data: bytes
    event: AnyEvent


class Follower:
    """A log's lines from the one after ``after`` on (None: from the first), each once, in order.

    Every connection begins with :meth:`request`, :meth:`begin` says whether its answer is a
    stream, :meth:`feed` is given what comes, and :meth:`lost` says how long to wait for the next.
    """

    def __init__(self, path: str, after: int | None, retries: Retries) -> None:
        self._whole = False
        self._path = path
        self._next = 0 if after is None else after + 1
        self._head: str | None = None  # of the line before; None: not seen here
        self._retries = retries
        self._tries = 0
        self._rest = b""  # of the connection at hand: what came of a line,
        self._kind = b""  # and the fields of an event
        self._id: bytes | None = None
        self._data: bytes | None = None

    def is_whole(self) -> bool:
        """Whether the log's last line has come."""
        return self._whole

    def request(self) -> Request:
        """What is asked for now."""
        self._rest, self._kind, self._id, self._data = b"", b"", None, None
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        if self._next:
            headers["last-event-id"] = str(self._next - 1)
        return Request("GET", self._path, headers=headers)

    def begin(self, reply: httpx.Response) -> bool:
        """Whether an answer is a stream to be read; any other must be whole.

        Raises :class:`RefusedError` or :class:`UnexpectedAnswerError` where to ask again is
        of no use; else see :meth:`lost`.
        """
        if reply.status_code == 204:
            self._whole = True
            return False
        if reply.status_code in RETRIED:
            return False
        if not reply.is_success:
            raise refusal(reply)
        if media_type(reply) != "text/event-stream":
            raise unexpected(reply, "text/event-stream")
        return True

    def feed(self, chunk: bytes) -> Iterator[LogLine]:
        """The log lines that are complete with these bytes.

        Raises :class:`DishonestError` for a line that does not follow from the one before it.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise self._broken("a line without an end")
        for line in lines:
            if self._is_event(line.removesuffix(b"\r")):
                yield self._log_line()

    def lost(self, reply: httpx.Response | httpx.RequestError | None) -> float:
        """Seconds to wait before the next request, when a connection gave no more.

        ``reply`` is what came instead of a stream, None if one came. Raises
        :class:`UnreachableError` or :class:`RefusedError` after too many without a line.
        """
        retries = self._retries
        wait = retries.wait(self._tries, reply)
        self._tries += 1
        if self._tries < retries.attempts and wait <= retries.patience:
            return wait
        if isinstance(reply, httpx.Response):
            raise refusal(reply)
        reason = str(reply) or type(reply).__name__ if reply is not None else "it broke off"
        raise UnreachableError(
            "unreachable", f"GET {self._path}: {self._tries} tries without a line ({reason})"
        )

    def _is_event(self, line: bytes) -> bool:
        """Whether a line of the stream (HTML, 9.2.6) ends an event that holds a line of the log.

        The service sends one `data` an event.
        """
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"" if not line:
                self._whole = self._whole or self._kind == b"end"
                self._kind = b""
                return self._data is not None and not self._whole
            case b"event":
                self._kind = value
            case b"id":
                self._id = value
            case b"data" if self._data is not None:
                raise self._broken("an event of several lines")
            case b"data":
                self._data = value
        return False

    def _log_line(self) -> LogLine:
        data, number = self._data or b"", self._id
        self._data = self._id = None
        if number != b"%d" % self._next:
            raise self._broken(f"event {number!r} where line {self._next} comes next")
        try:
            event = decode_line(data, self._next)
        except LineError as error:
            raise DishonestError("log-broken", str(error)) from None
        prev = event.prev if isinstance(event, Linked) else None
        if (prev is None) != (self._next == 0) or (self._head is not None and prev != self._head):
            raise DishonestError(
                "log-broken", f"line {self._next} does not follow from the line before it"
            )
        line = LogLine(self._next, data, event)
        self._head = line_hash(data)
        self._next += 1
        self._tries = 0
        return line

    def _broken(self, what: str) -> UnexpectedAnswerError:
        return UnexpectedAnswerError("unexpected-answer", f"GET {self._path} gave {what}")
