"""A real browser, and a page in it that nothing may go wrong in."""

import http.server
import os
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PAGE = Path(__file__).parents[2] / "verifier/page/verify.html"


# By module, not by session: while it runs, asyncio.run is not to be had, and other tests want it.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("chromium is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield chromium
        chromium.close()


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


class Opened:
    """A page opened in a context of its own; what the browser complains of is kept."""

    def __init__(self, browser: Any, url: str, **context: Any) -> None:
        self.context = browser.new_context(**({"locale": "tr-TR"} | context))
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)

    def _hear(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(message.text)

    def give(self, log: bytes, receipt: bytes = b"", seed: str = "") -> None:
        """Hand the page a log with what a player has beside it, and wait for the verdict."""
        if receipt:
            self.page.fill("#receipt", receipt.decode())
        if seed:
            self.page.fill("#seed", seed)
        file = {"name": "match.zarf.jsonl", "mimeType": "application/jsonl", "buffer": log}
        self.page.set_input_files("#log-file", files=[file])
        self.page.wait_for_selector(".verdict")

    def close(self) -> None:
        self.context.close()


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
