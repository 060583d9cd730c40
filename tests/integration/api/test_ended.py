"""A match that has ended cannot change: by no request, of nobody, over any process."""

from collections.abc import AsyncIterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from dice_service.app import build_routes
from dice_service.storage.databases import POSTGRES
from tests.support import postgres
from tests.support.api import COMMITMENTS, PLAYERS, SEEDS, Api, opened

pytestmark = pytest.mark.anyio

REFEREED = {"rules": "oyna-backgammon", "length": 3}
OTHER_SEED = "0123456789abcdef" * 4
OTHER_COMMITMENT = "fedcba9876543210" * 4
# What else could be written, by the last part of the path, and as what it is refused.
WRITES: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    "{match_id}": (
        [
            {"players": ["Ayşe", "Cem"]},
            PLAYERS | {"seeding": "direct"},
            {"players": ["Bora", "Ayşe"], "rules": "tavlino", "length": 1},
        ],
        {"match-exists-differently"},
    ),
    "commitment": (
        [{"commitment": OTHER_COMMITMENT}],
        {"commitment-differs", "match-ended"},
    ),
    "seed": ([{"seed": OTHER_SEED}], {"seed-differs", "match-ended"}),
    "{index}": ([{}, {"purpose": "opening"}, {"player": 1}], {"match-ended", "refereed-match"}),
    "{number}": (
        [
            {"type": "roll", "player": None},
            {"type": "play", "player": 0, "moves": "24/18 13/11"},
            {"type": "double", "player": 1},
            {"type": "resign_offer", "player": 0, "value": 1},
            {"type": "timeout", "winner": 0},
            {"type": "abandon", "winner": None},
        ],
        {"match-ended", "dice-only-match", "rule-refused", "action-number-gap", "action-differs"},
    ),
    "end": (
        [
            {"reason": "finished", "winner": 1},
            {"reason": "abort"},
            {"reason": "timeout", "winner": 0},
            {"reason": "abandon"},
        ],
        {"end-differs"},
    ),
}
ENDS: dict[str, dict[str, Any]] = {
    "played": {"reason": "finished", "winner": 0},
    "refereed": {"reason": "disconnect", "winner": 1},
    "unopened": {},  # it is swept
}


def places() -> list[str]:
    """Every place below a match that is written to."""
    return [
        template
        for template, methods in build_routes().openapi()["paths"].items()
        if "put" in methods and "{match_id}" in template
    ]


@pytest.fixture
async def other(api: Api, tmp_path: Path, database_url: str) -> AsyncIterator[Api]:
    """Another process on the same database, which has seen the matches before their end."""
    async with opened(tmp_path, database=database_url) as found:
        found.keys = api.keys
        yield found


async def begin(api: Api, match_id: str) -> None:
    if match_id == "unopened":
        await api.open(match_id)
        return
    await api.open(match_id, **(REFEREED if match_id == "refereed" else {}))
    for kind, values in (("commitment", COMMITMENTS), ("seed", SEEDS)):
        for player, value in enumerate(values):
            place = f"{match_id}/players/{player}/{kind}"
            token = api.tokens[match_id][player]
            assert (await api.put(place, {kind: value}, token)).status_code == 201
    if match_id == "refereed":
        answer = await api.put("refereed/actions/0", {"type": "roll", "player": None})
    else:
        answer = await api.put("played/rolls/0", {})
    assert answer.status_code == 201


@pytest.mark.parametrize("match_id", ENDS)
async def test_no_write_changes_a_match_that_has_ended(api: Api, other: Api, match_id: str) -> None:
    await begin(api, match_id)
    await other.send("GET", match_id, await api.key())
    if match_id == "unopened":
        assert await api.service.matches.abort_idle(match_id, 2)
    else:
        assert (await api.put(f"{match_id}/end", ENDS[match_id])).status_code == 201
    storage = api.service.storage
    log, row = await storage.lines(match_id), await storage.match(match_id)
    assert row is not None
    assert row.phase == "ended"
    assert {place.rsplit("/", 1)[1] for place in places()} == set(WRITES)
    for template in places():
        bodies, codes = WRITES[template.rsplit("/", 1)[1]]
        for body in bodies:
            if (match_id, body) == ("unopened", {"reason": "abort"}):
                continue  # so it did end
            for player in (0, 1):
                for number in (1, 2):
                    path = template.format(
                        match_id=match_id, player=player, index=number, number=number
                    )
                    token = api.tokens[match_id][player]
                    bearer = token if "/players/" in path else await api.key()
                    for process in (other, api):
                        answer = await process.put(path, body, bearer)
                        assert answer.status_code == 409, (path, body, answer.text)
                        assert answer.json()["code"] in codes, (path, body, answer.text)
    assert await storage.lines(match_id) == log
    after = await storage.match(match_id)
    assert after is not None
    assert astuple(after) == astuple(row)


async def test_not_even_the_database_changes_a_line(api: Api, database_url: str) -> None:
    await api.ended("m")
    log = await api.service.storage.lines("m")
    for sql in (
        "UPDATE lines SET line = 'x' WHERE match_id = 'm' AND seq = 7",
        "UPDATE lines SET seq = 99 WHERE match_id = 'm' AND seq = 7",
        "DELETE FROM lines WHERE match_id = 'm' AND seq = 11",
        "DELETE FROM lines",
    ):
        with pytest.raises(Exception, match=r"a line (never changes|stays)"):
            _execute(database_url, sql)
    assert await api.service.storage.lines("m") == log


def _execute(url: str, sql: str) -> None:
    import sqlite3

    if url.startswith(POSTGRES):
        postgres.execute(url, sql)
        return
    db = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        with db:
            db.execute(sql)
    finally:
        db.close()
