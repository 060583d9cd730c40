"""The picture in README.md, taken of the page: ``make screenshot`` writes it.

Beside it stands what can be read in it and what gives it its looks: a test holds that to the page
as it is now, so that the picture stays true without being compared dot by dot.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from tests.support.bots import play_out
from tests.support.browser import PAGE, Opened, chromium
from tests.support.scribe import PLAYER_SEEDS

PICTURE = PAGE.with_name("screenshot.webp")
SAYS = PICTURE.with_suffix(".txt")
LARGEST = 60_000
_LOOKS = ("style.css", "board.js")
_MOVE = 9
_WIDTH = 860


def shown(browser: Any) -> Opened:
    """The page with a verdict, in English, some moves into the match."""
    opened = Opened(
        browser,
        PAGE.as_uri(),
        locale="en-GB",
        timezone_id="UTC",
        viewport={"width": _WIDTH, "height": 1000},
    )
    match = play_out("oyna-backgammon", 3, seed=5)
    opened.give(match.data, match.opening, PLAYER_SEEDS[1].hex())
    opened.page.locator(".moves button").nth(_MOVE).click()
    return opened


def says(page: Any) -> str:
    """What can be read in the picture, and the SHA-256 of what gives it its looks."""
    seen = [page.inner_text(part) for part in (".verdict", ".checks", ".about", ".now")]
    looks = b"".join((PAGE.parent / "src" / name).read_bytes() for name in _LOOKS)
    board = page.get_attribute("svg.board", "aria-label")
    return "\n".join([*seen, board, hashlib.sha256(looks).hexdigest()]) + "\n"


def take(page: Any, path: Path) -> None:
    """From the verdict down to the board, and nothing above or below."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    top, bottom = (page.locator(part).bounding_box() for part in (".verdict", ".now"))
    clip = {"x": 0, "y": top["y"] - 12, "width": _WIDTH, "scale": 1}
    clip["height"] = bottom["y"] + bottom["height"] - clip["y"] + 8
    asked = {"format": "webp", "quality": 50, "clip": clip, "captureBeyondViewport": True}
    answer = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    path.write_bytes(base64.b64decode(answer["data"]))


def main() -> None:
    with chromium() as browser:
        opened = shown(browser)
        take(opened.page, PICTURE)
        SAYS.write_text(says(opened.page), "utf-8")
        opened.close()


if __name__ == "__main__":
    main()
