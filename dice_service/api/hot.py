"""The lean path of ``PUT /v1/matches/{match_id}/rolls/{index}``, in front of the whole app.

It answers exactly the requests that are plainly right; every other request (bad body, unknown
key, another owner's match …) goes on to the app, whose own route says what is wrong with it.
"""

import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec
from msgspec import Struct

from dice_service.answers import encode
from dice_service.errors import MEDIA_TYPE, Refusal
from dice_service.matches import Matches
from verifier.events import Player, Purpose

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_PATH = re.compile(r"/v1/matches/([A-Za-z0-9._-]{1,64})/rolls/(0|[1-9][0-9]{0,14})", re.ASCII)


class _Body(Struct, frozen=True, forbid_unknown_fields=True):
    purpose: Purpose = "turn"
    player: Player | None = None


_decode = msgspec.json.Decoder(_Body).decode
_NOTHING = _Body()


class HotRolls:
    """ASGI middleware, to be the outermost.

    ``owner_of(authorization)`` takes the header's bytes and returns at once the owner whose
    key it is, if that is already known, the key may roll (scope ``match:write``) and no limit
    is reached; else None, and the app decides. ``observe(status, seconds)`` is told of every
    answer given here. ``headers`` are added to each.
    """

    def __init__(
        self,
        app: App,
        matches: Matches,
        *,
        owner_of: Callable[[bytes], str | None],
        observe: Callable[[int, float], None] | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        self._app = app
        self._matches = matches
        self._owner_of = owner_of
        self._observe = observe
        self._done = [*headers, (b"content-type", b"application/json")]
        self._done.append((b"cache-control", b"no-store"))
        self._refused = [*headers, (b"content-type", MEDIA_TYPE.encode("ascii"))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain roll; pass on everything else."""
        if scope["type"] != "http" or scope["method"] != "PUT" or scope["query_string"]:
            return await self._app(scope, receive, send)
        place = _PATH.fullmatch(scope["path"])
        owner, json = self._headers(scope["headers"]) if place else (None, False)
        if place is None or owner is None:
            return await self._app(scope, receive, send)
        begin = time.perf_counter()
        first = await receive()
        wanted = _wanted(first, json=json)
        if wanted is None:
            return await self._app(scope, _again(first, receive), send)
        match_id, index = place.groups()
        try:
            if await self._matches.owner(match_id) != owner:
                return await self._app(scope, _again(first, receive), send)
            outcome = await self._matches.roll(
                match_id, int(index), purpose=wanted.purpose, player=wanted.player
            )
            status, headers, body = (
                201 if outcome.created else 200,
                self._done,
                encode(outcome.value),
            )
        except Refusal as refusal:
            if refusal.code == "not-found":
                return await self._app(scope, _again(first, receive), send)
            status, headers, body = refusal.status, self._refused, refusal.body()
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [
                    *headers,
                    (b"content-length", b"%d" % len(body)),
                    (b"x-request-id", secrets.token_hex(8).encode("ascii")),
                ],
            }
        )
        await send({"type": "http.response.body", "body": body})
        if self._observe is not None:
            self._observe(status, time.perf_counter() - begin)
        return None

    def _headers(self, headers: Headers) -> tuple[str | None, bool]:
        """The owner whose key was sent, if it is known, and whether the body is said to be JSON."""
        authorization, json = None, False
        for name, value in headers:
            if name == b"authorization":
                if authorization is not None:
                    return None, False
                authorization = value
            elif name == b"content-type":
                json = value == b"application/json"
        return (None, False) if authorization is None else (self._owner_of(authorization), json)


def _wanted(message: Message, *, json: bool) -> _Body | None:
    """What a body asks for; None for any but a whole, short and right one."""
    if message["type"] != "http.request" or message.get("more_body", False):
        return None
    body = message.get("body", b"")
    if not body:
        return _NOTHING
    if not json or len(body) > 256:
        return None
    try:
        return _decode(body)
    except msgspec.MsgspecError:
        return None


def _again(first: Message, receive: Receive) -> Receive:
    """A ``receive`` that gives the message already taken once more."""
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
