"""A match's secrets at rest: AES-256-GCM under a key that is not in the database.

What is sealed is ``seed (32 bytes) || token key (32 bytes)``; the associated data binds it to
its match, so that a sealed seed moved to another match does not open.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from dice_service.errors import Refusal, SetupError
from dice_service.keyfiles import has_keys, read_keys, write_key
from dice_service.storage import Storage, StorageError
from verifier.log import seed_holds

KIND = "sealing"
SUFFIX = ".key"
NONCE = 12  # bytes; random, as NIST SP 800-38D 8.2.2 allows for up to 2**32 seals under one key
SECRET = 32


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """What a match keeps secret: its ``seed`` until the reveal, and the key of its tokens."""

    seed: bytes
    token_key: bytes = field(default_factory=lambda: secrets.token_bytes(SECRET))

    @classmethod
    def make(cls) -> "Secrets":
        """New ones. A seed of 32 equal bytes would be refused by every verifier (S1)."""
        seed = secrets.token_bytes(SECRET)
        while not seed_holds(seed.hex()):
            seed = secrets.token_bytes(SECRET)
        return cls(seed)

    @property
    def commitment(self) -> str:
        """The SHA-256 of the seed (S2)."""
        return hashlib.sha256(self.seed).hexdigest()

    def token(self, match_id: str, player: int) -> str:
        """A player's token: a function of the token key, so that nothing of it is stored."""
        message = f"zarf/1:token:{match_id}:{player}".encode("ascii")
        digest = hmac.digest(self.token_key, message, "sha256")
        return "zp_" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


class SealingRing:
    """All sealing keys by id, and the ``active`` one that new seals are made with."""

    def __init__(self, keys: dict[str, bytes], active: str) -> None:
        self._keys = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self.active = active

    @classmethod
    def load(cls, folder: Path) -> "SealingRing":
        """Read the keys of a folder. Raises :class:`SetupError`."""
        contents, active = read_keys(folder, KIND, SUFFIX)
        return cls({key_id: _key(key_id, text) for key_id, text in contents.items()}, active)

    @classmethod
    def generate(cls) -> "SealingRing":
        """A ring of one new key that is kept nowhere (for tests)."""
        return cls({"test": secrets.token_bytes(SECRET)}, "test")

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of all keys, sorted."""
        return tuple(sorted(self._keys))

    def seal(self, match_id: str, secret: Secrets) -> tuple[str, bytes]:
        """The active key's id, and nonce || ciphertext || tag."""
        return self.seal_bytes(_bound(match_id), secret.seed + secret.token_key)

    def open(self, match_id: str, key_id: str, sealed: bytes) -> Secrets:
        """The secrets of a match.

        Raises :class:`Refusal`: ``key-missing``, or ``storage-failed`` for another key, another
        match or a changed byte (it cannot be told which).
        """
        plain = self.open_bytes(_bound(match_id), key_id, sealed, "match")
        if len(plain) != 2 * SECRET:
            raise StorageError("The sealed seed of this match does not open.")
        return Secrets(plain[:SECRET], plain[SECRET:])

    def seal_bytes(self, bound: bytes, plain: bytes) -> tuple[str, bytes]:
        """As :meth:`seal`, anything; it opens with the same ``bound`` only."""
        nonce = secrets.token_bytes(NONCE)
        return self.active, nonce + self._keys[self.active].encrypt(nonce, plain, bound)

    def open_bytes(self, bound: bytes, key_id: str, sealed: bytes, what: str) -> bytes:
        """What :meth:`seal_bytes` sealed; ``what`` it is of is told in the :class:`Refusal`."""
        key = self._keys.get(key_id)
        if key is None:
            raise Refusal(
                "key-missing", f"The sealing key {key_id} of this {what} is not on this server."
            )
        try:
            return key.decrypt(sealed[:NONCE], sealed[NONCE:], bound)
        except (InvalidTag, ValueError):
            raise StorageError(f"The sealed secret of this {what} does not open.") from None


async def reseal(storage: Storage, ring: SealingRing, batch: int = 500) -> int:
    """Seal every seed anew that is sealed under another key than the active one; returns how many.

    Each is replaced in one step and can be repeated, so it may be stopped anywhere. Raises
    :class:`Refusal` at the first that does not open; those before it are done.
    """
    done = 0
    while rows := await storage.sealed_under_other(ring.active, batch):
        for row in rows:
            secret = ring.open(row.match_id, row.sealing_key_id, row.sealed)
            key_id, sealed = ring.seal(row.match_id, secret)
            done += await storage.reseal(row, sealed, key_id)
    return done


def make_key(folder: Path) -> str:
    """Make a sealing key, the active one from now on; returns its id. Raises SetupError."""
    key_id = secrets.token_hex(8)
    write_key(folder, KIND, key_id, SUFFIX, secrets.token_hex(SECRET).encode("ascii") + b"\n")
    return key_id


def has_key(folder: Path) -> bool:
    """Whether the folder holds a sealing key."""
    return has_keys(folder, KIND, SUFFIX)


def _bound(match_id: str) -> bytes:
    return b"zarf/1:seal:" + match_id.encode("ascii")


def _key(key_id: str, text: bytes) -> bytes:
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != SECRET:
        raise SetupError("key-unreadable", f"{KIND}-{key_id}{SUFFIX} is not 64 hex digits")
    return key
