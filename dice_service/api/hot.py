"""The lean path of ``PUT /v1/matches/{match_id}/rolls/{index}``, in front of the whole app.

It answers exactly the requests that are plainly right; every other request (bad body, unknown
key, another owner's match …) goes on to the app, whose own route says what is wrong with it.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec
from msgspec import Struct

from dice_service.answers import Outcome, RollAnswer, encode
from dice_service.api.problems import problem_response
from dice_service.errors import Refusal
from dice_service.matches import Matches
from verifier.events import Player, Purpose

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
_Call = tuple[Scope, Receive, Send]

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
    answer given here; ``headers`` are added to each; ``timeout`` (seconds) is as long as one
    may take from its last header on.
    """

    def __init__(
        self,
        app: App,
        matches: Matches,
        *,
        owner_of: Callable[[bytes], str | None],
        observe: Callable[[int, float], None] = lambda _status, _seconds: None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        timeout: float = 10.0,
    ) -> None:
        self._app = app
        self._matches = matches
        self._owner_of = owner_of
        self._observe = observe
        self._headers = headers
        json = (b"content-type", b"application/json")
        self._done = [*headers, json, (b"cache-control", b"no-store")]
        self._timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain roll; pass on everything else."""
        if scope["type"] == "http" and scope["method"] == "PUT" and not scope["query_string"]:
            place = _PATH.fullmatch(scope["path"])
            if place is not None:
                owner, is_json = self._credentials(scope["headers"])
                if owner is not None:
                    await self._roll(place, owner, is_json, (scope, receive, send))
                    return
        await self._app(scope, receive, send)

    async def _roll(self, place: re.Match[str], owner: str, is_json: bool, call: _Call) -> None:
        begin = time.perf_counter()
        scope, receive, send = call
        first: Message | None = None
        try:
            async with asyncio.timeout(self._timeout):
                first = await receive()
                wanted = _wanted(first, is_json=is_json)
                outcome = None if wanted is None else await self._outcome(place, owner, wanted)
        except TimeoutError:
            code = "request-timeout" if first is None else "overloaded"
            detail = f"The request took longer than {self._timeout:g} s. Send it again."
            status, headers, body = self._problem(Refusal(code, detail), close=True)
        except Refusal as refusal:
            status, headers, body = self._problem(refusal)
        except Exception:
            if first is None:
                raise
            # The app does it again, as it may be done twice, and logs and answers what comes of it.
            await self._app(scope, _again(first, receive), send)
            return
        else:
            if outcome is None:
                await self._app(scope, _again(first, receive), send)
                return
            status, headers = (201 if outcome.created else 200), self._done
            body = encode(outcome.value)
        head = [*headers, (b"content-length", b"%d" % len(body)), (b"x-request-id", _request_id())]
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body})
        self._observe(status, time.perf_counter() - begin)

    async def _outcome(
        self, place: re.Match[str], owner: str, wanted: _Body
    ) -> Outcome[RollAnswer] | None:
        """The roll; None for another owner's match and for none: the app tells neither apart."""
        match_id, index = place.groups()
        try:
            if await self._matches.owner(match_id) != owner:
                return None
        except Refusal as refusal:
            if refusal.code == "not-found":
                return None
            raise
        return await self._matches.roll(
            match_id, int(index), purpose=wanted.purpose, player=wanted.player
        )

    def _problem(self, refusal: Refusal, *, close: bool = False) -> tuple[int, Headers, bytes]:
        response = problem_response(refusal, close=close)
        headers = [(n, v) for n, v in response.raw_headers if n != b"content-length"]
        return refusal.status, [*self._headers, *headers], refusal.body()

    def _credentials(self, headers: Headers) -> tuple[str | None, bool]:
        """The owner whose key was sent, if it is known, and whether the body is said to be JSON."""
        authorization, is_json = None, False
        for name, value in headers:
            if name == b"authorization":
                if authorization is not None:
                    return None, False
                authorization = value
            elif name == b"content-type":
                is_json = value == b"application/json"
        return (None, False) if authorization is None else (self._owner_of(authorization), is_json)


def _request_id() -> bytes:
    return secrets.token_hex(8).encode("ascii")


def _wanted(message: Message, *, is_json: bool) -> _Body | None:
    """What a body asks for; None for any but a whole, short and right one."""
    if message["type"] != "http.request" or message.get("more_body", False):
        return None
    body = message.get("body", b"")
    if not body:
        return _NOTHING
    if not is_json or len(body) > 256:
        return None
    try:
        return _decode(body)
    except (msgspec.MsgspecError, UnicodeError):
        return None


def _again(first: Message, receive: Receive) -> Receive:
    """A ``receive`` that gives the message already taken once more."""
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
