"""The roll formula of zarf/1: how two dice follow from three secrets.

This file is the whole of it and needs nothing but Python's standard library
(PROTOCOL.md, rules D1 to D5). For roll number ``index`` of match ``match_id``::

    digest = HMAC-SHA256(key = the server's secret,
                         message = "zarf/1:roll:MATCH_ID:SECRET_0:SECRET_1:INDEX:BLOCK")

The digest's 32 bytes are read in order: a byte of 252 or more is skipped, any
other byte is a die, ``byte mod 6 + 1``. The first two dice are the roll. Should
one digest hold fewer than two dice (it never has), BLOCK goes from 0 to 1 and on.
"""

import hmac
from collections.abc import Iterator
from typing import NamedTuple

FACES = 6
LIMIT = 252  # the largest multiple of 6 that a byte can count to: below it no face is favoured


class Block(NamedTuple):
    """One digest of a roll and what became of its bytes."""

    message: str
    digest: bytes
    taken: list[int]  # positions of the bytes that became dice
    skipped: list[int]  # positions of the bytes of 252 or more passed over on the way


def message(match_id: str, secret_0: str, secret_1: str, index: int, block: int = 0) -> str:
    """The text that is hashed: the players' secrets as 64 hex digits, numbers in decimal (D2)."""
    return f"zarf/1:roll:{match_id}:{secret_0}:{secret_1}:{index}:{block}"


def dice_of_bytes(digest: bytes, wanted: int = 2) -> tuple[list[int], list[int], list[int]]:
    """Read up to ``wanted`` dice (D3): the dice, and the positions taken and skipped."""
    dice: list[int] = []
    taken: list[int] = []
    skipped: list[int] = []
    for position, byte in enumerate(digest):
        if len(dice) == wanted:
            break
        if byte >= LIMIT:
            skipped.append(position)
        else:
            taken.append(position)
            dice.append(byte % FACES + 1)
    return dice, taken, skipped


def workings(
    server_secret: bytes, match_id: str, secret_0: str, secret_1: str, index: int
) -> Iterator[tuple[list[int], Block]]:
    """Every digest that a roll needs, with the dice found in it, until there are two (D4)."""
    missing, block = 2, 0
    while missing:
        text = message(match_id, secret_0, secret_1, index, block)
        digest = hmac.digest(server_secret, text.encode("ascii"), "sha256")
        dice, taken, skipped = dice_of_bytes(digest, missing)
        yield dice, Block(text, digest, taken, skipped)
        missing -= len(dice)
        block += 1


def roll(
    server_secret: bytes, match_id: str, secret_0: str, secret_1: str, index: int
) -> tuple[int, int]:
    """The two dice of roll ``index`` (0, 1, 2, …), in order.

    ``server_secret`` is the server's secret as 32 bytes; ``secret_0`` and ``secret_1``
    are the players' secrets as 64 lower-case hex digits.
    """
    first, second = (
        die
        for dice, _ in workings(server_secret, match_id, secret_0, secret_1, index)
        for die in dice
    )
    return first, second
