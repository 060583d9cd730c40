"""Limits of size and time, in front of everything that reads a body.

A body is read whole, up to its limit, before the request is handled: the rest of the service
sees one complete message, and a caller who sends too much or too slowly costs a few kilobytes
and one timer.
"""

import asyncio
from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service.api.problems import problem_response
from dice_service.errors import Refusal

_LINGER_BODIES = 64  # how many times the limit is read and dropped after a 413 was sent
_LINGER_SECONDS = 2.0

UNLIMITED = "zarf.unlimited"


class _TooLargeError(Exception):
    """The body goes on past the limit."""


class _CallerGoneError(Exception):
    """The caller closed the connection before the body was complete."""


class Limits:
    """ASGI middleware: bodies up to ``max_body`` bytes, requests up to ``timeout`` seconds.

    The time counts from the request's last header to the last byte of its answer. A larger body
    is answered 413, a slower one 408, work that takes longer 503; each closes the connection.
    An answer that is to have no end calls what stands in the scope as :data:`UNLIMITED`.
    """

    def __init__(self, app: ASGIApp, *, max_body: int, timeout: float) -> None:
        self._app = app
        self._max_body = max_body
        self._timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (ASGI)."""
        if scope["type"] != "http":
            return
        body: bytes | None = None
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._timeout) as limit:
                body = await self._read(scope, receive)
                scope[UNLIMITED] = partial(_lift, limit)
                await self._app(scope, _replay(body, receive), watched_send)
        except _TooLargeError:
            await self._refuse_large(scope, receive, send)
        except _CallerGoneError:
            return
        except TimeoutError:
            if not limit.expired() or started:
                raise  # the server closes the connection: half an answer cannot be taken back
            code = "request-timeout" if body is None else "overloaded"
            detail = f"The request took longer than {self._timeout:g} s. Send it again."
            await problem_response(Refusal(code, detail), close=True)(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        for name, value in scope["headers"]:
            if name == b"content-length" and (len(value) > 9 or int(value) > self._max_body):
                raise _TooLargeError
        message = await _next(receive)
        body: bytes = message.get("body", b"")
        while message.get("more_body", False) and len(body) <= self._max_body:
            message = await _next(receive)
            body += message.get("body", b"")
        if len(body) > self._max_body:
            raise _TooLargeError
        return body

    async def _refuse_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413, then read on for a moment.

        A close with bytes unread would reset the connection, and the answer might be lost.
        """
        detail = f"The body may hold at most {self._max_body} bytes."
        response = problem_response(Refusal("too-large", detail), close=True)

        async def held_open(message: Message) -> None:
            more = message["type"] == "http.response.body"
            await send({**message, "more_body": True} if more else message)

        await response(scope, receive, held_open)
        try:
            async with asyncio.timeout(min(self._timeout, _LINGER_SECONDS)):
                dropped = 0
                while dropped < _LINGER_BODIES * self._max_body:
                    message = await _next(receive)
                    dropped += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        break
        except (TimeoutError, _CallerGoneError):
            pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _lift(limit: asyncio.Timeout) -> None:
    if not limit.expired():
        limit.reschedule(None)


async def _next(receive: Receive) -> Message:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise _CallerGoneError
    return message


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body as one message, then what the server says after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
