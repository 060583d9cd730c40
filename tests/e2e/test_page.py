"""Two players in browsers, a site between them and the service: what the page tells them after.

The match is played once, by the devices; then each player follows the link, to the honest
service and to ones that cheat with the service's own key.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from dice_service.subprocesses import ServiceProcess
from tests.e2e.site import Site, cheating, serving
from tests.page.mutate import rechain
from tests.support.bots import play_out
from tests.support.browser import Opened, chromium_or_skip
from tests.support.scribe import Scribe
from verifier.fraud import check_proof, read_proof

LOCALES = ("tr-TR", "en-GB")


@dataclass
class Played:
    """A match that is over: its players' browsers, and what the service knows of it."""

    browsers: list[Opened]
    match_id: str
    site: str
    service: str
    log: bytes
    key: Any

    def open_site(self, player: int, service: str) -> Any:
        """The player comes back to the site; it sends to ``service`` for the verification."""
        page = self.browsers[player].page
        page.goto(_game(self.site, self.match_id, player, service))
        page.wait_for_selector("#verify:visible")
        return page

    def follow(self, player: int, service: str, tone: str) -> Any:
        """The player follows the site's link, and waits for the verdict on what was kept."""
        page = self.open_site(player, service)
        with page.context.expect_page() as opened:
            page.click("#verify")
        opened.value.wait_for_selector(f".verdict.{tone}")
        return opened.value

    def kept(self, player: int) -> dict[str, Any]:
        """What lies in the player's localStorage."""
        name = f"zarf:{self.match_id}:{player}"
        page = self.open_site(player, self.service)
        kept: dict[str, Any] = json.loads(page.evaluate("(n) => localStorage.getItem(n)", name))
        return kept

    def scribe(self, **given: Any) -> Scribe:
        """One that writes what it likes about this match, with the service's key."""
        return Scribe(self.match_id, key=self.key, **given)


def _game(site: str, match_id: str, player: int, service: str) -> str:
    return f"{site}/?match={match_id}&player={player}&service={service}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium_or_skip() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def played(browser: Any, service: ServiceProcess, api_key: str) -> Iterator[Played]:
    site = Site(service.url, api_key)
    with serving(site) as url:
        browsers = [
            Opened(browser, _game(url, site.match_id, player, service.url), locale=locale)
            for player, locale in enumerate(LOCALES)
        ]
        for each in browsers:
            each.page.wait_for_function("document.querySelector('#said').textContent != 'playing'")
            assert each.page.inner_text("#said") == "over"
        log = site.devices[0].log(site.match_id).data
        [pem] = (service.folder / "keys").glob("signing-*.pem")
        key = load_pem_private_key(pem.read_bytes(), None)
        yield Played(browsers, site.match_id, url, service.url, log, key)
        for each in browsers:
            assert each.wrong == []
            each.close()


def _verdict(page: Any) -> tuple[str, str]:
    title, text = page.inner_text(".verdict h2"), page.inner_text(".verdict p:not(.icon)")
    return title, text


def test_each_player_follows_the_link_and_reads_that_the_dice_are_right(played: Played) -> None:
    rolls = played.log.count(b'{"type":"roll"')
    assert rolls > 10
    turkish, english = (played.follow(player, played.service, "green") for player in (0, 1))
    said = [_verdict(page) for page in (turkish, english)]
    assert [title for title, _ in said] == ["Zarlar doğru", "The dice are right"]
    assert said[0][1].startswith(
        f"{rolls} atışın hepsini cihazın yeniden hesapladı; senin tohumun hesapta."
    )
    assert said[1][1].startswith(
        f"Your device computed all {rolls} rolls again, with your seed in them."
    )
    assert turkish.locator(".checks .green").count() == 7
    turkish.locator(".moves button").last.click()
    assert turkish.inner_text(".now") == "Maç bitti: skor"
    for page in (turkish, english):
        assert "lang=" in page.url  # and nothing that is the player's own
        assert not any(part in page.url for part in ("seed", "receipt", "token"))
        page.close()


def test_a_stranger_with_the_link_alone_is_told_what_is_missing(
    browser: Any, played: Played
) -> None:
    opened = Opened(browser, f"{played.service}/verify/{played.match_id}")
    opened.page.wait_for_selector(".verdict.amber")
    title, text = _verdict(opened.page)
    assert title == "Zarlar tutarlı, ama fişinle karşılaştırılmadı"
    assert text.endswith("Emin olmak için fişini ver.")
    assert opened.wrong == []
    opened.close()


def _other_roll(played: Played) -> list[bytes]:
    """The third roll's first die is one more than was rolled."""
    lines = played.log.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith(b'{"type":"roll"')][2]
    event = json.loads(lines[at])
    event["dice"][0] = event["dice"][0] % 6 + 1
    lines[at] = _line(event)
    return lines


def _line(event: dict[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _data(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _roll_changed(played: Played) -> bytes:
    return _data(_other_roll(played))


def _roll_changed_and_signed(played: Played) -> bytes:
    return _data(rechain(played.scribe(), _other_roll(played)))


def _secrets(played: Played) -> tuple[bytes, list[bytes]]:
    events = [json.loads(line) for line in played.log.splitlines()]
    seeds = {e["player"]: bytes.fromhex(e["seed"]) for e in events if e["type"] == "seed"}
    [server] = [bytes.fromhex(e["server_seed"]) for e in events if e["type"] == "reveal"]
    return server, [seeds[0], seeds[1]]


def _rewritten(played: Played, server: bytes, seeds: list[bytes]) -> bytes:
    """Another match under the same name, from its first line to its last signature."""
    given: dict[str, Any] = {"server_seed": server, "seeds": tuple(seeds), "key": played.key}
    return play_out("oyna-tavla", 1, match_id=played.match_id, **given).data


def _seeds_swapped(played: Played) -> bytes:
    server, _ = _secrets(played)
    return _rewritten(played, server, [hashlib.sha256(bytes([n])).digest() for n in (1, 2)])


def _other_commitment(played: Played) -> bytes:
    _, seeds = _secrets(played)
    return _rewritten(played, hashlib.sha256(b"luckier dice").digest(), seeds)


TWO_FINGERPRINTS = (
    ("Sunucu iki farklı parmak izi vermiş", "Bundan güçlü kanıt yok: kanıt dosyasını kaydet."),
    ("The server has given two different fingerprints", "No evidence is stronger"),
)
CHEATS: list[tuple[Callable[[Played], bytes], bool, tuple[tuple[str, str], tuple[str, str]]]] = [
    (
        _roll_changed, False,
        (("Kayıt fişinle tutmuyor", "satır fişindekinden farklı"),
         ("The log does not fit your receipt", "differs from your receipt")),
    ),
    (
        _roll_changed_and_signed, True,
        (("Sunucu birbirini tutmayan iki satır imzalamış", "ikisi de sunucunun imzasını taşıyor"),
         ("The server signed two lines that contradict each other",
          "both bear the server’s signature")),
    ),
    (_seeds_swapped, True, TWO_FINGERPRINTS),
    (_other_commitment, True, TWO_FINGERPRINTS),
]  # fmt: skip


@pytest.mark.parametrize(("cheat", "proof", "says"), CHEATS, ids=[c[0].__name__ for c in CHEATS])
@pytest.mark.parametrize("player", [0, 1])
def test_a_service_that_cheats_is_told_to_either_player_in_plain_words(
    played: Played,
    cheat: Callable[[Played], bytes],
    proof: bool,
    says: tuple[tuple[str, str], tuple[str, str]],
    player: int,
) -> None:
    log = cheat(played)
    assert log != played.log
    with cheating(played.service, lambda _: log) as url:
        page = played.follow(player, url, "red")
        title, text = _verdict(page)
        assert title == says[player][0]
        assert says[player][1] in text
        if proof:
            with page.expect_download() as download:
                page.click(".verdict button >> nth=0")
            assert check_proof(read_proof(download.value.path().read_bytes())) == ""
        page.close()


def test_a_player_who_kept_the_seed_alone_sees_that_it_was_swapped(
    browser: Any, played: Played
) -> None:
    with cheating(played.service, lambda _: _seeds_swapped(played)) as url:
        opened = Opened(browser, f"{url}/verify/{played.match_id}")
        opened.page.wait_for_selector(".verdict.amber")
        opened.page.fill("#seed", played.kept(0)["seed"])
        opened.page.click("button[type=submit]")
        opened.page.wait_for_selector(".verdict.red")
        title, text = _verdict(opened.page)
    assert title == "Senin tohumun bu kayıtta yok"
    assert played.match_id in text
    assert text.endswith("sunucu ya da site tohumunu değiştirmiş.")
    opened.close()


def test_a_site_that_uses_a_players_token_itself_gets_no_seed(
    browser: Any, service: ServiceProcess, api_key: str
) -> None:
    """It was given the token to hand on, and commits in the player's name to a seed it knows."""
    site = Site(service.url, api_key)
    stolen = hashlib.sha256(b"the site's own seed, as bytes of a commitment").hexdigest()
    commit, committed, opened_seeds = site.commit, [], []

    def swapped(player: Any, commitment: str) -> None:
        committed.append(commitment)
        commit(player, commitment if player else stolen)

    site.commit = swapped  # type: ignore[method-assign]
    site.seed = lambda player, seed: opened_seeds.append((player, seed))  # type: ignore[method-assign]
    site.news = lambda *_: {"receipts": [], "due": None, "plays": [], "over": True}  # type: ignore[method-assign]
    with serving(site) as url:
        victim, other = (
            Opened(browser, _game(url, site.match_id, player, service.url)) for player in (0, 1)
        )
        other.page.wait_for_selector("#verify:visible")
        victim.page.get_by_text("opening-not-my-commitment").wait_for()
        said = victim.page.inner_text("#said")
        assert "Bu maç için sana verilen jetonu başkası kullanmış olabilir." in said
        assert victim.page.locator("#verify").is_hidden()
        for each in (victim, other):
            each.close()
    assert len(committed) == 2
    assert [player for player, _ in opened_seeds] == [1]


def test_saved_and_offline_one_changed_byte_is_found_and_told(
    browser: Any, played: Played, tmp_path: Path
) -> None:
    """The page as the service serves it, saved to a disk, the network off."""
    saved = tmp_path / "verify.html"
    page = played.open_site(0, played.service)
    saved.write_bytes(page.request.get(f"{played.service}/verify").body())
    kept = played.kept(0)
    receipt = (kept["opening"] + "".join(kept["rolls"])).encode()
    opened = Opened(browser, saved.as_uri())
    opened.context.set_offline(True)
    opened.give(played.log, receipt, kept["seed"])
    assert _verdict(opened.page)[0] == "Zarlar doğru"

    at = played.log.index(b'"dice":[', played.log.index(b'"purpose":"turn"')) + len(b'"dice":[')
    die = b"1" if played.log[at : at + 1] != b"1" else b"2"
    changed = played.log[:at] + die + played.log[at + 1 :]
    line = played.log[:at].count(b"\n") + 1
    for clue, title in [(receipt, "Kayıt fişinle tutmuyor"), (b"", "Kayıt sonradan değişmiş")]:
        opened.page.reload()
        opened.give(changed, clue)
        said, text = _verdict(opened.page)
        assert (said, f"{line}. satır" in text) == (title, True)
        opened.page.get_by_text("atış tutmuyor").first.wait_for(state="attached")
    assert {url.split("#")[0] for url in opened.requests} == {saved.as_uri()}
    assert opened.wrong == []
    opened.close()
