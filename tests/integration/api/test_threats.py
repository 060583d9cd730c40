"""Every operation of the document against everyone who may not call it.

What there is to call, and by whom, is read from the OpenAPI document, so that no new operation can
be forgotten here; that the document is right is what these tests hold. ``SECURITY.md`` names the
test behind each of its "may not".
"""

import ast
import hmac
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from dice_service import apikeys
from dice_service.app import build_routes
from tests.support.api import NOW, PLAYERS, Api, opened

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
JSON = {"content-type": "application/json"}
DOCUMENT = build_routes().openapi()
OPENING = "PUT /v1/matches/{match_id}"
ABSENT = "no-such-match"


class Operation(NamedTuple):
    """One operation: ``scope`` is that of the API keys that may call it, None if none may."""

    name: str
    scope: str | None
    players: bool
    anyone: bool
    streams: bool

    @property
    def of_a_match(self) -> bool:
        return "{match_id}" in self.name and self.name != OPENING

    def place(self, thing: str = "m-1") -> tuple[str, str]:
        """The method and the path, for the match ``m-1`` or the webhook ``m-1``, or another."""
        method, template = self.name.split(" ")
        path = re.sub(r"{(match|webhook)_id}", thing, template)
        return method, re.sub(r"{\w+}", "0", path)

    async def call(self, api: Api, bearer: str | None, thing: str = "m-1") -> httpx.Response:
        """A call; its body is no request, so that it changes nothing even if it is let through."""
        method, path = self.place(thing)
        body = {"content": b"[]", "headers": JSON} if method == "PUT" else {}
        return await api.send(method, path, bearer, **body)

    async def call_to_the_end(self, api: Api, bearer: str | None) -> httpx.Response:
        """As :meth:`call`; what has no end is asked for by ``HEAD``."""
        if not self.streams:
            return await self.call(api, bearer)
        return await api.send("HEAD", self.place()[1], bearer)


def operations() -> list[Operation]:
    found = []
    for template, methods in DOCUMENT["paths"].items():
        for method, told in methods.items():
            security = told["security"]
            scopes = [way["apiKey"] for way in security if "apiKey" in way]
            found.append(
                Operation(
                    f"{method.upper()} {template}",
                    scopes[0][0] if scopes else None,
                    players=any("playerToken" in way for way in security),
                    anyone={} in security or not security,
                    streams="text/event-stream"
                    in told["responses"].get("200", {}).get("content", ()),
                )
            )
    return found


def named(wanted: Callable[[Operation], bool]) -> pytest.MarkDecorator:
    """The parameters of a test: the operations that are wanted, by name."""
    found = [operation for operation in operations() if wanted(operation)]
    return pytest.mark.parametrize("operation", found, ids=[each.name for each in found])


ALL = named(lambda _: True)
SECURED = named(lambda operation: bool(operation.scope or operation.players))
OF_A_MATCH = named(lambda operation: operation.of_a_match)


@pytest.fixture(params=["hot path", "route"])
async def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Api]:
    """The open match m-1 and the webhook m-1 of the owner club.

    Even finished matches are for members only.
    """
    hot = request.param == "hot path"
    async with opened(tmp_path, hot=hot, public_logs="token") as api:
        await api.open("m-1")
        await api.put("m-2", PLAYERS, await api.key("rival"))
        answer = await api.put("/v1/webhooks/m-1", {"url": "https://game.example/zarf"})
        assert answer.status_code == 201
        yield api


async def revoked(api: Api) -> str:
    text, row = apikeys.make("club", (apikeys.WRITE, apikeys.READ), NOW)
    await api.service.storage.add_api_key(row)
    await api.service.storage.revoke_api_key(row.key_id, NOW)
    return text


async def strangers(api: Api) -> dict[str, str | None]:
    """Who sends no credentials, or none that are any."""
    key, (token, _) = await api.key(), api.tokens["m-1"]
    return {
        "nobody": None,
        "nothing": "",
        "an unknown key": "zk_" + "a" * 8 + "_" + "A" * 43,
        "a key of which one character is wrong": key[:-1] + ("A" if key[-1] != "A" else "B"),
        "a key's id with another secret": key[:12] + "A" * 43,
        "half a key": key[:30],
        "a key and more": key + "A",
        "a key in capitals": key.upper(),
        "a revoked key": await revoked(api),
        "two keys": f"{key}, {key}",
        "a token called a key": "zk_" + token.removeprefix("zp_"),
        "another scheme's": "eyJhbGciOiJIUzI1NiJ9.e30.",
    }


async def outsiders(api: Api) -> dict[str, str]:
    """Whose credentials are right, or look so, but for nothing of the match m-1."""
    answer = await api.put("m-2", PLAYERS, await api.key("rival"))
    other: list[str] = answer.json()["tokens"]
    own = api.tokens["m-1"][0]
    return {
        "another customer": await api.key("rival"),
        "another customer's admin key": await api.key("rival", apikeys.ADMIN),
        "another customer's reading key": await api.key("rival", apikeys.READ),
        "another match's player 0": other[0],
        "another match's player 1": other[1],
        "a made up token": "zp_" + "A" * 43,
        "a token of which one character is wrong": own[:-2]
        + ("A" if own[-2] != "A" else "B")
        + "A",
        "half a token": own[:20],
        "an empty token": "zp_",
        "a token and more": own + "A",
    }


def told(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that an answer tells, but for its own id."""
    headers = [pair for pair in answer.headers.multi_items() if pair[0] != "x-request-id"]
    return answer.status_code, answer.content, headers


@SECURED
async def test_without_valid_credentials_nothing_of_a_match_is_read_or_written(
    guarded: Api, operation: Operation
) -> None:
    for who, bearer in (await strangers(guarded)).items():
        answer = await operation.call(guarded, bearer)
        found = (answer.status_code, answer.json()["code"], answer.headers["www-authenticate"])
        assert found == (401, "not-authenticated", 'Bearer realm="zarf"'), who


@pytest.mark.parametrize("phase", ["open", "ended"])
@OF_A_MATCH
async def test_anothers_match_is_answered_as_no_match(
    guarded: Api, operation: Operation, phase: str
) -> None:
    if phase == "ended":
        assert (await guarded.put("m-1/end", {"reason": "abort"})).status_code == 201
    for who, bearer in (await outsiders(guarded)).items():
        here = await operation.call(guarded, bearer)
        nowhere = await operation.call(guarded, bearer, ABSENT)
        assert told(here) == told(nowhere), who
        assert (here.status_code, here.json()["code"]) == (404, "not-found"), who


@named(lambda operation: "{webhook_id}" in operation.name)
async def test_anothers_webhook_is_answered_as_no_webhook(
    guarded: Api, operation: Operation
) -> None:
    for who, bearer in (await outsiders(guarded)).items():
        here = await operation.call(guarded, bearer)
        assert told(here) == told(await operation.call(guarded, bearer, ABSENT)), who
        assert not here.is_success, who
    assert (await guarded.send("GET", "/v1/webhooks/m-1", await guarded.key())).is_success


@SECURED
async def test_each_key_and_each_token_opens_what_the_document_says_and_no_more(
    guarded: Api, operation: Operation
) -> None:
    first, second = guarded.tokens["m-1"]
    may = {
        first: operation.players,
        second: operation.players and "{player}" not in operation.name,  # called for player 0
        await guarded.key("club", apikeys.ADMIN): operation.scope is not None,
    }
    for scope in (apikeys.READ, apikeys.WRITE):
        may[await guarded.key("club", scope)] = operation.scope == scope
    for bearer, allowed in may.items():
        answer = await operation.call_to_the_end(guarded, bearer)
        if allowed:
            assert answer.status_code not in (401, 403, 404), bearer[:3]
        else:
            assert answer.status_code == 403, bearer[:3]
            assert operation.streams or answer.json()["code"] == "forbidden"


@SECURED
async def test_no_credentials_are_taken_from_an_address(guarded: Api, operation: Operation) -> None:
    method, path = operation.place()
    for name in ("token", "access_token", "api_key", "key", "authorization", "bearer"):
        for bearer in (await guarded.key(), guarded.tokens["m-1"][0]):
            answer = await guarded.send(method, f"{path}?{name}={bearer}")
            assert answer.status_code == 401
            cookies = {"cookie": f"{name}={bearer}"}
            assert (await guarded.send(method, path, headers=cookies)).status_code == 401


def test_no_parameter_of_an_address_is_a_secret() -> None:
    names = {
        parameter["name"]
        for methods in DOCUMENT["paths"].values()
        for told in methods.values()
        for parameter in told.get("parameters", ())
        if parameter["in"] != "header"
    }
    assert {"match_id", "player", "index", "webhook_id"} <= names
    assert not [name for name in names if re.search("token|key|secret|seed$|auth|pass", name)]


@SECURED
async def test_two_authorization_headers_are_none(guarded: Api, operation: Operation) -> None:
    method, path = operation.place()
    key, token = await guarded.key(), guarded.tokens["m-1"][0]
    await guarded.send("GET", "m-1", key)
    for one, other in ((key, key), (key, token), (token, token), (key, "zk_wrong")):
        headers = [("authorization", f"Bearer {one}"), ("authorization", f"Bearer {other}")]
        answer = await guarded.http.request(method, path, headers=headers)
        assert answer.status_code == 401


@ALL
async def test_what_is_a_members_alone_is_kept_by_no_cache(
    guarded: Api, operation: Operation
) -> None:
    everyone = [None, await guarded.key(), "zk_wrong", *guarded.tokens["m-1"]]
    await guarded.put("m-1/end", {"reason": "abort"})
    for bearer in everyone:
        answer = await operation.call_to_the_end(guarded, bearer)
        if answer.status_code == 200 and operation.name.endswith("/log"):
            assert answer.headers["cache-control"] == "no-cache"
            assert answer.headers["vary"] == "Authorization"
        elif answer.status_code == 200 and operation.name == "GET /v1/keys":
            assert answer.headers["cache-control"] == "no-cache"
        else:
            assert answer.headers["cache-control"] == "no-store"


async def test_keys_and_tokens_are_compared_in_constant_time(
    guarded: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def recording(one: Any, other: Any) -> bool:
        compared.append((bytes(one), bytes(other)))
        return compare(one, other)

    key, tokens = await guarded.key(), guarded.tokens["m-1"]
    monkeypatch.setattr(hmac, "compare_digest", recording)
    for sent in (key, key[:12] + "A" * 43):
        compared.clear()
        await guarded.send("GET", "m-1", sent)
        assert [len(one) for pair in compared for one in pair] == [32, 32]  # SHA-256 of each
    for sent in (*tokens, "zp_" + "A" * 43):
        compared.clear()
        await guarded.send("GET", "m-1", sent)
        # Both players' tokens each time, whether the first fits or not.
        assert compared == [(token.encode(), sent.encode()) for token in tokens]


async def test_who_has_only_the_database_finds_no_key_and_no_token_in_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        await api.put("m-1/rolls/0", {})
        secrets = [await api.key(), *api.tokens["m-1"]]
        data = database(tmp_path)
    assert b'"type":"roll"' in data
    for secret in secrets:
        for part in (secret[-43:], secret[-43:-20], secret[-23:]):
            assert part.encode() not in data


def database(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("dice.db*"))


async def test_an_ended_match_is_changed_by_no_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as api:
        tokens = await api.ended("m-1")
        before = (await api.send("GET", "m-1/log")).content
        admin = await api.key("club", apikeys.ADMIN)
        bodies: dict[str, list[dict[str, Any]]] = {
            "commitment": [{"commitment": "ab" * 16 + "cd" * 16}],
            "seed": [{"seed": "ab" * 16 + "cd" * 16}],
            "rolls": [{}, {"purpose": "opening"}],
            "actions": [{"type": "roll", "player": 0}],
            "end": [{"reason": "abort"}, {"reason": "resign", "winner": 1}],
        }
        for place, kind, bearer in (
            ("m-1/players/0/commitment", "commitment", tokens[0]),
            ("m-1/players/1/seed", "seed", tokens[1]),
            ("m-1/rolls/2", "rolls", admin),
            ("m-1/actions/0", "actions", admin),
            ("m-1/end", "end", admin),
        ):
            for body in bodies[kind]:
                assert (await api.put(place, body, bearer)).status_code == 409
        assert (await api.put("m-1", {"players": ["C", "D"]}, admin)).status_code == 409
        assert (await api.send("DELETE", "m-1", admin)).status_code == 405
        assert (await api.send("GET", "m-1/log")).content == before


def test_every_test_that_the_threat_model_names_is_there() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    begin = text.index("| who | may not |")
    rows = text[begin:].split("\n\n")[0].splitlines()[2:]
    assert len(rows) > 25
    for row in rows:
        who, _, tests = [cell.strip() for cell in row.strip("|").split(" | ")]
        names = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
        assert names, f"{who}: {row}"
        for file, name in names:
            assert name in _tests_in(ROOT / "tests" / file), f"{who}: there is no {file}::{name}"


def _tests_in(path: Path) -> set[str]:
    found = ast.parse(path.read_text("utf-8")).body
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in found if isinstance(each, kinds)}
