"""The signature of Standard Webhooks: HMAC-SHA256 over ``id.timestamp.body``, in three headers."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
PREFIX: Final = "whsec_"
SECRET: Final = 32  # bytes; the specification asks for 24 to 64
TOLERANCE: Final = 300  # seconds that a message may be old, or its sender's clock ahead


class NotSignedError(Exception):
    """The message is not shown to be from whom it says; the text says what was wrong."""


def make_secret() -> bytes:
    """A new secret."""
    return secrets.token_bytes(SECRET)


def shown_secret(secret: bytes) -> str:
    """A secret as it is given to the receiver."""
    return PREFIX + base64.b64encode(secret).decode("ascii")


def parse_secret(text: str) -> bytes:
    """The bytes of a secret as it was given. Raises :class:`ValueError`."""
    try:
        secret = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:  # not ASCII, or no base64
        secret = b""
    if not secret:
        raise ValueError("A webhook's secret is whsec_ and base64.")
    return secret


def message_id(event: str, match_id: str) -> str:
    """The id of the message that tells this event: the same at every webhook and every attempt."""
    digest = hashlib.sha256(f"zarf/1:webhook:{event}:{match_id}".encode())
    return f"msg_{digest.hexdigest()[:32]}"


def sign(secret: bytes, message: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``."""
    digest = hmac.digest(secret, _head(message, timestamp) + body, "sha256")
    return "v1," + base64.b64encode(digest).decode("ascii")


def _head(message: str, timestamp: int) -> bytes:
    return f"{message}.{timestamp}.".encode("utf-8", "surrogatepass")


def headers(secret: bytes, message: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of an attempt at ``timestamp``, in seconds since 1970."""
    signature = sign(secret, message, timestamp, body)
    return {ID: message, TIMESTAMP: str(timestamp), SIGNATURE: signature}


def verify(secret: bytes, given: Mapping[str, str], body: bytes, now: float) -> str:
    """The id of the message. Raises :class:`NotSignedError`.

    ``given`` are the request's headers, in any case; of several signatures one must hold.
    """
    found = {name.lower(): value for name, value in given.items()}
    try:
        message, sent, signatures = found[ID], found[TIMESTAMP], found[SIGNATURE]
    except KeyError as missing:
        raise NotSignedError(f"The header {missing.args[0]} is missing.") from None
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 15):
        raise NotSignedError(f"The header {TIMESTAMP} is no time in seconds.")
    if abs(now - int(sent)) > TOLERANCE:
        raise NotSignedError(f"The message is more than {TOLERANCE} s away from this clock.")
    expected = sign(secret, message, int(sent), body).encode("ascii")
    known = [part.encode("utf-8", "surrogatepass") for part in signatures.split(" ")]
    if not any([hmac.compare_digest(expected, part) for part in known]):  # noqa: C419 - all, always
        raise NotSignedError("No signature is that of this secret.")
    return message
