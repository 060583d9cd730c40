"""The lean path of ``PUT /v1/matches/{match_id}/rolls/{index}``, in front of the whole app.

It answers exactly the requests that are plainly right; every other request (bad body, unknown
key, another owner's match …) goes on to the app, whose own route says what is wrong with it.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dice_service.matches import Matches

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


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
        raise NotImplementedError

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError
