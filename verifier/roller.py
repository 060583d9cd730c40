"""The rolls of one match, made fast: what all their messages begin with is hashed only once.

``dice.py`` is the formula; this gives the same dice, and a test holds the two together.
"""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from verifier.dice import FACES, LIMIT, message, roll


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
        first, second = self.digest(index)[:2]
        if first < LIMIT > second:
            return first % FACES + 1, second % FACES + 1
        return roll(*self._given, index)
