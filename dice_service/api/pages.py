"""What a browser opens: the front page, and the page that verifies a match.

The verification page is the verifier's own file. The service only hands it out, and its log: the
verdict is worked out in the browser.
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

from verifier.page.build import TARGET, served

router = APIRouter(include_in_schema=False)

_HTML = "text/html; charset=utf-8"
# What no page here uses, no script in it can.
_HEADERS = {
    "cache-control": "no-cache",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_FRONT = Path(__file__).with_name("front.html")


@cache
def verify_page() -> bytes:
    """The verification page as it is served: it may fetch from its own origin, nothing else."""
    return served(TARGET.read_bytes())


@cache
def page_sha256() -> str:
    """SHA-256 of the page as it is served, which the build prints too."""
    return hashlib.sha256(verify_page()).hexdigest()


@cache
def _front() -> tuple[bytes, dict[str, str]]:
    text = _FRONT.read_text("utf-8").replace("{page}", page_sha256())
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return text.encode(), {**_HEADERS, "content-security-policy": policy}


@router.get("/")
async def front() -> Response:
    """What this is, in both languages."""
    content, headers = _front()
    return Response(content, 200, headers, _HTML)


@router.get("/verify")
@router.get("/verify/{match_id}")
async def verify() -> Response:
    """The verification page; the match id in its address is for the page itself to read."""
    return Response(verify_page(), 200, _HEADERS, _HTML)
