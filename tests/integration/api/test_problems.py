"""Every refusal is a problem of RFC 9457 with a code of the registry."""

import asyncio
import io
from pathlib import Path
from typing import Any

import httpx
import pytest

from dice_service.app import build_routes
from dice_service.errors import PROBLEMS
from tests.support.api import COMMITMENTS, PLAYERS, Api, opened

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}


def problem(answer: httpx.Response) -> tuple[int, str]:
    """The status and code of a whole and consistent problem."""
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert ("rule" in body) == ("detail_tr" in body)
    assert set(body) - {"errors", "rule", "detail_tr"} == {
        *("type", "title", "status", "detail", "code")
    }
    assert body["type"] == f"urn:zarf:problem:{body['code']}"
    assert (body["status"], body["title"]) == (answer.status_code, PROBLEMS[body["code"]].title)
    return answer.status_code, body["code"]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        (b"", 400, "bad-request", ""),
        (b"{", 400, "bad-request", ""),
        (b"\xef\xbb\xbf{}", 400, "bad-request", ""),
        (b'{"players":["a","b"]} x', 400, "bad-request", ""),
        (b"[" * 5000, 400, "bad-request", ""),
        (b'{"players":["\\ud800","b"]}', 400, "bad-request", ""),
        (b"[]", 422, "invalid", "body"),
        (b"{}", 422, "invalid", "players"),
        (b'{"players":["a"]}', 422, "invalid", "players"),
        (b'{"players":["a","b","c"]}', 422, "invalid", "players"),
        (b'{"players":["a",""]}', 422, "invalid", "players.1"),
        (b'{"players":["a","b\\n"]}', 422, "invalid", "players.1"),
        (b'{"players":["a",7]}', 422, "invalid", "players.1"),
        (b'{"players":["a","' + b"x" * 65 + b'"]}', 422, "invalid", "players.1"),
        (b'{"players":["a","S\xcc\xa7"]}', 422, "invalid", "players"),  # not in NFC
        (b'{"players":["a","b"],"length":0}', 422, "invalid", "length"),
        (b'{"players":["a","b"],"length":true}', 422, "invalid", "length"),
        (b'{"players":["a","b"],"length":"5"}', 422, "invalid", "length"),
        (b'{"players":["a","b"],"seed":"x"}', 422, "invalid", "seed"),
        (b'{"players":["a","b"],"options":{"cube":true}}', 422, "invalid", "options"),
        (b'{"players":["a","b"],"rules":"sixes"}', 422, "rules-unknown", ""),
        (b'{"players":["a","b"],"rules":"kafadinle"}', 422, "rules-inconsistent", ""),
        (b'{"players":["a","b"],"rules":"kafadinle","length":2}', 422, "rules-inconsistent", ""),
        (b'{"players":["a","b"],"seeding":"chained"}', 422, "seeding-unsupported", ""),
        (b'{"players":["a","b"],"seeding":"none"}', 422, "invalid", "seeding"),
    ],
)
async def test_a_wrong_opening_is_refused_and_opens_nothing(
    api: Api, body: bytes, status: int, code: str, field: str
) -> None:
    key = await api.key()
    answer = await api.send("PUT", "m-1", key, content=body, headers=JSON)
    assert problem(answer) == (status, code)
    if field:
        assert field in [error["field"] for error in answer.json()["errors"]]
    assert (await api.send("GET", "m-1", key)).status_code == 404


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (COMMITMENTS[0].upper(), 422),
        (COMMITMENTS[0][:-1], 422),
        (COMMITMENTS[0] + "00", 422),
        ("0x" + COMMITMENTS[0][2:], 422),
        (7, 422),
        (None, 422),
        (COMMITMENTS[0], 201),
    ],
)
async def test_a_commitment_is_64_lower_case_hex_digits(api: Api, value: Any, status: int) -> None:
    tokens = await api.open("m-1")
    answer = await api.put("m-1/players/0/commitment", {"commitment": value}, tokens[0])
    assert answer.status_code == status


async def test_a_seed_of_equal_bytes_is_refused(api: Api) -> None:
    tokens = await api.open("m-1", seeding="direct")
    answer = await api.put("m-1/players/0/seed", {"seed": "ab" * 32}, tokens[0])
    assert problem(answer) == (422, "invalid")


async def test_a_mirrored_commitment_is_refused(api: Api) -> None:
    opening = (await api.put("m-1", PLAYERS)).json()
    body = {"commitment": opening["commitment"]}
    answer = await api.put("m-1/players/0/commitment", body, opening["tokens"][0])
    assert problem(answer) == (409, "commitments-equal")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not-found"),
        ("GET", "/v1", 404, "not-found"),
        ("GET", "/v1/matches/", 404, "not-found"),
        ("PUT", "/v1/matches/a/b", 404, "not-found"),
        ("GET", "/v1/matches?limit=0", 422, "invalid"),
        ("GET", "/v1/matches?limit=x", 422, "invalid"),
        ("GET", "/v1/matches?phase=x", 422, "invalid"),
        ("GET", "/v1/matches?owner=rival", 422, "invalid"),
        ("GET", "/v1/matches?after=x", 422, "invalid"),
        ("GET", "/v1/matches/%F0%9F%8E%B2", 422, "invalid"),
        ("GET", "/v1/matches/" + "a" * 65, 422, "invalid"),
        ("PUT", "/v1/matches/m-1/players/2/seed", 422, "invalid"),
        ("PUT", "/v1/matches/m-1/players/01/seed", 422, "invalid"),
        ("POST", "/v1/matches", 405, "method-not-allowed"),
        ("GET", "/v1/matches/m-1/end", 405, "method-not-allowed"),
    ],
)
async def test_what_the_framework_refuses_is_a_problem_too(
    api: Api, method: str, path: str, status: int, code: str
) -> None:
    answer = await api.send(method, path, await api.key(), json={"seed": COMMITMENTS[0]})
    assert problem(answer) == (status, code)


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("/v1/matches", "GET, HEAD, OPTIONS"),
        ("/v1/matches/m-1", "GET, HEAD, OPTIONS, PUT"),
        ("/v1/matches/m-1/log", "GET, HEAD, OPTIONS"),
        ("/v1/matches/m-1/players/0/seed", "OPTIONS, PUT"),
        ("/v1/matches/m-1/rolls/0", "OPTIONS, PUT"),
        ("/livez", "GET, HEAD, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ],
)
async def test_a_place_says_which_methods_it_has(api: Api, path: str, allow: str) -> None:
    options = await api.http.options(path)
    assert (options.status_code, options.headers["allow"]) == (204, allow)
    wrong = await api.http.delete(path)
    assert problem(wrong) == (405, "method-not-allowed")
    assert wrong.headers["allow"] == allow


async def test_head_is_get_without_its_body(api: Api) -> None:
    await api.ended("m-1")
    for path in ("/v1/matches/m-1", "/v1/matches/m-1/log", "/v1/keys", "/nothing"):
        get, head = await api.http.get(path), await api.http.head(path)
        assert head.content == b""
        assert head.status_code == get.status_code
        ignored = {"x-request-id"}
        assert {k: v for k, v in head.headers.items() if k not in ignored} == {
            k: v for k, v in get.headers.items() if k not in ignored
        }


@pytest.mark.parametrize("hot", [True, False])
async def test_a_failing_storage_is_503_and_the_same_write_is_done_later(
    tmp_path: Path, hot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dice_service.storage import StorageError

    async def broken(*_: object) -> list[bool]:
        raise StorageError("The disk is full.")

    async with opened(tmp_path, hot=hot) as api:
        await api.ready("m-1")
        with monkeypatch.context() as patched:
            patched.setattr(type(api.service.storage), "append", broken)
            answer = await api.put("m-1/rolls/0", {})
            assert problem(answer) == (503, "storage-failed")
        assert (await api.put("m-1/rolls/0", {})).status_code == 201


async def test_a_fault_of_ours_is_500_with_nothing_of_it_told(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(type(api.service.matches), "view", broken)
    await api.open("m-1")
    answer = await api.send("GET", "m-1", await api.key())
    assert problem(answer) == (500, "internal")
    assert "secret" not in answer.text


@pytest.mark.parametrize("hot", [True, False])
async def test_a_write_that_takes_too_long_is_503_and_repeated_it_is_done_once(
    tmp_path: Path, hot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, hot=hot, request_timeout=0.2) as api:
        await api.ready("m-1")
        storage = type(api.service.storage)
        append = storage.append

        async def slow(*arguments: Any) -> list[bool]:
            await asyncio.sleep(0.4)
            return await append(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(storage, "append", slow)
            answer = await api.put("m-1/rolls/0", {})
            assert problem(answer) == (503, "overloaded")
            assert answer.headers["retry-after"] == "1"
            await asyncio.sleep(0.4)
        again = await api.put("m-1/rolls/0", {})
        assert again.status_code == 200  # it was written after all, and is not rolled twice
        log = (await api.send("GET", "m-1/log", await api.key())).text
        assert log.count('"type":"roll"') == 1


@pytest.mark.parametrize("hot", [True, False])
async def test_a_fault_of_ours_in_a_roll_is_500_and_logged(
    tmp_path: Path, hot: bool, monkeypatch: pytest.MonkeyPatch, log_lines: io.StringIO
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    async with opened(tmp_path, hot=hot) as api:
        await api.ready("m-1")
        await api.key()
        with monkeypatch.context() as patched:
            patched.setattr("dice_service.match.dice_of", broken)
            answer = await api.put("m-1/rolls/0", {})
            assert problem(answer) == (500, "internal")
            assert "secret" not in answer.text
        assert '"event":"request failed"' in log_lines.getvalue()
        assert (await api.put("m-1/rolls/0", {})).status_code == 201


async def test_readiness_looks_at_the_storage(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from dice_service.storage import StorageError

    async def broken(_: object) -> None:
        raise StorageError("The file is gone.")

    monkeypatch.setattr(type(api.service.storage), "ping", broken)
    assert problem(await api.http.get("/readyz")) == (503, "not-ready")
    assert (await api.http.get("/livez")).status_code == 200


async def test_every_code_is_in_the_document(api: Api) -> None:
    document = (await api.http.get("/openapi.json")).json()
    text = document["info"]["description"]
    for code, found in PROBLEMS.items():
        assert f"| `{code}` | {int(found.status)} | {found.title} |" in text
    used: set[str] = set()
    for path in document["paths"].values():
        for operation in path.values():
            for answer in operation["responses"].values():
                content = answer.get("content", {}).get("application/problem+json", {})
                used |= set(content.get("examples", {}))
    # These are answered before there is a route.
    assert set(PROBLEMS) - used <= {"method-not-allowed", "head-too-large"}


async def test_no_answer_names_the_software_behind_it(api: Api) -> None:
    for path in ("/", "/livez", "/v1/matches"):
        assert "server" not in (await api.http.get(path)).headers
    assert build_routes().version
