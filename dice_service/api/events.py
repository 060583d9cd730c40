"""``GET …/events``: a match's log as server-sent events, line by line while it grows."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Header, Query, Request
from pydantic import BeforeValidator, Field, WithJsonSchema
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dice_service.api import documents
from dice_service.api.context import ServiceDep, decimal
from dice_service.api.guards import Readable, readable
from dice_service.api.limits import UNLIMITED
from dice_service.api.methods import HEAD
from dice_service.api.places import EVENTS
from dice_service.api.problems import invalid_refusal, problem_response
from dice_service.errors import Refusal
from dice_service.service import Service
from dice_service.storage import StorageError
from dice_service.streams import LogLine, Stream, type_of
from verifier.events import MAX_INTEGER

SILENCE: Final = 15.0  # seconds after which a comment is sent, and whether one still may be here
SLOW: Final = 10.0  # seconds that a reader may take for what waits to be read
DROP: Final = "zarf.drop"  # in the scope: ends the connection without waiting for its reader

_HEADERS: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep lines back
]

router = APIRouter(tags=["matches"])
_random = random.SystemRandom()
_log = structlog.get_logger()

_Number = Annotated[Annotated[int, Field(ge=0, le=MAX_INTEGER)], BeforeValidator(decimal)]
# In the document it is not null: as text that would be a word.
_Seq = Annotated[
    _Number | None, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MAX_INTEGER})
]
After = Annotated[
    _Seq, Query(description="the last line that is known, if Last-Event-ID is not sent")
]
LastEventId = Annotated[
    _Seq, Header(description="the id of the last event that came: it goes on after it")
]


@router.get(
    EVENTS,
    operation_id="followMatch",
    summary="The log's lines as server-sent events, while they come",
    responses=documents.events(
        "not-authenticated", "forbidden", "not-found", "invalid", "storage-failed"
    ),
    openapi_extra=documents.operation(documents.READER),
)
async def get_events(
    service: ServiceDep,
    request: Request,
    match_id: Readable,
    after: After = None,
    last_event_id: LastEventId = None,
) -> Response:
    """One event a line: `id` its number from 0, `event` its type, `data` its bytes as they stand.

    A comment comes after every 15 silent seconds. After the log's last line an event `end` closes
    the stream; asked again after that line, the answer is 204, at which an `EventSource` stops.
    Whoever may read the log may follow it, as long as they may. A browser's `EventSource` sends no
    `Authorization`: for a match under way read the stream with `fetch`. A token never goes into
    a URL.
    """
    seen = after if last_event_id is None else last_event_id
    first = 0 if seen is None else seen + 1
    count, whole = await service.matches.length(match_id)
    if whole and first >= count:
        return Response(status_code=204, headers={"cache-control": "no-store"})
    if first > count:
        message = f"the log has {count} lines only; you know more than it has"
        raise invalid_refusal([("after" if last_event_id is None else "last-event-id", message)])
    if request.scope.get(HEAD):
        return Response(headers={name.decode(): value.decode() for name, value in _HEADERS})
    authorization = request.headers.get("authorization")

    async def still_allowed() -> None:
        await readable(service, await service.auth.caller(authorization), match_id)

    return EventStream(service, match_id, first, count, whole=whole, still_allowed=still_allowed)


class EventStream(Response):
    """A stream of a log's lines from ``first`` on. It holds nothing until it is sent."""

    def __init__(
        self,
        service: Service,
        match_id: str,
        first: int,
        count: int,
        *,
        whole: bool,
        still_allowed: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__()
        self._streams = service.streams
        self._place = (match_id, first, count)
        self._whole = whole
        self._still_allowed = still_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, until it ends or nobody reads it (ASGI)."""
        try:
            with self._streams.follow(*self._place, whole=self._whole, silence=SILENCE) as stream:
                if UNLIMITED in scope:
                    scope[UNLIMITED]()
                leaving = asyncio.create_task(_left(receive, stream))
                try:
                    await self._send(stream, send)
                except TimeoutError:
                    if DROP not in scope:
                        raise
                    _log.info("stream dropped: its reader is too slow", match_id=self._place[0])
                    scope[DROP]()
                    await leaving
                finally:
                    leaving.cancel()
        except Refusal as refusal:  # before anything was sent
            await problem_response(refusal)(scope, receive, send)

    async def _send(self, stream: Stream, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        # Drawn, so that those who lose a process do not all come to the next one at once.
        await _give(send, b"retry: %d\n\n" % _random.randint(1000, 3000))
        try:
            while (lines := await stream.some()) is not None:
                if not lines:
                    await self._still_allowed()
                await _give(send, b"".join(map(event_of, lines)) or b":\n\n")
        except StorageError as error:
            _log.warning("stream ended", match_id=self._place[0], reason=error.detail)
        except Refusal as refusal:
            _log.info("stream ended", match_id=self._place[0], reason=refusal.code)
        last = b"event: end\ndata: {}\n\n" if stream.whole else b""
        await _give(send, last, more=False)


def event_of(line: LogLine) -> bytes:
    """A line as an event."""
    head = f"id: {line.seq}\nevent: {type_of(line.data)}\ndata: "
    return head.encode("ascii") + line.data + b"\n\n"


async def _give(send: Send, body: bytes, *, more: bool = True) -> None:
    message: Message = {"type": "http.response.body", "body": body, "more_body": more}
    async with asyncio.timeout(SLOW):
        await send(message)


async def _left(receive: Receive, stream: Stream) -> None:
    """Stop a stream when its reader goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.stop()
