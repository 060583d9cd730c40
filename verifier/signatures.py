"""The service's signatures over a log's head: Ed25519 (PROTOCOL.md, section G)."""

import hashlib
import re
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from verifier.errors import InputError

_HEX32 = re.compile(r"[0-9a-f]{64}")

# The points of small order, in every spelling, with the sign bit (the last byte's highest) cleared.
# Anyone can sign under such a key, so that its signatures prove nothing (G6).
_SMALL_ORDER = frozenset(
    (
        "00" * 32,
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)


def head_message(match_id: str, seq: int, head: str) -> bytes:
    """What is signed: line ``seq`` of the match has the SHA-256 ``head`` (G1)."""
    return f"zarf/1:head:{match_id}:{seq}:{head}".encode("ascii")


def key_id_of(public_key: str) -> str:
    """The short name of a public key, given as 64 hex digits (G2)."""
    return hashlib.sha256(bytes.fromhex(public_key)).hexdigest()[:16]


def verify_head(public_key: str, match_id: str, seq: int, head: str, sig: str) -> bool:
    """Whether ``sig`` (128 hex digits) is the key's signature over this head (G1, G6)."""
    if is_weak(public_key):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(sig), head_message(match_id, seq, head))
    except (InvalidSignature, ValueError):
        return False
    return True


def is_weak(public_key: str) -> bool:
    """Whether a key (64 hex digits) is a point of small order, under which anyone can sign (G6)."""
    return f"{public_key[:62]}{int(public_key[62:], 16) & 0x7F:02x}" in _SMALL_ORDER


def read_public_key(text: str) -> str:
    """A public key as 64 hex digits, from that text or from a file holding it or a PEM.

    Raises :class:`InputError` ``key-unreadable``.
    """
    if _HEX32.fullmatch(text):
        return text
    # Imported here because it takes longer than checking a log, and few give a key.
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        with Path(text).open("rb") as file:
            content = file.read(4096)
        if _HEX32.fullmatch(content.decode("ascii").strip()):
            return content.decode("ascii").strip()
        key = load_pem_public_key(content)
    except (OSError, ValueError, UnsupportedAlgorithm) as error:
        found = f"{text[:200]} ({error})"
        raise InputError(
            "key-unreadable",
            "the key must be 64 hex digits or a file with them or with a PEM public key: {found}",
            found=found,
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(
            "key-unreadable", "the key in {found} is not an Ed25519 key", found=text[:200]
        )
    return key.public_bytes_raw().hex()
