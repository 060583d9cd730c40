"""The rolls of one match, made fast: what all their messages begin with is hashed only once.

``dice.py`` is the formula; this gives the same dice, and a test holds the two together.
"""

from functools import lru_cache
from typing import NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from verifier.dice import FACES, LIMIT, message, roll

DIGEST = 32  # bytes
_SKIPPED = 0
_DIE = bytes(byte % FACES + 1 if byte < LIMIT else _SKIPPED for byte in range(256))
_KEPT = 64  # calls of `rolls` whose indices are kept as text: the next match counts as this one
_NO_DICE = bytes(range(LIMIT, 256))


class Rolls(NamedTuple):
    """Rolls in a row: what their messages end with (index and block), and both dice of each."""

    ends: tuple[bytes, ...]
    firsts: bytearray
    seconds: bytearray


class Roller:
    """Rolls of the match ``match_id``: call it with an index for the two dice.

    ``secret`` and ``seeds``: the service's seed and the players', 64 hex digits each.
    """

    def __init__(self, secret: str, match_id: str, seeds: tuple[str, str]) -> None:
        self._given = (bytes.fromhex(secret), match_id, *seeds)
        mac = HMAC(bytes.fromhex(secret), SHA256())
        mac.update(message(match_id, *seeds, 0)[: -len("0:0")].encode("ascii"))
        self._copy = mac.copy

    def digest(self, index: int) -> bytes:
        """The digest of roll ``index``, block 0."""
        state = self._copy()
        state.update(b"%d:0" % index)
        return state.finalize()

    def __call__(self, index: int) -> tuple[int, int]:
        """The two dice of roll ``index``, in order."""
        return self._read(self.digest(index), index)

    def rolls(self, start: int, stop: int) -> Rolls:
        """The rolls ``start`` to ``stop - 1``."""
        ends = _ends(start, stop)
        copy, digests = self._copy, []
        for end in ends:
            state = copy()
            state.update(end)
            digests.append(state.finalize())
        dice = b"".join(digests)
        firsts, seconds = (bytearray(dice[at::DIGEST].translate(_DIE)) for at in (0, 1))
        for found in (firsts, seconds):
            while (at := found.find(_SKIPPED)) >= 0:
                firsts[at], seconds[at] = self._read(digests[at], start + at)
        return Rolls(ends, firsts, seconds)

    def _read(self, digest: bytes, index: int) -> tuple[int, int]:
        dice = digest.translate(_DIE, _NO_DICE)
        if len(dice) < 2:
            return roll(*self._given, index)  # goes on in the next block
        return dice[0], dice[1]


@lru_cache(_KEPT)
def _ends(start: int, stop: int) -> tuple[bytes, ...]:
    return tuple([b"%d:0" % index for index in range(start, stop)])
