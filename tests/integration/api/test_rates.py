"""Too many requests are 429, whoever sends them; wrong credentials hold no right ones up."""

import io
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from dice_service import apikeys
from dice_service.app import build_routes
from dice_service.settings import Settings
from dice_service.subprocesses import ServiceProcess
from tests.support.api import COMMITMENTS, NOW, PLAYERS, Api, opened

pytestmark = pytest.mark.anyio

QUOTA = 10
HEADERS = ("ratelimit-policy", "ratelimit", "retry-after")


@pytest.fixture(params=["hot path", "route"])
async def limited(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Api]:
    limits = {"rate_per_key": QUOTA, "rate_per_token": QUOTA, "rate_per_address": QUOTA}
    async with opened(tmp_path, hot=request.param == "hot path", **limits) as api:
        yield api


def limits_of(answer: httpx.Response) -> tuple[str, ...]:
    return tuple(answer.headers.get(name, "") for name in HEADERS)


def assert_too_many(answer: httpx.Response, policy: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (429, "rate-limited")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    # A quota of 10 a minute: the next one comes within 6 seconds.
    found = limits_of(answer)
    assert found[0] == f'"{policy}";q=10;w=60'
    seconds = int(found[2])
    assert 1 <= seconds <= 6
    assert found[1] == f'"{policy}";r=0;t={seconds}'


async def used_up(api: Api, bearer: str | None) -> list[httpx.Response]:
    return [await api.send("GET", "m-1", bearer) for _ in range(QUOTA)]


async def test_without_credentials_an_address_has_its_quota(limited: Api) -> None:
    answers = await used_up(limited, None)
    assert [answer.status_code for answer in answers] == [401] * QUOTA
    assert [limits_of(answer)[1].split(";t=")[0] for answer in answers] == [
        f'"address";r={left}' for left in reversed(range(QUOTA))
    ]
    for path in ("m-1", "/", "/verify", "/v1/keys", "/nowhere", "/docs", "/metrics"):
        assert_too_many(await limited.send("GET", path), "address")
    assert_too_many(await limited.send("PUT", "m-1", json=PLAYERS), "address")
    assert_too_many(await limited.send("OPTIONS", "m-1"), "address")


@pytest.mark.parametrize(
    "bearer", ["zk_" + "a" * 8 + "_" + "A" * 43, "zk_short", "zp_" + "A" * 43, "x"]
)
async def test_wrong_credentials_count_as_none(limited: Api, bearer: str) -> None:
    for path in ("m-1", "m-1/log", "/v1/keys", "/nowhere", "/v1/matches?limit=x") * 2:
        assert (await limited.send("GET", path, bearer)).status_code in (200, 401, 403, 404, 422)
    for path in ("m-1", "m-1/log", "/v1/keys", "/nowhere", "/v1/matches?limit=x"):
        assert_too_many(await limited.send("GET", path, bearer), "address")
    assert_too_many(await limited.send("PUT", "m-1", bearer, json=PLAYERS), "address")
    assert_too_many(await limited.send("GET", "m-1"), "address")


async def test_a_token_of_another_match_is_wrong_credentials(limited: Api) -> None:
    tokens = await limited.open("m-1")
    await limited.open("m-2")
    for _ in range(QUOTA):
        assert (await limited.send("GET", "m-2", tokens[0])).status_code == 404
    assert_too_many(await limited.send("GET", "m-2", tokens[0]), "address")
    assert_too_many(await limited.send("GET", "absent", tokens[0]), "address")
    assert (await limited.send("GET", "m-1", tokens[0])).status_code == 200


async def test_a_finished_log_with_a_wrong_token_counts_as_public_reading(limited: Api) -> None:
    await limited.open("m-1")
    await limited.put("m-1/end", {"reason": "abort"})
    for _ in range(QUOTA):
        assert (await limited.send("GET", "m-1/log", "zp_" + "A" * 43)).status_code == 200
    answer = await limited.send("GET", "m-1/log", "zp_" + "A" * 43)
    assert_too_many(answer, "address")
    assert "server_seed" not in answer.text


async def test_right_credentials_are_never_held_up_by_wrong_ones_of_their_address(
    limited: Api,
) -> None:
    tokens = await limited.open("m-1")
    await used_up(limited, None)
    assert_too_many(await limited.send("GET", "m-1"), "address")
    fresh = await limited.key("club", apikeys.READ)  # that this process has never seen
    assert (await limited.send("GET", "m-1", fresh)).status_code == 200
    for player in (0, 1):
        body = {"commitment": COMMITMENTS[player]}
        answer = await limited.put(f"m-1/players/{player}/commitment", body, tokens[player])
        assert answer.status_code == 201


async def test_a_load_balancer_may_ask_as_often_as_it_likes(limited: Api) -> None:
    for path in ("/livez", "/readyz") * QUOTA:
        answer = await limited.send("GET", path)
        assert (answer.status_code, limits_of(answer)) == (200, ("", "", ""))
    assert (await limited.send("GET", "/v1/keys")).status_code == 200


async def test_a_key_has_its_quota_and_other_keys_theirs(limited: Api) -> None:
    await limited.ready("m-1")
    key = await limited.key("club", apikeys.READ, apikeys.WRITE, apikeys.ADMIN)
    answers = [await limited.put(f"m-1/rolls/{index}", {}, key) for index in range(QUOTA)]
    assert [answer.status_code for answer in answers] == [201] * QUOTA
    assert [limits_of(answer)[1].split(";t=")[0] for answer in answers] == [
        f'"key";r={left}' for left in reversed(range(QUOTA))
    ]
    assert {limits_of(answer)[0] for answer in answers} == {'"key";q=10;w=60'}
    assert_too_many(await limited.put("m-1/rolls/10", {}, key), "key")
    assert_too_many(await limited.put("m-1/rolls/0", {}, key), "key")
    assert_too_many(await limited.send("GET", "m-1", key), "key")
    other = await limited.key("club", apikeys.WRITE)
    assert (await limited.put("m-1/rolls/10", {}, other)).status_code == 201  # it was not made


async def test_a_request_counts_once_whichever_way_it_goes(limited: Api) -> None:
    await limited.ready("m-1")
    key = await limited.key("club", apikeys.READ, apikeys.WRITE, apikeys.ADMIN)
    await limited.put("m-1/rolls/0", {}, key)
    content_type = {"content-type": "application/json; charset=utf-8"}  # past the hot path
    answer = await limited.send("PUT", "m-1/rolls/1", key, content=b"{}", headers=content_type)
    assert (answer.status_code, limits_of(answer)[1].split(";t=")[0]) == (201, '"key";r=8')
    answer = await limited.put("m-1/rolls/9", {}, key)
    assert (answer.status_code, limits_of(answer)[1].split(";t=")[0]) == (409, '"key";r=7')
    answer = await limited.put("m-1/rolls/2", {"purpose": "x"}, key)
    assert (answer.status_code, limits_of(answer)[1].split(";t=")[0]) == (422, '"key";r=6')


async def test_nobody_uses_up_anothers_quota_by_knowing_the_id_of_a_key(limited: Api) -> None:
    await limited.ready("m-1")
    key = await limited.key("club", apikeys.WRITE)
    await limited.put("m-1/rolls/0", {}, key)
    forged = key[:12] + "A" * 43
    for _ in range(2 * QUOTA):
        assert (await limited.put("m-1/rolls/1", {}, forged)).status_code in (401, 429)
    answer = await limited.put("m-1/rolls/1", {}, key)
    assert (answer.status_code, limits_of(answer)[1].split(";t=")[0]) == (201, '"key";r=8')


async def test_a_player_has_a_quota_and_the_other_player_another(limited: Api) -> None:
    tokens = await limited.open("m-1")
    answers = await used_up(limited, tokens[0])
    assert [answer.status_code for answer in answers] == [200] * QUOTA
    assert limits_of(answers[-1])[0] == '"token";q=10;w=60'
    assert_too_many(await limited.send("GET", "m-1", tokens[0]), "token")
    assert_too_many(await limited.send("GET", "m-1/receipt", tokens[0]), "token")
    assert (await limited.send("GET", "m-1", tokens[1])).status_code == 200


async def test_without_limits_nothing_is_said_of_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        for answer in (await api.put("m-1/rolls/0", {}), await api.send("GET", "/v1/keys")):
            assert limits_of(answer) == ("", "", "")


async def test_a_flood_fills_no_log(limited: Api, log_lines: io.StringIO) -> None:
    await used_up(limited, None)
    before = len(log_lines.getvalue())
    assert_too_many(await limited.send("GET", "m-1"), "address")
    told = log_lines.getvalue()[before:].splitlines()
    assert [line for line in told if '"level":"debug"' not in line] == []
    assert '"status":429' in told[-1]


def test_the_document_says_how_one_too_many_is_answered() -> None:
    document = build_routes().openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation["security"]:
                told = operation["responses"]["429"]
                assert {name.lower() for name in told["headers"]} == set(HEADERS), (method, path)
    assert set(document["components"]["headers"]) == {
        "RateLimit-Policy",
        "RateLimit",
        "Retry-After",
    }


def test_what_is_set_unless_an_operator_says_otherwise() -> None:
    names = ("rate_per_key", "rate_per_token", "rate_per_address", "trusted_proxies")
    assert [Settings.model_fields[name].default for name in names] == [0, 600, 3000, ""]


def statuses(process: ServiceProcess, forwarded: list[str]) -> list[int]:
    """The answers to public requests that say they were forwarded for these addresses."""
    with httpx.Client(base_url=process.url, trust_env=False) as http:
        return [
            http.get("/v1/keys", headers={"x-forwarded-for": text}).status_code
            for text in forwarded
        ]


@pytest.mark.parametrize("proxies", ["", "192.0.2.0/24"])
def test_a_forwarded_address_is_not_believed_from_just_anyone(tmp_path: Path, proxies: str) -> None:
    limits = {"DICE_RATE_PER_ADDRESS": "3", "DICE_TRUSTED_PROXIES": proxies}
    with ServiceProcess(tmp_path, **limits) as process:
        found = statuses(process, [f"198.51.100.{number}" for number in range(5)])
    assert found == [200, 200, 200, 429, 429]


def test_behind_a_trusted_proxy_each_client_has_its_own_quota(tmp_path: Path) -> None:
    limits = {"DICE_RATE_PER_ADDRESS": "3", "DICE_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"}
    with ServiceProcess(tmp_path, **limits) as process:
        assert statuses(process, [f"198.51.100.{number}" for number in range(5)]) == [200] * 5
        # What the client put in front itself is not believed; nor is a further trusted proxy one.
        claims = [f"203.0.113.{number}, 198.51.100.99, 10.1.2.3" for number in range(5)]
        assert statuses(process, claims) == [200, 200, 200, 429, 429]
        same_64 = [f"2001:db8:0:1::{number}" for number in range(5)]
        assert statuses(process, same_64) == [200, 200, 200, 429, 429]
        assert statuses(process, ["2001:db8:0:2::1"]) == [200]
        assert statuses(process, ["nonsense"] * 4) == [200, 200, 200, 429]


async def test_a_refused_request_with_a_body_closes_its_connection(limited: Api) -> None:
    await used_up(limited, None)
    assert (await limited.send("PUT", "m-1", json=PLAYERS)).headers["connection"] == "close"
    assert "connection" not in (await limited.send("GET", "m-1")).headers


async def test_the_detail_says_whose_requests_were_too_many_and_how_long_to_wait(
    limited: Api,
) -> None:
    await used_up(limited, None)
    answer = await limited.send("GET", "m-1")
    seconds = answer.headers["retry-after"]
    assert re.fullmatch(
        rf"Too many requests .* from this address\. Wait {seconds} s\.", answer.json()["detail"]
    )


async def test_a_revoked_key_is_wrong_credentials(limited: Api) -> None:
    text, row = apikeys.make("club", (apikeys.READ,), NOW)
    await limited.service.storage.add_api_key(row)
    await limited.service.storage.revoke_api_key(row.key_id, NOW)
    answer = await limited.send("GET", "m-1", text)
    assert (answer.status_code, limits_of(answer)[0]) == (401, '"address";q=10;w=60')
