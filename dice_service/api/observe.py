"""ASGI middleware around everything: request ids, numbers, log lines, the last net for errors."""

import secrets
import time
from http import HTTPStatus

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service.api.hot import Observer
from dice_service.api.metrics import UNKNOWN, Metrics
from dice_service.api.places import ACTION, ROLL, Places
from dice_service.api.problems import failure_response
from dice_service.logs import safe_id

# Of every answer. No CORS header is among them: the pages here fetch from their own origin, and a
# game site's pages speak through its game server. Pages have a policy of their own besides.
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # an address here may hold a match id
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

_QUIET = frozenset({ROLL, ACTION})  # a line for each would be most of a log: at debug only

_log = structlog.get_logger()


class Observe:
    """Gives each request an id (``X-Request-Id``), counts it, and logs what became of it.

    Logged are the path's template, the method, the status, the time and, where it can be nothing
    else, the match id: no header, no body, no query, no path as it came.
    """

    def __init__(self, app: ASGIApp, *, places: Places, metrics: Metrics) -> None:
        self._app = app
        self._places = places
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (ASGI)."""
        if scope["type"] != "http":
            return
        begin = time.perf_counter()
        request_id = secrets.token_hex(8)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        status = 0

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"x-request-id", request_id.encode("ascii")),
                    *HEADERS,
                ]
            await send(message)

        try:
            await self._app(scope, receive, marked)
        except Exception:  # noqa: BLE001 - the last net: it must catch what nobody thought of
            _log.exception("request failed")
            if status == 0:
                await failure_response()(scope, receive, marked)
        finally:
            self._tell(scope, status, time.perf_counter() - begin)
            structlog.contextvars.clear_contextvars()

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        found = self._places.find(scope["path"])
        place, match_id = found or (None, None)
        method = scope["method"]
        template = place.template if place else UNKNOWN
        shown = method if place and method in place.methods else UNKNOWN
        self._metrics.request(template, shown, status, seconds)
        _line(template, shown, status, seconds, safe_id(match_id) if match_id else None)


def hot_observer(metrics: Metrics, *, debug: bool) -> Observer:
    """What the hot path tells of each of its answers: counted and logged as the others are.

    ``debug``: whether lines of that level are told; if not, a plain answer's is not even made.
    """

    def observe(template: str, match_id: str, request_id: str, status: int, seconds: float) -> None:
        metrics.request(template, "PUT", status, seconds)
        if debug or status >= 400:
            _line(template, "PUT", status, seconds, safe_id(match_id), request_id=request_id)

    return observe


def _line(
    route: str, method: str, status: int, seconds: float, match_id: str | None, **more: str
) -> None:
    if status >= 500:
        tell = _log.error
    elif status == HTTPStatus.TOO_MANY_REQUESTS:
        tell = _log.debug  # a flood shall not fill the log: the metrics count it
    elif status >= 400 or (method == "PUT" and route not in _QUIET):
        tell = _log.info
    else:
        tell = _log.debug
    tell(
        "request",
        route=route,
        method=method,
        status=status,
        match_id=match_id,
        milliseconds=round(seconds * 1000, 3),
        **more,
    )
