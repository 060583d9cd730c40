"""uvicorn, as this service runs it: limits on a request's head, a clean stop, no banner."""

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dice_service.api.events import DROP
from dice_service.api.observe import HEADERS
from dice_service.errors import MEDIA_TYPE, Refusal, SetupError
from dice_service.settings import Settings

MAX_HEAD: Final = 16_384  # bytes of a request line with its headers
_log = structlog.get_logger()

LINGER: Final = 1.0  # seconds that a connection is still read after an early answer


class Lingering:
    """A transport that, closed while a request is still under way, reads on for a moment.

    Closed at once with bytes unread, the kernel would reset the connection, and the answer just
    written could be lost. What still comes is dropped. ``unread`` says whether any may come.
    """

    def __init__(self, transport: asyncio.Transport, unread: Callable[[], bool]) -> None:
        self._transport = transport
        self._unread = unread
        self._closed = False
        self.write = transport.write

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the transport has)
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Whether it was closed, though it may still be read."""
        return self._closed or self._transport.is_closing()

    def close(self) -> None:
        """Close it: at once where all was read, else after ``LINGER`` seconds."""
        if self._closed:
            return
        self._closed = True
        if self._unread() and self._transport.can_write_eof():
            self._transport.write_eof()
            self._transport.resume_reading()
            asyncio.get_running_loop().call_later(LINGER, self._transport.close)
        else:
            self._transport.close()


class LimitedProtocol(HttpToolsProtocol):
    """HTTP/1.1 whose request heads are limited in size and time, which uvicorn does not do.

    The time counts from the connection, or from the first byte of a later request.
    """

    head_timeout: float

    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None
    _in_head = True
    _in_body = False
    _head_began = False  # in the packet at hand: what stands before it there is another request's

    # As in uvicorn, whose protocol is only ever made for a stream.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time."""
        super().connection_made(Lingering(transport, self._unread))  # type: ignore[arg-type]
        self._head_timer = self.loop.call_later(self.head_timeout, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop it."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what belongs to an unfinished head."""
        if self.transport.is_closing():
            return
        self._head_began = False
        super().data_received(data)
        if not self._in_head or self.transport.is_closing():
            return
        if not self._head_began:
            self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD:
            self._refuse("head-too-large", f"A request's head holds at most {MAX_HEAD} bytes.")
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_timeout, self._too_slow)

    def on_message_begin(self) -> None:
        """Another request begins."""
        super().on_message_begin()
        self.scope[DROP] = self.transport.abort  # type: ignore[typeddict-unknown-key]
        self._in_head = self._head_began = True
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head, self._in_body = False, True
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The body is whole."""
        self._in_body = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP gets a problem like everything else."""
        self._refuse("bad-request", msg)

    def _too_slow(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self._refuse("request-timeout", "The request's head took too long.")

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse(self, code: str, detail: str) -> None:
        refusal = Refusal(code, detail)
        body = refusal.body()
        head = (
            f"HTTP/1.1 {refusal.status} \r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n"
        )
        common = b"".join(b"%b: %b\r\n" % header for header in HEADERS)
        self.transport.write(head.encode("ascii") + common + b"\r\n" + body)
        self.transport.close()

    def _unread(self) -> bool:
        """Whether more of a request may come: of its head, or of its body."""
        return self._in_head or self._in_body


class Server(uvicorn.Server):
    """A server that ends with status 0 when it is told to stop, after what it has begun.

    ``stopping`` is then called, for what would never end of itself.
    """

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], object]) -> None:
        super().__init__(config)
        self.stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Say so, and take no more connections."""
        under_way = len(self.server_state.tasks)
        _log.info("stopping", signal=signal.Signals(sig).name, requests_under_way=under_way)
        self.stopping()
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at SIGTERM and SIGINT; unlike uvicorn's own, without raising them again after."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises :class:`SetupError` ``address-unusable``."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SetupError(
            "address-unusable",
            f"cannot listen on {host} port {port}: {reason}; set DICE_HOST and DICE_PORT",
        ) from None


def seldom_collect() -> None:
    """Look for cyclic garbage seldom, and never in what the start has made.

    A request leaves next to none: what it makes is freed as it ends. Walking through all matches
    in memory every few hundred requests costs a tenth of the speed and frees nothing.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


async def serve(
    app: ASGIApp,
    settings: Settings,
    listener: socket.socket,
    started: Callable[[], None],
    stopping: Callable[[], object],
) -> None:
    """Serve ``app`` on ``listener`` until SIGTERM or SIGINT.

    ``started`` is called before, ``stopping`` when it is to end what has no end of its own.
    """
    protocol = type("Protocol", (LimitedProtocol,), {"head_timeout": settings.request_timeout})
    options: dict[str, Any] = {
        "http": protocol,
        "ws": "none",
        "lifespan": "off",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": settings.trusted_proxies,
        "timeout_keep_alive": 30,
        "timeout_graceful_shutdown": settings.drain_timeout,
    }
    server = Server(uvicorn.Config(app, **options), stopping)
    started()
    await server.serve(sockets=[listener])
