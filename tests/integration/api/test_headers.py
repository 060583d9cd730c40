"""What every answer says to browsers and caches, and what it does not say."""

import re
from collections.abc import Callable

import pytest

from dice_service.app import build_routes
from tests.support.api import PLAYERS, SECURITY_HEADERS, Api

pytestmark = pytest.mark.anyio

PATHS = [
    *(path for path in build_routes().openapi()["paths"]),
    *("/", "/verify", "/verify/m-1", "/docs", "/openapi.json", "/nowhere"),
    "/static-offline-docs/swagger-ui.css",
]
ORIGIN = "https://game.example"


@pytest.fixture
def database_url(database_of: Callable[[str], str]) -> str:
    return database_of("sqlite")  # no header comes from a storage


def filled(template: str) -> str:
    return re.sub(r"{\w+}", "0", re.sub(r"{(match|webhook)_id}", "m-1", template))


@pytest.mark.parametrize("template", PATHS)
async def test_every_answer_has_the_security_headers(api: Api, template: str) -> None:
    await api.ended("m-1")  # of an open match, events have no end
    key, path = await api.key(), filled(template)
    statuses = set()
    for method in ("GET", "PUT", "HEAD", "OPTIONS", "PATCH"):
        for bearer in (None, "zk_wrong", key):
            for content in (b"", b"{", b"{" * 20_000) if method == "PUT" else (b"",):
                answer = await api.send(method, path, bearer, content=content)
                statuses.add(answer.status_code)
                for name, value in SECURITY_HEADERS.items():
                    found = answer.headers.get_list(name)
                    assert value in found, (method, path, name)
                    assert len(found) == 1 or name == "content-security-policy"
                assert not answer.headers.keys() & {"server", "x-powered-by", "via"}
    assert 413 in statuses
    assert 405 in statuses or path == "/nowhere"


@pytest.mark.parametrize("template", PATHS)
async def test_no_other_sites_script_is_let_in(api: Api, template: str) -> None:
    await api.ended("m-1")
    path = filled(template)
    ask = {"origin": ORIGIN, "access-control-request-headers": "authorization,content-type"}
    for wanted in ("GET", "PUT"):
        headers = {**ask, "access-control-request-method": wanted}
        preflight = await api.send("OPTIONS", path, headers=headers)
        answer = await api.send(wanted, path, await api.key(), headers={"origin": ORIGIN})
        for found in (preflight, answer):
            assert not [name for name in found.headers if name.startswith("access-control-")]
            assert ORIGIN not in str(found.headers)


@pytest.mark.parametrize("path", ["/", "/verify", "/verify/m-1"])
async def test_a_page_may_do_no_more_than_it_needs_and_stands_in_no_frame(
    api: Api, path: str
) -> None:
    page = await api.send("GET", path)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policies = page.headers.get_list("content-security-policy")
    policies += re.findall(
        r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', page.text
    )
    assert "frame-ancestors 'none'" in policies
    assert [policy for policy in policies if policy.startswith("default-src 'none'; ")]
    assert "unsafe" not in str(policies)
    assert "camera=()" in page.headers["permissions-policy"]
    # It is opened by a game site's page and talks to it: that must not be cut.
    assert "cross-origin-opener-policy" not in page.headers


@pytest.mark.parametrize("length", [65, 8000])
async def test_no_part_of_a_path_is_longer_than_it_may_be(api: Api, length: int) -> None:
    key = await api.key()
    for template, methods in build_routes().openapi()["paths"].items():
        for name in re.findall(r"{(\w+)}", template):
            part = ("1" if name in ("index", "number", "player") else "a") * length
            path = filled(template.replace(f"{{{name}}}", part))
            for method in methods:
                answer = await api.send(method.upper(), path, key, json=PLAYERS)
                assert answer.status_code in (404, 422), (method, path[:80])
                assert part not in answer.text
