"""A real Chromium, and pages in it that hear what the browser complains of."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
PAGE = Path(__file__).parents[2] / "verifier/page/verify.html"
_ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def missing() -> str:
    """What is not installed of what a browser needs, or ""."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return "" if CHROMIUM.exists() else f"{CHROMIUM} is not installed"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; while it runs, this thread has no ``asyncio.run``."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=_ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def chromium_or_skip() -> Iterator[Any]:
    """As :func:`chromium`; where there is none the test is skipped, and fails in CI."""
    if lack := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(lack)
    with chromium() as browser:
        yield browser


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
        self.page.wait_for_selector("#output:not([aria-busy]) .verdict")

    def close(self) -> None:
        self.context.close()
