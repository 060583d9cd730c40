"""ASGI middleware: HEAD as GET without a body, OPTIONS, and 405 with every method in Allow."""

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service.api.places import Places
from dice_service.api.problems import problem_response
from dice_service.errors import Refusal

HEAD = "zarf.head"  # in the scope of a GET that was a HEAD: an answer without an end has none then


class Methods:
    """In front of the routes, each of which knows one method only."""

    def __init__(self, app: ASGIApp, *, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (ASGI)."""
        found = self._places.find(scope["path"])
        if found is None:
            await self._app(scope, receive, send)
            return
        place, method = found[0], scope["method"]
        if method not in place.methods:
            refusal = Refusal("method-not-allowed", f"Here it must be one of {place.allow}.")
            await problem_response(refusal, {"allow": place.allow})(scope, receive, send)
        elif method == "OPTIONS":
            await Response(status_code=204, headers={"allow": place.allow})(scope, receive, send)
        elif method == "HEAD":
            as_get = {**scope, "method": "GET", HEAD: True}
            await self._app(as_get, receive, _without_body(send))
        else:
            await self._app(scope, receive, send)


def _without_body(send: Send) -> Send:
    async def bodiless(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return bodiless
