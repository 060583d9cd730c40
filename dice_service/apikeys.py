"""API keys: their text, which only its holder has, and the row that the storage keeps.

``zk_`` + a readable id of 8 characters + ``_`` + 32 random bytes in base64url. Of the text only
the SHA-256 is stored: with 256 random bits there is nothing for a slow hash to slow down.
"""

import hashlib
import hmac
import re
import secrets
import string

from dice_service.errors import SetupError
from dice_service.storage import ApiKeyRow

WRITE, READ, ADMIN = "match:write", "match:read", "admin"
SCOPES = (WRITE, READ, ADMIN)
PREFIX = "zk_"

_TEXT = re.compile(r"zk_([a-z0-9]{8})_[A-Za-z0-9_-]{43}", re.ASCII)
_OWNER = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_ID_ALPHABET = string.ascii_lowercase + string.digits


def make(owner: str, scopes: tuple[str, ...], now: str) -> tuple[str, ApiKeyRow]:
    """A new key's text and its row. Raises :class:`SetupError` ``api-key-invalid``."""
    if not _OWNER.fullmatch(owner):
        raise SetupError(
            "api-key-invalid", f"an owner is 1 to 64 of A-Z a-z 0-9 . _ -, not {owner[:80]!r}"
        )
    for scope in scopes:
        if scope not in SCOPES:
            known = ", ".join(SCOPES)
            raise SetupError("api-key-invalid", f"{scope[:80]!r} is no scope; there are: {known}")
    key_id = "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))
    text = f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"
    return text, ApiKeyRow(key_id, owner, tuple(sorted(set(scopes))), _hash(text), now)


def id_of(text: str) -> str | None:
    """The readable id in a key's text; None if it has not the form of a key."""
    match = _TEXT.fullmatch(text)
    return match[1] if match else None


def matches(text: str, row: ApiKeyRow) -> bool:
    """Whether ``text`` is the key of ``row`` and not revoked, compared in constant time."""
    return hmac.compare_digest(_hash(text), row.hash) and row.revoked_at is None


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("ascii")).digest()
