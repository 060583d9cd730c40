"""README.md's picture shows the page as it is."""

from pathlib import Path
from typing import Any

from tests.page.screenshot import LARGEST, PICTURE, SAYS, says, shown, take

README = Path(__file__).parents[2] / "README.md"


def test_the_picture_shows_what_the_page_says_now(browser: Any, tmp_path: Path) -> None:
    opened = shown(browser)
    now = says(opened.page)
    take(opened.page, tmp_path / "now.webp")
    opened.close()
    assert now.splitlines()[2] == "The dice are right"
    assert now == SAYS.read_text("utf-8"), "run make screenshot"
    for picture in (PICTURE, tmp_path / "now.webp"):
        data = picture.read_bytes()
        assert (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
        assert 10_000 < len(data) < LARGEST
    assert f"(verifier/page/{PICTURE.name})" in README.read_text("utf-8")
