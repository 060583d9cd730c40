"""A real browser, and a page in it that nothing may go wrong in."""

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.support.browser import PAGE, Opened, chromium_or_skip


# By module, not by session: while it runs, asyncio.run is not to be had, and other tests want it.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium_or_skip() as chromium:
        yield chromium


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def http_url() -> Iterator[str]:
    """The page from http://127.0.0.1."""
    handler = partial(_Quiet, directory=str(PAGE.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/verify.html"
        server.shutdown()
        thread.join()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    opened: list[Opened] = []

    def start(url: str = PAGE.as_uri(), **context: Any) -> Opened:
        opened.append(Opened(browser, url, **context))
        return opened[-1]

    yield start
    for each in opened:
        each.close()
        assert each.wrong == []
