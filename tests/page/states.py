"""A log for every state of the page, each made as it comes about."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.page.mutate import rechain
from tests.support.bots import play_out
from tests.support.scribe import OTHER_KEY, PLAYER_SEEDS, Scribe, honest, plain_dice


@dataclass
class Shown:
    """What is given to the page, and the title and tone that it must answer with."""

    name: str
    tone: str
    title: str
    log: bytes
    receipt: bytes = b""
    seed: str = ""


def _wrong_dice(scribe: Scribe, *indexes: int) -> bytes:
    """The service writes other dice than those it rolled, and signs them."""
    lines = list(scribe.lines)
    for seq, line in enumerate(lines):
        event = json.loads(line)
        if event["type"] == "roll" and event["index"] in indexes:
            a, b = event["dice"]
            event["dice"] = [a % 6 + 1, b]
            lines[seq] = _line(event)
    return _data(rechain(scribe, lines))


def _line(event: dict[str, object]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _data(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _without_reveal(scribe: Scribe) -> bytes:
    return _data(scribe.lines[:-2])


class _Grinder(Scribe):
    """Opens another server seed than it sealed, and rolls with that."""

    def dice(self, index: int) -> tuple[int, int]:
        return plain_dice(bytes(range(32)), self.match_id, self.seeds, index)

    def reveal(self) -> Scribe:
        self.server_seed = bytes(range(32))
        return super().reveal()


def _grinder() -> bytes:
    scribe = _Grinder().open()
    for _ in range(3):
        scribe.roll()
    return scribe.end().data


def _illegal() -> bytes:
    scribe = play_out("oyna-backgammon", 1, seed=3)
    lines = list(scribe.lines)
    seq = next(i for i, line in enumerate(lines) if b'"type":"play"' in line[:15])
    event = json.loads(lines[seq])
    lines[seq] = _line(event | {"moves": "24/20"})
    return _data(rechain(scribe, lines))


def states() -> Iterator[Shown]:
    match = play_out("oyna-backgammon", 3, seed=5)
    log, opening, mine = match.data, match.opening, PLAYER_SEEDS[1].hex()
    yield Shown("verified", "green", "Zarlar doğru", log, opening, mine)
    yield Shown("consistent", "amber", "Zarlar tutarlı, ama fişinle karşılaştırılmadı", log)
    yield Shown("dice", "red", "17. atış tutmuyor", _wrong_dice(match, 16), opening)
    yield Shown(
        "dice-many", "red", "3 atış tutmuyor: 17, 20, 31",
        _wrong_dice(honest(40), 16, 19, 30), honest(40).opening,
    )  # fmt: skip
    yield Shown("server-seed", "red", "Sunucu tohumu parmak iziyle tutmuyor", _grinder())
    yield Shown("not-revealed", "amber", "Henüz doğrulanamaz", _without_reveal(match), opening)
    yield Shown(
        "not-ended", "amber", "Henüz doğrulanamaz: maç bitmemiş", _data(match.lines[:40]), opening
    )
    forged = bytearray(log)
    forged[-10] = ord("0") if forged[-10] != ord("0") else ord("1")
    yield Shown("bad-signature", "red", "İmza geçersiz", bytes(forged))
    yield Shown(
        "altered", "red", "Kayıt sonradan değişmiş",
        log.replace(b'"purpose":"opening"', b'"purpose":"turn"', 1),
    )  # fmt: skip
    yield Shown("unknown-version", "amber", "Bu kayıt sürümü tanınmıyor",
                log.replace(b"zarf/1", b"zarf/9"))  # fmt: skip
    other = honest(key=OTHER_KEY)
    yield Shown("other-server", "amber", "Kayıt başka bir sunucudan", honest().data, other.opening)
    yield Shown("other-match", "amber", "Fişin başka bir maça ait", log,
                honest(match_id="another").opening)  # fmt: skip
    yield Shown("no-own-seed", "red", "Senin tohumun bu kayıtta yok", log, opening, "0123" * 16)
    yield Shown("unreadable", "amber", "Dosya okunamadı", b"\x89PNG\r\n\x1a\n\0\0")
    yield Shown("cut-short", "amber", "Dosya okunamadı: yarım kalmış", log[:-30], opening)
    double = Scribe(server_seed=bytes(range(1, 33))).open()
    yield Shown("two-commitments", "red", "Sunucu iki farklı parmak izi vermiş", honest().data,
                double.opening)  # fmt: skip
    yield Shown("plays", "amber", "Zarlar doğru, 1. hamle kurala uymuyor", _illegal())
    yield Shown("no-rolls", "amber", "Bu maçta zar atılmamış", honest(0).data, honest(0).opening)
    yield Shown("bad-input", "amber", "Fişin ya da tohumun okunamadı", log, b"hello\n")
    direct = honest(9, seeding="direct")
    yield Shown("direct-seeding", "amber", "Zarlar tutarlı, ama tohumlar önceden kilitlenmemiş",
                direct.data, direct.opening)  # fmt: skip
