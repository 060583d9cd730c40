"""A match over the API, from its opening to its log."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from dice_service.api.pages import page_sha256
from tests.support.api import COMMITMENTS, PLAYERS, SEEDS, Api, opened

pytestmark = pytest.mark.anyio


async def test_a_match_goes_from_its_opening_to_a_log_that_verifies(api: Api) -> None:
    from verifier import verify_log

    tokens = await api.ended("m-1")
    log = await api.send("GET", "m-1/log")
    assert log.headers["content-type"] == "application/jsonl"
    lines = [json.loads(line) for line in log.text.splitlines()]
    kinds = [line["type"] for line in lines]
    assert kinds == [
        *("match", "signature", "seed_commitment", "seed_commitment", "signature"),
        *("seed", "seed", "roll", "roll", "match_end", "reveal", "signature"),
    ]
    assert len(set(tokens)) == 2
    assert verify_log(log.content).verdict.value == "CONSISTENT"


async def test_the_opening_returns_the_commitment_signed_and_two_tokens(api: Api) -> None:
    from verifier.signatures import verify_head

    answer = await api.put("m-1", PLAYERS)
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    match_line, signature_line, rest = body["receipt"].split("\n")
    match, signature = json.loads(match_line), json.loads(signature_line)
    assert rest == ""
    assert match["commitment"] == body["commitment"]
    head = hashlib.sha256(match_line.encode()).hexdigest()
    assert verify_head(body["public_key"], "m-1", 0, head, signature["sig"])
    assert all(token.startswith("zp_") for token in body["tokens"])


async def test_every_write_repeated_is_200_with_the_same_body_even_after_the_end(api: Api) -> None:
    tokens = await api.open("m-1")
    key = await api.key()
    writes: list[tuple[str, dict[str, Any], str]] = [("m-1", PLAYERS, key)]
    for kind, values in (("commitment", COMMITMENTS), ("seed", SEEDS)):
        for player, value in enumerate(values):
            writes.append((f"m-1/players/{player}/{kind}", {kind: value}, tokens[player]))
    writes += [("m-1/rolls/0", {}, key), ("m-1/rolls/1", {"player": 1}, key)]
    writes.append(("m-1/end", {"reason": "finished", "winner": 1}, key))
    first = [await api.put(*write) for write in writes]
    assert [answer.status_code for answer in first] == [200] + [201] * 7
    again = [await api.put(*write) for write in writes]
    assert [answer.status_code for answer in again] == [200] * 8
    assert [answer.content for answer in again] == [answer.content for answer in first]


@pytest.mark.parametrize(
    ("place", "body", "code"),
    [
        ("m-1", {"players": ["Ayşe", "Cem"]}, "match-exists-differently"),
        ("m-1/rolls/0", {"player": 0}, "roll-differs"),
        ("m-1/rolls/9", {}, "match-ended"),
        ("m-1/end", {"reason": "abort"}, "end-differs"),
    ],
)
async def test_another_write_to_the_same_place_is_a_conflict(
    api: Api, place: str, body: dict[str, Any], code: str
) -> None:
    await api.ended("m-1")
    answer = await api.put(place, body)
    assert (answer.status_code, answer.json()["code"]) == (409, code)


async def test_nobody_opens_a_seed_before_all_have_committed(api: Api) -> None:
    tokens = await api.open("m-1")
    await api.put("m-1/players/0/commitment", {"commitment": COMMITMENTS[0]}, tokens[0])
    early = await api.put("m-1/players/0/seed", {"seed": SEEDS[0]}, tokens[0])
    assert (early.status_code, early.json()["code"]) == (409, "not-due")
    receipt = await api.send("GET", "m-1/receipt", tokens[0])
    assert (receipt.status_code, receipt.json()["code"]) == (409, "receipt-not-ready")


async def test_the_receipt_is_the_beginning_of_the_log(api: Api) -> None:
    await api.ended("m-1")
    receipt = (await api.send("GET", "m-1/receipt")).content
    log = (await api.send("GET", "m-1/log")).content
    assert receipt == b"".join(line + b"\n" for line in log.split(b"\n")[:5])


async def test_the_list_has_the_owners_matches_newest_first_and_all_of_them_once(
    api: Api,
) -> None:
    for number in range(5):
        await api.open(f"m-{number}")
    await api.put("other", PLAYERS, await api.key("rival"))
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        query = {"limit": "2", **after}
        page = (await api.send("GET", "/v1/matches", await api.key(), params=query)).json()
        seen += [match["match_id"] for match in page["matches"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert seen == [f"m-{number}" for number in reversed(range(5))]


async def test_the_list_is_filtered_by_phase_and_seeding(api: Api) -> None:
    await api.open("waiting")
    await api.open("direct", seeding="direct")
    await api.ended("over")
    for query, expected in (
        ({"phase": "ended"}, ["over"]),
        ({"phase": "commitments"}, ["waiting"]),
        ({"seeding": "direct"}, ["direct"]),
    ):
        page = (await api.send("GET", "/v1/matches", await api.key(), params=query)).json()
        assert [match["match_id"] for match in page["matches"]] == expected


async def test_an_etag_spares_a_log_that_has_not_grown(api: Api) -> None:
    await api.ready("m-1")
    key = await api.key()
    first = await api.send("GET", "m-1/log", key)
    last_line = first.content.rstrip(b"\n").split(b"\n")[-1]
    assert first.headers["etag"] == f'"{hashlib.sha256(last_line).hexdigest()}"'
    for tags in (first.headers["etag"], f'"x", W/{first.headers["etag"]}', "*"):
        same = await api.send("GET", "m-1/log", key, headers={"if-none-match": tags})
        assert (same.status_code, same.content) == (304, b"")
        assert same.headers["etag"] == first.headers["etag"]
    await api.put("m-1/rolls/0", {})
    headers = {"if-none-match": first.headers["etag"]}
    assert (await api.send("GET", "m-1/log", key, headers=headers)).status_code == 200


async def test_a_log_that_needs_a_token_is_not_public(tmp_path: Path) -> None:
    async with opened(tmp_path, public_logs="token") as api:
        tokens = await api.ended("m-1")
        for place in ("m-1", "m-1/log", "m-1/receipt"):
            assert (await api.send("GET", place)).status_code == 401
            assert (await api.send("GET", place, tokens[1])).status_code == 200
            assert (await api.send("GET", place, await api.key())).status_code == 200


async def test_a_match_outlives_every_rotation_of_the_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dice_service.cli import main

    monkeypatch.setenv("DICE_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("DICE_DATABASE", f"sqlite:///{tmp_path / 'dice.db'}")
    async with opened(tmp_path) as api:
        tokens = await api.ready("m-1")
        opening = await api.put("m-1", PLAYERS)
        roll = await api.put("m-1/rolls/0", {})
        key = await api.key()
    (old,) = (tmp_path / "keys").glob("sealing-*.key")
    assert await asyncio.to_thread(main, ["keys", "rotate"]) == 0
    assert await asyncio.to_thread(main, ["keys", "reseal"]) == 0
    old.unlink()
    async with opened(tmp_path) as api:
        assert (await api.put("m-1", PLAYERS, key)).content == opening.content
        assert (await api.put("m-1/rolls/0", {}, key)).content == roll.content
        assert (await api.send("GET", "m-1", tokens[0])).status_code == 200
        assert (await api.put("m-2", PLAYERS, key)).json()["key_id"] != opening.json()["key_id"]
        assert (await api.put("m-1/end", {"reason": "finished"}, key)).status_code == 201
        states = [found["active"] for found in (await api.http.get("/v1/keys")).json()["keys"]]
        assert sorted(states) == [False, True]


async def test_the_keys_are_public_and_name_the_active_one(api: Api) -> None:
    opening = (await api.put("m-1", PLAYERS)).json()
    keys = (await api.send("GET", "/v1/keys")).json()
    assert keys == {
        "protocol": "zarf/1",
        "keys": [
            {"key_id": opening["key_id"], "public_key": opening["public_key"], "active": True}
        ],
        "page_sha256": page_sha256(),
    }
