"""The lean path of ``PUT …/rolls/{index}`` and ``PUT …/actions/{number}``, in front of the app.

It answers exactly the requests that are plainly right; every other request (bad body, unknown
key, another owner's match …) goes on to the app, whose own route says what is wrong with it.
"""

import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import Struct

from dice_service.actions import AnyAction
from dice_service.answers import Outcome, RollAnswer, encode
from dice_service.api.deadlines import Deadlines
from dice_service.api.places import ACTION, ROLL
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
Observer = Callable[[str, str, str, int, float], None]
_Call = tuple[Scope, Receive, Send]

_PATH = re.compile(
    r"/v1/matches/([A-Za-z0-9._-]{1,64})/(rolls|actions)/(0|[1-9][0-9]{0,14})", re.ASCII
)


class _Roll(Struct, frozen=True, forbid_unknown_fields=True):
    purpose: Purpose = "turn"
    player: Player | None = None


class _Kind(NamedTuple):
    """A kind of place that is answered here: how its body is read, and what does it.

    ``nothing`` is what no body stands for, None if there must be one.
    """

    template: str
    decode: Callable[[bytes], Any]
    nothing: Struct | None
    do: Callable[[str, int, Any], Awaitable[Outcome[Any]]]


class HotPath:
    """ASGI middleware, to be the outermost.

    ``owner_of(authorization)`` takes the header's bytes and returns at once the owner whose
    key it is, if that is already known, the key may write (scope ``match:write``) and no limit
    is reached; else None, and the app decides. ``observe`` is told of every answer given here: its
    template, match id, request id, status and seconds; ``headers`` are added to each; ``count``,
    if there is a limit, is told the headers of every request answered here, and what it gives is
    added too; ``timeout`` (seconds) is as long as one may take from its last header on.
    """

    def __init__(
        self,
        app: App,
        matches: Matches,
        *,
        owner_of: Callable[[bytes], str | None],
        observe: Observer | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        count: Callable[[Headers], Headers] | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._app = app
        self._matches = matches
        self._owner_of = owner_of
        self._observe = observe
        self._headers = headers
        self._count = count
        json = (b"content-type", b"application/json")
        self._done = [*headers, json, (b"cache-control", b"no-store")]
        self._timeout = timeout
        self._deadlines = Deadlines(timeout)
        self._kinds = {
            "rolls": _Kind(ROLL, msgspec.json.Decoder(_Roll).decode, _Roll(), self._roll),
            "actions": _Kind(ACTION, msgspec.json.Decoder(AnyAction).decode, None, matches.action),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain request; pass on everything else."""
        if scope["type"] == "http" and scope["method"] == "PUT" and not scope["query_string"]:
            place = _PATH.fullmatch(scope["path"])
            if place is not None:
                owner, is_json = self._credentials(scope["headers"])
                if owner is not None:
                    await self._answer(place, owner, is_json, (scope, receive, send))
                    return
        await self._app(scope, receive, send)

    async def _answer(self, place: re.Match[str], owner: str, is_json: bool, call: _Call) -> None:
        begin = time.perf_counter()
        match_id, kind_name, number = place.groups()
        kind = self._kinds[kind_name]
        scope, receive, send = call
        first: Message | None = None
        try:
            with self._deadlines.new():
                first = await receive()
                wanted = _wanted(kind, first, is_json=is_json)
                outcome = None
                if wanted is not None and await self._owns(owner, match_id):
                    outcome = await kind.do(match_id, int(number), wanted)
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
        request_id = secrets.token_hex(8)
        head = [
            *headers,
            (b"content-length", b"%d" % len(body)),
            (b"x-request-id", request_id.encode("ascii")),
        ]
        if self._count is not None:
            head += self._count(scope["headers"])
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body})
        if self._observe is not None:
            seconds = time.perf_counter() - begin
            self._observe(kind.template, match_id, request_id, status, seconds)

    async def _owns(self, owner: str, match_id: str) -> bool:
        """Whether it is this owner's match; another's and none, the app tells alike."""
        try:
            return await self._matches.owner(match_id) == owner
        except Refusal as refusal:
            if refusal.code == "not-found":
                return False
            raise

    async def _roll(self, match_id: str, index: int, wanted: _Roll) -> Outcome[RollAnswer]:
        purpose, player = wanted.purpose, wanted.player
        return await self._matches.roll(match_id, index, purpose=purpose, player=player)

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


_plain = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _wanted(kind: _Kind, message: Message, *, is_json: bool) -> Struct | None:
    """What a body asks for; None for any but a whole, short and right one."""
    if message["type"] != "http.request" or message.get("more_body", False):
        return None
    body = message.get("body", b"")
    if not body:
        return kind.nothing
    if not is_json or len(body) > 256:
        return None
    try:
        if body.count(b'":') != len(_plain(body)):
            return None  # a field stands twice, perhaps: the app looks closely
        return cast("Struct", kind.decode(body))
    except (msgspec.MsgspecError, UnicodeError):
        return None


def _again(first: Message, receive: Receive) -> Receive:
    """A ``receive`` that gives the message already taken once more."""
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
