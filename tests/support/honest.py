"""Hypothesis strategies: every event there can be, and honest matches of every kind."""

import string
import unicodedata
from typing import Any

import msgspec
from hypothesis import strategies as st

from tests.support.scribe import Scribe
from verifier import events

HEX32 = st.binary(min_size=32, max_size=32).map(bytes.hex)
SEEDS = st.binary(min_size=32, max_size=32).filter(lambda seed: len(set(seed)) > 1)
PLAYERS = st.sampled_from((0, 1))
COUNTS = st.integers(0, 2**53 - 1)
MATCH_IDS = st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=64)
NAMES = st.text(string.ascii_lowercase + string.digits + "_-", min_size=1, max_size=32)
LABELS = (
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=64)
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(lambda text: 1 <= len(text) <= 64)
)
TIMES = st.builds(
    "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z".format,
    st.integers(0, 9999),
    st.integers(1, 12),
    st.integers(1, 31),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    st.integers(0, 999),
)
LENGTHS = st.none() | st.integers(1, 999)
SCORES = st.tuples(COUNTS, COUNTS)
DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))
OPTIONS = st.dictionaries(NAMES, st.booleans() | st.integers(0, 999), max_size=4).map(
    lambda options: dict(sorted(options.items()))
)

_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "time": TIMES,
    "prev": HEX32,
    "protocol": st.just("zarf/1"),
    "match_id": MATCH_IDS,
    "seeding": st.sampled_from(("committed", "direct", "chained")),
    "rules": st.none() | NAMES,
    "length": LENGTHS,
    "options": OPTIONS,
    "players": st.tuples(LABELS, LABELS),
    "commitment": HEX32,
    "public_key": HEX32,
    "head": HEX32,
    "key_id": HEX32.map(lambda digits: digits[:16]),
    "sig": st.binary(min_size=64, max_size=64).map(bytes.hex),
    "seed": SEEDS.map(bytes.hex),
    "server_seed": SEEDS.map(bytes.hex),
    "player": PLAYERS,
    "winner": PLAYERS,
    "index": COUNTS,
    "seq": COUNTS,
    "points": COUNTS,
    "purpose": st.sampled_from(("opening", "turn")),
    "dice": DICE,
    "links": st.just(msgspec.UNSET) | st.tuples(HEX32, HEX32, HEX32),
    "moves": st.text(string.digits + string.ascii_lowercase + "/*() ", max_size=120),
    "auto": st.booleans(),
    "value": st.sampled_from((1, 2, 3)),
    "kind": st.sampled_from(("single", "gammon", "backgammon", "drop", "resign", "forfeit")),
    "reason": st.sampled_from(
        ("score", "resign", "timeout", "disconnect", "abandon", "abort", "finished")
    ),
    "score": SCORES,
}
_NULLABLE = {
    (events.Roll, "player"),
    (events.MatchEnd, "winner"),
    (events.MatchEnd, "score"),
}


def event_of(event: type[events.Event]) -> st.SearchStrategy[events.Event]:
    """Any event of one type that a line can hold."""
    fields = {
        field.name: st.none() | _FIELDS[field.name]
        if (event, field.name) in _NULLABLE
        else _FIELDS[field.name]
        for field in msgspec.structs.fields(event)
    }
    return st.builds(event, **fields)


EVENTS = st.one_of([event_of(event) for event in events.EVENTS.values()])


@st.composite
def matches(draw: st.DrawFn, most_rolls: int = 40) -> Scribe:
    """A whole honest dice-only match: either seeding, any order of players, any end."""
    seeds = draw(st.lists(SEEDS, min_size=3, max_size=3, unique=True))
    seeding = draw(st.sampled_from(("committed", "direct")))
    scribe = Scribe(
        draw(MATCH_IDS),
        server_seed=seeds[0],
        seeds=tuple(seeds[1:]),
        seeding=seeding,
        length=draw(LENGTHS),
        players=draw(st.tuples(LABELS, LABELS)),
    ).sign()
    steps = ["seed", "seed", *["roll"] * draw(st.integers(0, most_rolls))]
    if seeding == "committed":
        steps = ["commit", "commit", *steps]
    # An abort may come before any step but the signing of both commitments.
    stop = draw(st.integers(0, len(steps)) | st.none())
    first = {"commit": draw(PLAYERS), "seed": draw(PLAYERS)}
    for number, step in enumerate(steps):
        if number == stop:
            return scribe.end("abort")
        if step == "roll":
            _roll(draw, scribe)
        else:
            player = first[step]
            first[step] = 1 - player
            getattr(scribe, step)(player)
            if step == "commit" and steps[number + 1] == "seed":
                scribe.sign()
    reasons = ("finished", "resign", "timeout", "disconnect", "abandon")
    return scribe.end(draw(st.sampled_from(reasons)), draw(st.none() | PLAYERS))


def _roll(draw: st.DrawFn, scribe: Scribe) -> None:
    purpose = draw(st.sampled_from(("turn", "turn", "opening")))
    player = None if purpose == "opening" else draw(st.none() | PLAYERS)
    scribe.roll(purpose=purpose, player=player)
