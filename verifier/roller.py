"""The rolls of one match, made fast: what all their messages begin with is hashed only once.

``dice.py`` is the formula; this gives the same dice, and a test holds the two together.
"""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from verifier.dice import FACES, LIMIT, dice_of_bytes, message, roll

DIGEST = 32  # bytes
_SKIPPED = 0
_DIE = bytes(byte % FACES + 1 if byte < LIMIT else _SKIPPED for byte in range(256))


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

    def rolls(self, start: int, stop: int) -> tuple[bytearray, bytearray]:
        """The first dice of the rolls ``start`` to ``stop - 1``, and their second dice."""
        copy, digests = self._copy, []
        for index in range(start, stop):
            state = copy()
            state.update(b"%d:0" % index)
            digests.append(state.finalize())
        dice = b"".join(digests)
        firsts, seconds = (bytearray(dice[at::DIGEST].translate(_DIE)) for at in (0, 1))
        for found in (firsts, seconds):
            while (at := found.find(_SKIPPED)) >= 0:
                firsts[at], seconds[at] = self._read(digests[at], start + at)
        return firsts, seconds

    def _read(self, digest: bytes, index: int) -> tuple[int, int]:
        match dice_of_bytes(digest)[0]:
            case [first, second]:
                return first, second
            case _:  # the roll goes on in the next block
                return roll(*self._given, index)
