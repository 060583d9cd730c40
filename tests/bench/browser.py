"""The verification page in Chromium: its dice check, and a match from its file to the verdict.

Times are the browser's own, from ``performance``. What is slowed is slowed by Chromium itself, six
times, as its developer tools do it for a phone.
"""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from tests.bench.harness import Figure, Pair, Plan, Unavailable, paired
from tests.support.bots import play_out
from tests.support.browser import PAGE, chromium, missing
from tests.support.scribe import PLAYER_SEEDS, SERVER_SEED, honest

ROLLS: Final = 1_000
SLOWED: Final = 6
MATCH_ROLLS: Final = 300

_EMPTY: Final = b"<!doctype html><link rel=icon href=data:,><title>empty</title>"
_LOADED: Final = "performance.getEntriesByType('navigation')[0].loadEventEnd"

_PREPARE: Final = """async ({text, secret, seeds}) => {
  const [{readLog}, {recompute}, {rollMessage, secretKey}, {encode}] = await Promise.all(
    ['log', 'verify', 'dice', 'bytes'].map((name) => import(`/src/${name}.js`)));
  const {lines} = await readLog(encode(text));
  const of = (type) => lines.filter(({event}) => event.type === type);
  const [match] = of('match'), [reveal] = of('reveal'), rolls = of('roll');
  const found = {match: match.event, seeds: of('seed'), reveal, rolls};
  const key = await secretKey(secret);
  const messages = rolls.map((_, i) => encode(rollMessage(found.match.match_id, seeds, i, 0)));
  const timed = async (work) => {
    const begin = performance.now();
    const done = await work();
    return [performance.now() - begin, done];
  };
  window.bare = async () => (await timed(() =>
    Promise.all(messages.map((each) => crypto.subtle.sign('HMAC', key, each)))))[0];
  window.ours = async () => {
    const [ms, {rolls: worked}] = await timed(() => recompute(found, false));
    if (worked.length !== rolls.length || worked.some(({agrees}) => !agrees)) throw Error('wrong');
    return ms;
  };
  window.median = async (run) => {
    const times = [];
    for (let i = 0; i < 7; i++) times.push(await run());
    return times.sort((a, b) => a - b)[3];
  };
  await median(ours), await median(bare);
}"""

# Until the frame that shows the verdict is begun.
_FROM_FILE: Final = """async (text) => {
  const chooser = document.getElementById('log-file');
  const given = new DataTransfer();
  given.items.add(new File([text], 'match.zarf.jsonl'));
  chooser.files = given.files;
  const shown = new Promise((done) => new MutationObserver((_, observer) => {
    if (!document.querySelector('.verdict')) return;
    observer.disconnect();
    requestAnimationFrame(() => done(performance.now()));
  }).observe(document.getElementById('output'), {childList: true, subtree: true}));
  const begin = performance.now();
  chooser.dispatchEvent(new Event('change'));
  const ms = (await shown) - begin;
  const {className} = document.querySelector('.verdict');
  if (!className.includes('amber')) throw Error(className);
  return ms;
}"""


class _Files(http.server.SimpleHTTPRequestHandler):
    """The page's folder, and an empty page."""

    def do_GET(self) -> None:
        if self.path != "/empty":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(_EMPTY)))
        self.end_headers()
        self.wfile.write(_EMPTY)
        return None

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _browser() -> Iterator[tuple[Any, str]]:
    """Chromium, and the address of the page's folder."""
    if lack := missing():
        raise Unavailable(lack)
    handler = partial(_Files, directory=str(PAGE.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        with chromium() as browser:
            yield browser, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def _opened(browser: Any, slowed: int, url: str) -> Iterator[Any]:
    """A page of its own, as a new visitor's."""
    context = browser.new_context()
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    page.goto(url)
    yield page
    context.close()


@contextmanager
def _dice(_: Plan, *, slowed: int) -> Iterator[Pair]:
    """Both in one page, warm: the check itself, without reading the log."""
    seeds = [seed.hex() for seed in PLAYER_SEEDS]
    given = {"text": honest(ROLLS).data.decode(), "secret": SERVER_SEED.hex(), "seeds": seeds}
    with _browser() as (browser, url), _opened(browser, slowed, f"{url}/empty") as page:
        page.evaluate(_PREPARE, given)
        yield Pair(lambda: page.evaluate("median(ours)"), lambda: page.evaluate("median(bare)"))


@contextmanager
def _file(_: Plan, *, slowed: int) -> Iterator[Pair]:
    """Each in a new page, cold."""
    scribe = play_out("oyna-tavla", None, seed=1, options={"best_of_games": 9})
    assert scribe.rolled == MATCH_ROLLS
    log = scribe.data.decode()
    with _browser() as (browser, url):

        def ours() -> float:
            with _opened(browser, slowed, PAGE.as_uri()) as page:
                ms: float = page.evaluate(_FROM_FILE, log)
            return ms

        def empty() -> float:
            with _opened(browser, slowed, f"{url}/empty") as page:
                ms: float = page.evaluate(_LOADED)
            return ms

        yield Pair(ours, empty)


def _figures(slowed: int) -> tuple[Figure, Figure]:
    name, how = ("", "") if slowed == 1 else ("-slowed", f", the processor slowed {slowed} times")
    return (
        Figure(
            name=f"page-dice{name}",
            what=f"the page's check of {ROLLS:,} rolls, ms{how}",
            baseline="as many bare WebCrypto HMACs at once, in the same page, messages made before",
            goal=1.5,
            direction="at_most",
            measure=paired(partial(_dice, slowed=slowed)),
        ),
        Figure(
            name=f"page-file{name}",
            what=f"a refereed match of {MATCH_ROLLS} rolls, from the file to the verdict, ms{how}",
            baseline="the load of an empty page, in the same browser",
            goal=3.0,
            direction="at_most",
            measure=paired(partial(_file, slowed=slowed)),
        ),
    )


FIGURES: Final = (*_figures(1), *_figures(SLOWED))
