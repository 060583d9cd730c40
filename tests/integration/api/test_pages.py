"""The pages that a browser opens."""

import hashlib
import re

import pytest

from tests.support.api import Api
from verifier.page import build

pytestmark = pytest.mark.anyio


async def test_the_verification_page_is_the_verifiers_own_file_and_its_hash_is_published(
    api: Api,
) -> None:
    page = await api.send("GET", "/verify")
    assert page.content == build.served(build.TARGET.read_bytes())
    assert (await api.send("GET", "/verify/m-1")).content == page.content
    published = (await api.send("GET", "/v1/keys")).json()["page_sha256"]
    assert published == hashlib.sha256(page.content).hexdigest()
    assert published in (await api.send("GET", "/")).text


async def test_the_page_may_fetch_from_its_own_origin_and_nothing_else(api: Api) -> None:
    text = (await api.send("GET", "/verify")).text
    assert "default-src 'none'" in text
    assert "connect-src 'self'" in text
    policy = re.search(r'content="(default-src[^"]*)"', text)
    assert policy
    assert "unsafe" not in policy[1]


async def test_the_front_page_says_what_this_is_in_both_languages(api: Api) -> None:
    page = await api.send("GET", "/")
    assert "Kendin bak." in page.text
    assert "See for yourself." in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in re.findall(r'href="([^"?]+)', page.text):
        assert (await api.send("GET", path)).status_code == 200
