"""Writes match logs line by line with every choice in the caller's hands, honest or not.

It shares the events' structs with the verifier, and nothing else: hashes, HMAC, dice and
signatures are made here anew, so that a fault in the verifier's own is not repeated.
"""

import hashlib
import hmac
import itertools
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from verifier import events
from verifier.log import encode_line

SERVER_SEED = hashlib.sha256(b"the service's seed").digest()
PLAYER_SEEDS = tuple(hashlib.sha256(b"player %d's seed" % p).digest() for p in (0, 1))
KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"the service's key").digest())
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"another key").digest())


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def plain_dice(key: bytes, match_id: str, seeds: tuple[bytes, ...], index: int) -> tuple[int, int]:
    dice: list[int] = []
    for block in itertools.count():
        text = ":".join(["zarf/1", "roll", match_id, *(s.hex() for s in seeds), f"{index}:{block}"])
        dice += [b % 6 + 1 for b in hmac.new(key, text.encode(), "sha256").digest() if b < 252]
        if len(dice) > 1:
            return dice[0], dice[1]
    raise AssertionError


class Scribe:
    """A log being written. Every method appends one line; ``lines`` may be tampered with."""

    def __init__(
        self,
        match_id: str = "test-match-1",
        *,
        server_seed: bytes = SERVER_SEED,
        seeds: tuple[bytes, ...] = PLAYER_SEEDS,
        key: Ed25519PrivateKey = KEY,
        **match: Any,
    ) -> None:
        self.match_id, self.server_seed, self.seeds, self.key = match_id, server_seed, seeds, key
        self.lines: list[bytes] = []
        self.public_key = key.public_key().public_bytes_raw()
        self.key_id = sha256(self.public_key)[:16]
        self.seeding = match.pop("seeding", "committed")
        self.rolled = 0
        fields: dict[str, Any] = {
            "time": self._time(),
            "protocol": "zarf/1",
            "match_id": match_id,
            "seeding": self.seeding,
            "rules": None,
            "length": None,
            "options": {},
            "players": ("Ayşe", "Bora"),
            "commitment": sha256(server_seed),
            "public_key": self.public_key.hex(),
            "key_id": self.key_id,
        }
        self.lines.append(encode_line(events.Match(**(fields | match))))

    def _time(self) -> str:
        minute, second = divmod(len(self.lines), 60)
        return f"2026-11-30T18:{minute % 60:02}:{second:02}.000Z"

    @property
    def head(self) -> str:
        return sha256(self.lines[-1])

    @property
    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    def add(self, event: type[events.Linked], **fields: Any) -> "Scribe":
        given = {"prev": self.head, "time": self._time()} | fields
        self.lines.append(encode_line(event(**given)))
        return self

    def signature(self, seq: int, head: str) -> str:
        text = f"zarf/1:head:{self.match_id}:{seq}:{head}"
        return self.key.sign(text.encode()).hex()

    def sign(self) -> "Scribe":
        seq, head = len(self.lines) - 1, self.head
        sig = self.signature(seq, head)
        time = json.loads(self.lines[-1])["time"]
        return self.add(
            events.SignatureLine, time=time, seq=seq, head=head, key_id=self.key_id, sig=sig
        )

    def commit(self, player: int) -> "Scribe":
        commitment = sha256(self.seeds[player])
        return self.add(events.SeedCommitment, player=player, commitment=commitment)

    def seed(self, player: int) -> "Scribe":
        return self.add(events.Seed, player=player, seed=self.seeds[player].hex())

    def open(self) -> "Scribe":
        """Everything up to the first roll."""
        self.sign()
        if self.seeding == "committed":
            self.commit(0).commit(1).sign()
        return self.seed(0).seed(1)

    def dice(self, index: int) -> tuple[int, int]:
        return plain_dice(self.server_seed, self.match_id, self.seeds, index)

    def roll(self, dice: tuple[int, int] | None = None, **fields: Any) -> "Scribe":
        index = fields.pop("index", self.rolled)
        self.rolled = index + 1
        given = {"purpose": "turn", "player": None} | fields
        return self.add(events.Roll, index=index, dice=dice or self.dice(index), **given)

    def end(self, reason: str = "finished", winner: int | None = None) -> "Scribe":
        """The end, the reveal, the last signature."""
        self.add(events.MatchEnd, winner=winner, reason=reason, score=None)
        return self.reveal().sign()

    def reveal(self) -> "Scribe":
        return self.add(events.Reveal, server_seed=self.server_seed.hex())

    @property
    def opening(self) -> bytes:
        """The opening receipt of a log that has got that far."""
        count = 5 if self.seeding == "committed" else 2
        return b"".join(line + b"\n" for line in self.lines[:count])

    def receipt(self, seq: int) -> bytes:
        """The roll receipt for line ``seq``, as a line of a receipt file."""
        from verifier.receipts import RollReceipt, encode_receipt

        head = sha256(self.lines[seq])
        line = self.lines[seq].decode()
        sig = self.signature(seq, head)
        return encode_receipt(RollReceipt(self.match_id, self.key_id, seq, head, sig, line)) + b"\n"


def honest(rolls: int = 5, **match: Any) -> Scribe:
    """A whole honest match."""
    scribe = Scribe(**match).open()
    for _ in range(rolls):
        scribe.roll()
    return scribe.end()
