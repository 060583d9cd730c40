"""A receiver of webhooks on a local port, that keeps what it was sent and answers as it is told."""

import asyncio
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec


@dataclass
class Receiver:
    """Answers each request with the next of ``answers``, then 200: a status, or status and headers.

    ``requests`` are the (path, headers, body) that came, header names in lower case.
    """

    port: int = 0
    answers: list[int | tuple[int, dict[str, str]]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    before_answer: Callable[[], object] = bool
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def told(self) -> list[str]:
        """The match ids that came, in order."""
        return [msgspec.json.decode(body)["data"]["match_id"] for _, _, body in self.requests]

    @property
    def ids(self) -> Counter[str]:
        """How often each webhook-id came."""
        return Counter(headers["webhook-id"] for _, headers, _ in self.requests)

    async def has(self, count: int, seconds: float = 30.0) -> None:
        """Wait until so many requests have come."""

        def wait() -> bool:
            with self.changed:
                return self.changed.wait_for(lambda: len(self.requests) >= count, seconds)

        assert await asyncio.to_thread(wait), f"{len(self.requests)} of {count} came"


@contextmanager
def receiver(context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Receiver]:
    """A running receiver; with ``context`` over TLS."""
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with found.changed:
                found.requests.append((self.path, headers, body))
                found.changed.notify_all()
            found.before_answer()
            answer = found.answers.pop(0) if found.answers else 200
            status, extra = (answer, {}) if isinstance(answer, int) else answer
            self.send_response(status)
            for name, value in extra.items():
                self.send_header(name, value)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:  # a client that hung up
            pass

    server = Server(("127.0.0.1", port), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
