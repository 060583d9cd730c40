"""Every state of the page, reached with a log, in a real browser."""

import json
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from tests.page.states import Shown, states

ROOT = Path(__file__).parents[2]
SCREENS = ROOT / "var/screens"
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
STATES = list(states())
WIDTHS = [360, 768, 1280]


def _name(shown: Shown) -> str:
    return shown.name


@pytest.mark.parametrize("shown", STATES, ids=_name)
def test_every_state_says_its_title_at_every_width(shown: Shown, open_page: Any) -> None:
    opened = open_page(viewport={"width": 360, "height": 740})
    opened.give(shown.log, shown.receipt, shown.seed)
    page = opened.page
    assert page.inner_text(".verdict h2") == shown.title
    assert shown.tone in page.get_attribute(".verdict", "class").split()
    assert page.evaluate("document.activeElement.classList.contains('verdict')")
    assert page.get_attribute(".verdict", "role") == "status"
    assert opened.requests == [page.url.split("#")[0]]
    SCREENS.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=SCREENS / f"{shown.name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": 360, "height": 740})
    assert _small_texts(page) == []
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=SCREENS / f"{shown.name}-dark.png", full_page=True)
    page.click("nav button[lang=en]")
    page.screenshot(path=SCREENS / f"{shown.name}-dark-en.png", full_page=True)


SMALL = """() => {
  const small = [];
  for (const each of document.querySelectorAll('body *')) {
    const own = [...each.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !each.getClientRects().length) continue;
    const svg = each.ownerSVGElement;
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const size = parseFloat(getComputedStyle(each).fontSize) * scale;
    if (size < 12) small.push(`${each.tagName} ${size} ${each.textContent.slice(0, 30)}`);
  }
  return small;
}"""


def _small_texts(page: Any) -> list[str]:
    found: list[str] = page.evaluate(SMALL)
    return found


@pytest.mark.parametrize(("language", "scheme"), [("tr", "dark"), ("en", "light")])
def test_axe_finds_nothing_in_any_state(open_page: Any, language: str, scheme: str) -> None:
    """All states in one page, one after the other: a state differs in its output only."""
    opened = open_page(bypass_csp=True, color_scheme=scheme, viewport={"width": 768, "height": 900})
    page = opened.page
    page.add_script_tag(path=str(AXE))
    page.click(f"nav button[lang={language}]")
    violations = {}
    for shown in STATES:
        page.fill("#receipt", "")
        page.fill("#seed", "")
        page.evaluate("document.querySelector('.verdict')?.remove()")
        opened.give(shown.log, shown.receipt, shown.seed)
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        if found["violations"]:
            violations[shown.name] = [
                (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
                for each in found["violations"]
            ]
    assert violations == {}, json.dumps(violations, indent=1)
