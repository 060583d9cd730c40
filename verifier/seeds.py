"""Seeds and their commitments (PROTOCOL.md, section S)."""

import hashlib
import re

from verifier.errors import InputError
from verifier.log import seed_holds

_HEX32 = re.compile(r"[0-9a-f]{64}")


def commitment_of(seed: str) -> str:
    """SHA-256 of a seed's 32 bytes, in lower-case hex; ``seed`` is 64 hex digits (S2)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def parse_seed(text: str) -> str:
    """The seed that a person typed or pasted, checked.

    Raises :class:`InputError` ``seed-malformed`` for anything but 64 lower-case hex digits that
    are not one byte 32 times over (S1).
    """
    if not _HEX32.fullmatch(text) or not seed_holds(text):
        raise InputError(
            "seed-malformed",
            "a seed is 64 lower-case hex digits (32 random bytes); this is not one: {found}",
            found=repr(text[:80]),
        )
    return text
