"""Logs changed at random, in the ways that two readers of one text are likeliest to part over."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.support.bots import play_out
from tests.support.scribe import OTHER_KEY, PLAYER_SEEDS, Scribe, honest

RULE_SETS = [
    ("kafadinle", 3),
    ("oyna-tavla", 3),
    ("oyna-backgammon", 3),
    ("tavlino", 3),
    ("jacoby-match", 4),
]


@dataclass
class Given:
    """A log with what is kept beside it."""

    name: str
    log: bytes
    receipts: list[bytes]
    my_seed: str | None


def honest_logs(seed: int) -> list[Scribe]:
    """Dice-only logs of both seedings, and a short refereed match of every rule set."""
    return [
        honest(),
        honest(3, seeding="direct"),
        honest(40, match_id="z"),
        *(play_out(rules, length, seed=seed) for rules, length in RULE_SETS),
        play_out("oyna-tavla", None, seed=seed, options={"best_of_games": 3, "gammon": 1}),
        play_out("oyna-tavla", 1, seed=seed, options={"no_hit_and_run_at_home": True}),
        play_out("oyna-backgammon", 3, seed=seed, options={"cube": False}),
    ]


def rechain(scribe: Scribe, lines: list[bytes]) -> list[bytes]:
    """The lines tied and signed anew by the service, as a cheating one would."""
    done: list[bytes] = []
    for seq, line in enumerate(lines):
        try:
            event = json.loads(line)
            if seq and "prev" in event:
                event["prev"] = _sha(done[-1])
            if seq and event.get("type") == "signature":
                event["seq"], event["head"] = seq - 1, _sha(done[-1])
                event["time"] = json.loads(done[-1]).get("time", event["time"])
                event["sig"] = scribe.signature(seq - 1, event["head"])
            done.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode())
        except (ValueError, TypeError, AttributeError, KeyError):
            done.append(line)
    return done


def _sha(data: bytes) -> str:
    from tests.support.scribe import sha256

    return sha256(data)


VALUES: list[object] = [
    0, 1, 2, 3, -1, 7, 1.5, True, False, None, "", "a", "turn", "opening", "abort", "score", "drop",
    "finished", "abandon", "timeout", "forfeit", "resign", "single", "gammon", "direct", "chained",
    "committed", "zarf/2", "kafadinle", "oyna-tavla", "tavlino", "none-such", "24/20", "bar/22",
    "13/7", [], [1, 2], [2, 1], [6, 6], [0, 0], [1, 0], [0, 2], {}, {"cube": False}, {"cube": 0},
    {"gammon": 1}, {"gammon": True}, {"best_of_games": 3}, {"best_of_games": 5, "gammon": 1},
    {"jacoby": False}, {"crawford": False}, {"a": 1}, 2**53, 10**400, "0" * 64, "ab" * 32,
    ["A", "B"], ["A"], ["é", "e\u0301"],
]  # fmt: skip
SPELLINGS = [
    (b":0", b":-0"), (b":1", b":1.0"), (b":1", b":1e0"), (b",", b", "), (b"}", b"}\t"),
    (b'"turn"', b'"t\\u0075rn"'), (b"{", b'{"type":"roll",'), (b'"type"', b'"Type"'),
    (b"}", b',"note":1}'), (b"}", b""), (b'"', b""), (b"\xc5\x9f", b"\xc5"), (b"}", b"}\r"),
    (b"{", b"\xef\xbb\xbf{"), (b"{", b""), (b"{", b"["), (b":", b":NaN,"), (b":0", b":00"),
    (b'"time"', b'"t\xc4\xb1me"'), (b"{", b"{{"), (b"zarf/1", b"zarf/2"), (b"null", b"nul"),
    (b":", b": "), (b"[", b"[[[[[[[[[[[[[[[[[["), (b'"time":', b'"time":{"a":1,"a":2},"x":'),
]  # fmt: skip


def mutations(chance: random.Random, scribe: Scribe) -> Iterator[tuple[str, list[bytes], bytes]]:
    """Endless changed copies of a log: what was done, its lines, and what follows the last."""
    ways: list[Callable[[random.Random, list[bytes]], str]] = [
        _value, _value, _value, _value, _spelling, _spelling, _spelling, _delete, _double, _swap,
        _byte, _byte, _cut, _field_order, _drop_field, _blank, _foreign,
    ]  # fmt: skip
    while True:
        lines = list(scribe.lines)
        done = [chance.choice(ways)(chance, lines) for _ in range(chance.choice([1, 1, 1, 2, 3]))]
        if chance.random() < 0.6:
            lines = rechain(scribe, lines)
            done.append("signed anew")
        rest = b"" if chance.random() < 0.95 else b'{"type"'
        yield "; ".join(done), lines, rest


def _pick(chance: random.Random, lines: list[bytes]) -> int:
    return chance.randrange(len(lines)) if lines else 0


def _load(line: bytes) -> dict[str, object]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _dump(event: dict[str, object]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _value(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    event = _load(lines[seq]) if lines else {}
    if not event:
        return "nothing"
    field = chance.choice(sorted(event))
    old = event[field]
    if isinstance(old, int) and not isinstance(old, bool) and chance.random() < 0.5:
        event[field] = old + chance.choice([-1, 1])
    elif isinstance(old, list) and len(old) == 2 and chance.random() < 0.5:
        event[field] = old[::-1]
    else:
        event[field] = chance.choice(VALUES)
    lines[seq] = _dump(event)
    return f"line {seq}: {field} {old!r} made {str(event[field])[:60]!r}"


def _spelling(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    old, new = chance.choice(SPELLINGS)
    if lines:
        lines[seq] = lines[seq].replace(old, new, chance.choice([1, 1, 2]))
    return f"line {seq}: {old!r} spelt {new!r}"


def _delete(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    del lines[seq : seq + 1]
    return f"line {seq} deleted"


def _double(chance: random.Random, lines: list[bytes]) -> str:
    seq, to = _pick(chance, lines), _pick(chance, lines)
    lines[to:to] = lines[seq : seq + 1]
    return f"line {seq} once more at {to}"


def _swap(chance: random.Random, lines: list[bytes]) -> str:
    a, b = _pick(chance, lines), _pick(chance, lines)
    if lines:
        lines[a], lines[b] = lines[b], lines[a]
    return f"lines {a} and {b} swapped"


def _byte(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    if not lines or not lines[seq]:
        return "nothing"
    line = bytearray(lines[seq])
    at = chance.randrange(len(line))
    line[at] = chance.choice([line[at] ^ 1, chance.randrange(256), 0x30, 0x22])
    lines[seq] = bytes(line).replace(b"\n", b" ")
    return f"line {seq}: byte {at}"


def _cut(chance: random.Random, lines: list[bytes]) -> str:
    keep = 1 + _pick(chance, lines)
    del lines[keep:]
    return f"cut after {keep} lines"


def _field_order(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    event = _load(lines[seq]) if lines else {}
    items = list(event.items())
    chance.shuffle(items)
    if items:
        lines[seq] = _dump(dict(items))
    return f"line {seq}: fields shuffled"


def _drop_field(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    event = _load(lines[seq]) if lines else {}
    if not event:
        return "nothing"
    field = chance.choice(sorted(event))
    del event[field]
    lines[seq] = _dump(event)
    return f"line {seq}: {field} dropped"


def _blank(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    lines[seq:seq] = [chance.choice([b"", b" ", b"\t ", b"\r", b"null", b"[]", b"\xff"])]
    return f"line {seq}: {lines[seq]!r} put in"


def _foreign(chance: random.Random, lines: list[bytes]) -> str:
    seq = _pick(chance, lines)
    other = honest(2, key=OTHER_KEY, match_id=chance.choice(["test-match-1", "other"])).lines
    lines[seq : seq + 1] = [chance.choice(other)]
    return f"line {seq} replaced by another log's"


def fuzzed(count: int, seed: int) -> Iterator[Given]:
    """``count`` changed logs, with receipts of the honest one beside some of them."""
    chance = random.Random(seed)
    sources = [(scribe, mutations(chance, scribe)) for scribe in honest_logs(seed)]
    for _ in range(count):
        scribe, changed = chance.choice(sources)
        name, lines, rest = next(changed)
        receipts = []
        if chance.random() < 0.4:
            receipts.append(scribe.opening)
        if chance.random() < 0.2:
            rolled = [i for i, line in enumerate(scribe.lines) if b'"type":"roll"' in line[:14]]
            receipts.append(scribe.receipt(chance.choice(rolled)))
        mine = chance.choice(
            [*[None] * 7, PLAYER_SEEDS[1].hex(), PLAYER_SEEDS[1].hex(), "0123" * 16]
        )
        log = b"".join(line + b"\n" for line in lines) + rest
        yield Given(name, log, receipts, mine)
