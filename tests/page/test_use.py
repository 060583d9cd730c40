"""The page as it is used: with the keyboard, offline, saved, printed, shared, and by hand."""

import hashlib
import http.server
import json
import re
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.page.mutate import rechain
from tests.page.states import Shown, states
from tests.support.bots import play_out
from tests.support.browser import PAGE, Opened
from tests.support.scribe import PLAYER_SEEDS, honest
from verifier.fraud import check_proof, read_proof
from verifier.page import build

MATCH = play_out("oyna-backgammon", 3, seed=5)
SHOWN = {shown.name: shown for shown in states()}


def _give(opened: Any, shown: Shown) -> None:
    opened.give(shown.log, shown.receipt, shown.seed)


def test_the_committed_files_are_what_the_sources_build() -> None:
    assert build.main(["--check"]) == 0, "run python -m verifier.page.build"
    assert len(build.page()) < 150_000


def test_the_served_page_differs_in_its_leave_to_connect_only() -> None:
    html, served = build.page(), build.served(build.page())
    assert served.replace(b"connect-src 'self'", b"connect-src 'none'") == html
    assert b"default-src 'none'" in served


@pytest.mark.parametrize("way", ["file", "http"])
def test_with_the_network_off_the_open_page_still_verifies(
    open_page: Any, http_url: str, way: str
) -> None:
    opened = open_page(http_url) if way == "http" else open_page()
    opened.context.set_offline(True)
    _give(opened, SHOWN["verified"])
    assert opened.page.inner_text(".verdict h2") == "Zarlar doğru"
    assert len(opened.requests) == 1


def test_the_page_can_connect_to_nothing_and_run_nothing_else(open_page: Any) -> None:
    opened = open_page()
    tried = opened.page.evaluate(
        """async () => {
          const broken = [];
          document.addEventListener('securitypolicyviolation',
            (event) => broken.push(event.effectiveDirective));
          await fetch('https://example.invalid/').catch(() => {});
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend',
            '<p id="x" style="color: red" onclick="window.ran = true">x</p>');
          document.getElementById('x').click();  // older browsers look at a handler only now
          await new Promise((done) => setTimeout(done, 100));
          return [window.ran ?? false, [...new Set(broken)].sort()];
        }"""
    )
    assert tried == [False, ["connect-src", "script-src-attr", "script-src-elem", "style-src-attr"]]
    opened.wrong.clear()


def test_keyboard_alone_from_the_file_to_the_last_move(open_page: Any) -> None:
    opened = open_page()
    page = opened.page
    file = {"name": "m.zarf.jsonl", "mimeType": "text/plain", "buffer": MATCH.data}
    # Listening from the start: the browser takes a moment to hand its file choosers over.
    page.on("filechooser", lambda chooser: chooser.set_files(files=[file]))
    page.keyboard.press("Tab")
    for _ in range(10):
        if page.evaluate("document.activeElement.id") == "log-file":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict")
    assert page.evaluate("document.activeElement.classList.contains('verdict')")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.moves') !== null"):
            break
    page.keyboard.press("End")
    last = page.evaluate("document.activeElement.textContent")
    assert last == "Maç bitti: skor"
    assert page.inner_text(".now") == last
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".now").startswith("1. Açılış zarı 5-2 (penc-i dü)")


def test_the_board_says_in_words_what_it_shows(open_page: Any) -> None:
    opened = open_page()
    opened.give(MATCH.data)
    label = opened.page.get_attribute("svg.board", "aria-label")
    start = "24: 2, 13: 5, 8: 3, 6: 5, toplanan: 0, 167 pip"
    assert label == f"Ayşe – {start}. Bora – {start}"
    assert opened.page.locator("svg.board circle.player0").count() == 15
    opened.page.get_by_role("button", name="Diğer taraftan bak").click()
    assert opened.page.locator(".side").last.inner_text() == "Skor: 0–0"
    assert opened.page.locator(".side").nth(1).inner_text().startswith("Bora (Siyah)")


def test_two_hundred_per_cent_zoom_loses_nothing(open_page: Any) -> None:
    """Twice the size in a window of 1280 px is a window of 640 px with two pixels to each."""
    opened = open_page(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    _give(opened, SHOWN["dice"])
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 640
    for button in opened.page.locator("button:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 640


def test_the_failed_roll_is_open_marked_and_in_sight(open_page: Any) -> None:
    opened = open_page()
    _give(opened, SHOWN["dice"])
    page = opened.page
    row = page.locator(".moves [aria-current]")
    assert row.inner_text().replace("\n", " ").startswith("✖")
    box, around = row.bounding_box(), page.locator(".moves").bounding_box()
    assert around["y"] <= box["y"] <= around["y"] + around["height"] - box["height"]
    details = page.locator("details[open]").first.inner_text()
    assert "17. atış nasıl hesaplandı" in details
    assert "zarf/1:roll:test-match-1:" in details
    assert "Hesapta 1-2, kayıtta 2-2." in details


def test_the_lines_by_hand_give_the_same_in_a_shell(open_page: Any) -> None:
    opened = open_page()
    opened.give(MATCH.data)
    page = opened.page
    page.get_by_role("button", name="İleri").click()
    page.get_by_text("Elle denetle").click()
    lines = page.locator(".line code").all_inner_texts()
    said = [
        subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
        for line in lines
    ]
    commitment = json.loads(MATCH.lines[0])["commitment"]
    start = re.findall(r"şöyle olmalı: ([0-9a-f]{16})", page.inner_text("body"))
    assert commitment in said[0]
    assert start[0] in said[1]
    assert said[2].strip() == str(list(MATCH.dice(0)))


def test_the_saved_proof_convinces_the_other_verifier(open_page: Any) -> None:
    opened = open_page()
    shown = SHOWN["two-commitments"]
    _give(opened, shown)
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="Kanıt dosyasını kaydet").click()
    data = download.value.path().read_bytes()
    assert check_proof(read_proof(data)) == ""
    opened.page.evaluate("document.querySelector('.verdict').remove()")
    opened.give(data)
    assert opened.page.inner_text(".verdict h2") == "Kanıt geçerli: sunucu hile yapmış"


def test_the_saved_log_is_the_file_byte_for_byte(open_page: Any) -> None:
    opened = open_page()
    _give(opened, SHOWN["dice"])
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="Maç dosyasını sakla").click()
    assert download.value.path().read_bytes() == SHOWN["dice"].log


def test_the_language_is_the_browsers_and_stands_in_the_address(open_page: Any) -> None:
    opened = open_page(locale="en-GB")
    page = opened.page
    opened.give(MATCH.data)
    assert page.inner_text(".verdict h2").startswith("The dice are consistent")
    page.click("nav button[lang=tr]")
    assert page.inner_text(".verdict h2").startswith("Zarlar tutarlı")
    assert page.url.endswith("#lang=tr")
    page.reload()
    assert page.inner_text("h1") == "Zar doğrulama"
    assert page.evaluate("document.documentElement.lang") == "tr"


def test_a_pasted_log_and_one_dropped_are_read(open_page: Any) -> None:
    opened = open_page()
    page = opened.page
    page.fill("#log", honest().data.decode())
    page.get_by_role("button", name="Doğrula").click()
    assert page.inner_text(".verdict h2").startswith("Zarlar tutarlı")
    page.evaluate("document.querySelector('.verdict').remove()")
    page.evaluate(
        """(text) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], 'm.zarf.jsonl'));
          document.dispatchEvent(new DragEvent('drop', {dataTransfer: carried, cancelable: true}));
        }""",
        "\n",
    )
    page.wait_for_selector(".verdict")
    assert page.inner_text(".verdict h2") == "Dosya okunamadı"


def test_printing_opens_what_is_folded(open_page: Any) -> None:
    opened = open_page()
    _give(opened, SHOWN["dice"])
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.page.locator("details:not([open])").count() == 0
    opened.page.emulate_media(media="print")
    assert not opened.page.locator(".input").is_visible()
    assert opened.page.locator(".verdict").is_visible()


def test_where_the_browser_cannot_compute_the_page_says_so(open_page: Any) -> None:
    opened = open_page("about:blank")
    opened.page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
    opened.page.goto(PAGE.as_uri())
    assert opened.page.inner_text(".verdict h2") == "Bu tarayıcı hesaplayamıyor"


class _Service(http.server.BaseHTTPRequestHandler):
    """As the dice service does: the page at /verify/{id}, the log at /v1/matches/{id}/log."""

    def do_GET(self) -> None:
        log = self.path.endswith("/v1/matches/test-match-1/log")
        body = MATCH.data if log else build.served(build.page())
        self.send_response(200 if log or "/verify/" in self.path else 404)
        self.send_header("Content-Type", "application/jsonl" if log else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Service)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_opened_at_the_service_the_page_fetches_the_log_and_nothing_else(
    open_page: Any, service: str
) -> None:
    opened = open_page(f"{service}/verify/test-match-1")
    page = opened.page
    page.wait_for_selector(".verdict")
    assert page.inner_text(".verdict h2").startswith("Zarlar tutarlı")
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Bağlantıyı kopyala").click()
    page.get_by_role("button", name="Kopyalandı").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{service}/verify/test-match-1"
    assert opened.requests == [link, f"{service}/v1/matches/test-match-1/log"]


def test_what_a_device_hands_over_is_used(open_page: Any) -> None:
    opened = open_page()
    given = {
        "zarf": 1,
        "log": MATCH.data.decode(),
        "receipt": MATCH.opening.decode(),
        "seed": PLAYER_SEEDS[0].hex(),
    }
    opened.page.evaluate("(given) => window.postMessage(given, '*')", given)
    opened.page.wait_for_selector(".verdict.green")
    assert "senin tohumun hesapta" in opened.page.inner_text(".verdict")


class _Site(_Service):
    """A game site that embeds the device module and opens the page with what it kept."""

    def do_GET(self) -> None:
        if not self.path.startswith("/site"):
            return super().do_GET()
        module = self.path.endswith(".js")
        body = (
            build.device()
            if module
            else b"<!doctype html><link rel=icon href=data:,><title>site</title>"
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if module else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None


def test_a_sites_device_keeps_the_receipt_and_the_page_is_green(browser: Any) -> None:
    """From the site's storage to the verdict, by the built module, in two windows."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        opened = Opened(browser, f"{url}/site/")
        given = [PLAYER_SEEDS[0].hex(), MATCH.opening.decode(), f"{url}/verify/test-match-1"]
        with opened.context.expect_page() as page:
            opened.page.evaluate(
                """async ([seed, opening, url]) => {
                  const { Device } = await import('/site/device.js');
                  localStorage.setItem('zarf:test-match-1:0',
                    JSON.stringify({ seed, opening: '', rolls: [] }));
                  const device = new Device('test-match-1', 0);
                  if (await device.open(opening) !== seed) throw new Error('not my seed');
                  new Device('test-match-1', 0).handOver(url);
                }""",
                given,
            )
        page.value.wait_for_selector(".verdict.green")
        assert "senin tohumun hesapta" in page.value.inner_text(".verdict")
        assert opened.wrong == []
        opened.close()
        server.shutdown()
        thread.join()


def test_the_footer_names_the_code_it_runs(open_page: Any) -> None:
    opened = open_page()
    html = PAGE.read_text("utf-8")
    script = html.split('<script type="module">', 1)[1].split("</script>", 1)[0]
    style = html.split("<style>", 1)[1].split("</style>", 1)[0]
    digest = hashlib.sha256((script + style).encode()).hexdigest()
    opened.page.get_by_text(digest).wait_for()


def test_a_time_that_no_calendar_has_and_a_label_that_turns_text_are_shown(open_page: Any) -> None:
    scribe = honest(players=("a\u202eb", "\u05d0"))
    scribe.lines[-3] = scribe.lines[-3].replace(b"2026-11-30", b"2026-02-31")
    opened = open_page()
    opened.give(b"".join(line + b"\n" for line in scribe.lines[:-2]))
    assert opened.page.inner_text(".verdict h2") == "Henüz doğrulanamaz"
    assert "ab – \u2068\u05d0\u2069" in opened.page.inner_text(".about")


def test_a_very_long_list_is_drawn_in_parts_and_goes_by_keys_from_end_to_end(
    open_page: Any,
) -> None:
    opened = open_page()
    page = opened.page
    opened.give(honest(1_200).data)
    rows = page.locator(".moves button")
    assert rows.count() == 500
    assert page.locator("#rows option").all_inner_texts() == ["1–500", "501–1000", "1001–1201"]
    page.locator("#rows").select_option(label="501–1000")
    assert page.inner_text(".now").startswith("501. ")
    assert page.get_attribute(".moves", "start") == "501"
    rows.first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent").startswith("✔500. ")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "Maç bitti: tamamlandı"
    assert rows.count() == 201
    assert page.locator("#rows").input_value() == "1000"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows.count() == 1_201
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert rows.count() == 201


def test_many_false_rolls_leave_a_title_that_can_be_read(open_page: Any) -> None:
    scribe = honest(40)
    for seq in range(7, 7 + 40):
        event = json.loads(scribe.lines[seq])
        event["dice"][0] = event["dice"][0] % 6 + 1
        scribe.lines[seq] = json.dumps(event, separators=(",", ":")).encode()
    opened = open_page()
    opened.give(b"".join(line + b"\n" for line in rechain(scribe, scribe.lines)))
    title = opened.page.inner_text(".verdict h2")
    assert title == "40 atış tutmuyor: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 …"


def test_the_counts_are_a_picture_with_its_words_beside_it(open_page: Any) -> None:
    opened = open_page()
    opened.give(MATCH.data)
    page = opened.page
    page.get_by_text("Bu maçın zarları").click()
    figures = page.locator(".statistics figure")
    assert figures.locator("figcaption").all_inner_texts()[0] == "İki oyuncu · Atış: 63"
    rolls = [json.loads(line)["dice"] for line in MATCH.lines if line.startswith(b'{"type":"roll"')]
    counted = Counter(die for dice in rolls for die in dice)
    label = figures.locator("svg").first.get_attribute("aria-label")
    # Per cent outside on either side, by math.comb: binomial(126, 1/6) 1.6 and 2.5 (2.481),
    # (63, 1/6) 1.4 and 1.3; with a bound further in, that side has more than 2.5.
    for face in range(1, 7):
        assert f"{face}: {counted[face]} kez, beklenen 13–29" in label
    doubles = sum(a == b for a, b in rolls)
    assert f"Çift: {doubles} kez, beklenen 5–17" in label
    assert figures.locator("svg").first.locator("rect").count() == 2 * 7
    assert "Böyle bir resim hileyi ne gösterir ne de dışlar" in page.inner_text(".statistics")


def test_without_a_receipt_the_verdict_itself_asks_for_it(open_page: Any) -> None:
    opened = open_page()
    opened.give(MATCH.data)
    page = opened.page
    with page.expect_file_chooser() as chooser:
        page.locator(".verdict").get_by_role("button", name="Fiş dosyasını seç").click()
    receipt = {"name": "m.receipt.jsonl", "mimeType": "text/plain", "buffer": MATCH.opening}
    chooser.value.set_files(files=[receipt])
    page.wait_for_selector(".verdict.green")
    assert page.inner_text(".verdict h2") == "Zarlar doğru"


def test_one_changed_die_names_the_line_and_the_roll_and_leads_there(open_page: Any) -> None:
    at = MATCH.data.index(b'"dice":[', MATCH.data.index(b'"index":4')) + len(b'"dice":[')
    die = b"1" if MATCH.data[at : at + 1] != b"1" else b"2"
    opened = open_page()
    opened.give(MATCH.data[:at] + die + MATCH.data[at + 1 :])
    page = opened.page
    assert page.inner_text(".verdict h2") == "Kayıt sonradan değişmiş"
    assert "Hesapla tutmayan atış: 5." in page.inner_text(".verdict")
    page.get_by_role("button", name="Başa").click()
    page.get_by_role("button", name="5. atışa git").click()
    assert page.inner_text(".now").startswith("5. ")
    assert page.inner_text(".now").endswith("Tutmuyor")
