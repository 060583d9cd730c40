"""Looking for a secret in bytes, however it is written."""

import base64
from collections.abc import Iterator

WINDOW = 16  # bytes: half a seed is a leak too


def spellings(secret: bytes) -> Iterator[bytes]:
    """Every way in which ``WINDOW`` bytes of a secret in a row may stand in other bytes.

    Raw, as Python shows bytes, in hex of either case, and in base64 and base64url at each of the
    three places where a byte can fall within a group of four characters.
    """
    for start in range(len(secret) - WINDOW + 1):
        part = secret[start : start + WINDOW]
        yield part
        yield repr(part)[2:-1].encode()
        yield part.hex().encode()
        yield part.hex().upper().encode()
        for shift in range(3):
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                # Characters that also hold bits of what stands before or after are cut off.
                first = (shift * 8 + 5) // 6
                count = (shift * 8 + WINDOW * 8) // 6 - first
                yield encode(bytes(shift) + part)[first : first + count]


def leaks(secret: bytes, places: dict[str, bytes]) -> list[str]:
    """The names of the places that hold the secret or half of it."""
    wanted = set(spellings(secret))
    return [name for name, data in places.items() if any(text in data for text in wanted)]
