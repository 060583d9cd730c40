"""Rolls, over the route and over the hot path in front of it: the same answers."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import PLAYERS, SECURITY_HEADERS, Api, opened
from verifier.receipts import decode_receipt
from verifier.signatures import verify_head

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["hot path", "route", "hot path on postgres"])
async def rolling(
    request: pytest.FixtureRequest, tmp_path: Path, database_of: Callable[[str], str]
) -> AsyncIterator[Api]:
    """The match m-1, whose rolls are due, with the owner's key known to the process."""
    way, _, kind = request.param.partition(" on ")
    database = database_of(kind or "sqlite")
    async with opened(tmp_path, hot=way == "hot path", database=database) as api:
        await api.ready("m-1")
        yield api


CASES: list[tuple[str, str, Any, int, str]] = [
    ("the next roll", "m-1/rolls/0", b"", 201, ""),
    ("with a body", "m-1/rolls/0", b'{"purpose":"turn","player":1}', 201, ""),
    ("spaced", "m-1/rolls/0", b' { "player" : null } ', 201, ""),
    ("opening", "m-1/rolls/0", b'{"purpose":"opening"}', 201, ""),
    ("a gap", "m-1/rolls/1", b"{}", 409, "roll-index-gap"),
    ("no JSON", "m-1/rolls/0", b"{", 400, "bad-request"),
    ("a list", "m-1/rolls/0", b"[]", 422, "invalid"),
    ("a number as text", "m-1/rolls/0", b'{"player":"1"}', 422, "invalid"),
    ("a fraction", "m-1/rolls/0", b'{"player":1.0}', 422, "invalid"),
    ("true for 1", "m-1/rolls/0", b'{"player":true}', 422, "invalid"),
    ("no such player", "m-1/rolls/0", b'{"player":2}', 422, "invalid"),
    ("no such purpose", "m-1/rolls/0", b'{"purpose":"luck"}', 422, "invalid"),
    ("a player's opening", "m-1/rolls/0", b'{"purpose":"opening","player":0}', 422, "invalid"),
    ("a field more", "m-1/rolls/0", b'{"dice":[6,6]}', 422, "invalid"),
    ("a field twice", "m-1/rolls/0", b'{"player":0,"player":1}', 400, "bad-request"),
    ("a hidden id", ".m/rolls/0", b"", 422, "invalid"),
    ("not UTF-8", "m-1/rolls/0", b'{"purpose":"\xff"}', 400, "bad-request"),
    ("leading zero", "m-1/rolls/00", b"", 422, "invalid"),
    ("negative", "m-1/rolls/-1", b"", 422, "invalid"),
    ("signed", "m-1/rolls/+0", b"", 422, "invalid"),
    ("spaced number", "m-1/rolls/%200", b"", 422, "invalid"),
    ("another script's digit", "m-1/rolls/%D9%A0", b"", 422, "invalid"),
    ("past every integer", "m-1/rolls/9007199254740992", b"", 422, "invalid"),
    ("a bad id", "m%3A1/rolls/0", b"", 422, "invalid"),
    ("no match", "m-9/rolls/0", b"", 404, "not-found"),
    ("too early", "early/rolls/0", b"", 409, "not-due"),
    ("another's", "theirs/rolls/0", b"", 404, "not-found"),
]


@pytest.mark.parametrize(("place", "body", "status", "code"), [case[1:] for case in CASES])
async def test_a_roll_is_answered_alike_on_both_ways(
    rolling: Api, place: str, body: bytes, status: int, code: str
) -> None:
    await rolling.open("early")
    await rolling.put("theirs", PLAYERS, await rolling.key("rival"))
    headers = {"content-type": "application/json"} if body else {}
    key = await rolling.key()
    answer = await rolling.send("PUT", place, key, content=body, headers=headers)
    assert (answer.status_code, answer.json().get("code", "")) == (status, code)
    names = {"content-length", "content-type", "cache-control", "x-request-id"}
    assert set(answer.headers) == names | SECURITY_HEADERS.keys()
    assert answer.headers["cache-control"] == "no-store"
    media_type = "application/json" if status < 400 else "application/problem+json"
    assert answer.headers["content-type"] == media_type


async def test_the_hot_path_answers_a_plain_roll_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        raise AssertionError("this was for the hot path")

    async with opened(tmp_path) as api:
        await api.ready("m-1")
        monkeypatch.setattr("dice_service.api.observe.Observe.__call__", never)
        for index, body in enumerate(({}, None, {"player": 1})):
            assert (await api.put(f"m-1/rolls/{index}", body)).status_code == 201


async def test_a_rolls_receipt_is_signed_and_holds_its_line(rolling: Api) -> None:
    import json

    key = (await rolling.send("GET", "/v1/keys")).json()["keys"][0]
    answer = await rolling.put("m-1/rolls/0", {"player": 1})
    body = answer.json()
    receipt = decode_receipt(
        json.dumps(body["receipt"], ensure_ascii=False, separators=(",", ":")).encode()
    )
    line = json.loads(receipt.line)
    assert (line["dice"], line["player"], line["index"]) == (body["dice"], 1, 0)
    assert verify_head(key["public_key"], "m-1", receipt.seq, receipt.head, receipt.sig)


async def test_a_repeated_roll_is_the_same_roll(rolling: Api) -> None:
    first = await rolling.put("m-1/rolls/0", {})
    again = await rolling.put("m-1/rolls/0")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content


async def test_a_roll_without_a_json_media_type_is_refused(rolling: Api) -> None:
    key = await rolling.key()
    headers = {"content-type": "text/plain"}
    answer = await rolling.send("PUT", "m-1/rolls/0", key, content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-media")


async def test_rolls_are_counted_and_timed_on_both_ways(rolling: Api) -> None:
    for index in range(3):
        await rolling.put(f"m-1/rolls/{index}", {})
    text = (await rolling.send("GET", "/metrics")).text
    place = 'route="/v1/matches/{match_id}/rolls/{index}"'
    assert f'dice_requests_total{{method="PUT",{place},status="201"}} 3.0' in text
    assert "dice_roll_seconds_count 3.0" in text
