"""The service's Ed25519 keys: the active one signs new matches, old ones their own matches."""

from pathlib import Path

import nacl.bindings
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from dice_service.errors import Refusal, SetupError
from dice_service.keyfiles import has_keys, read_keys, write_key
from verifier.signatures import head_message, key_id_of

KIND = "signing"
SUFFIX = ".pem"


class Signer:
    """One key. ``public_key`` is 64 hex digits and ``key_id`` its short name (G2).

    libsodium signs: in little more than half the time that OpenSSL takes.
    """

    __slots__ = ("_secret", "key_id", "public_key")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        public, self._secret = nacl.bindings.crypto_sign_seed_keypair(key.private_bytes_raw())
        self.public_key = public.hex()
        self.key_id = key_id_of(self.public_key)

    def sign_head(self, match_id: str, seq: int, head: str) -> str:
        """The signature over line ``seq`` whose SHA-256 is ``head``, as 128 hex digits (G1).

        Ed25519 is deterministic: the same head has the same signature whenever it is made.
        """
        signed = nacl.bindings.crypto_sign(head_message(match_id, seq, head), self._secret)
        return signed[: nacl.bindings.crypto_sign_BYTES].hex()


class SigningRing:
    """All keys of a service, by id, and the ``active`` one."""

    def __init__(self, keys: dict[str, Signer], active: str) -> None:
        self._keys = keys
        self.active = keys[active]

    @classmethod
    def load(cls, folder: Path) -> "SigningRing":
        """Read the keys of a folder. Raises :class:`SetupError`."""
        contents, active = read_keys(folder, KIND, SUFFIX)
        return cls({key_id: _signer(key_id, pem) for key_id, pem in contents.items()}, active)

    @classmethod
    def generate(cls) -> "SigningRing":
        """A ring of one new key that is kept nowhere (for tests)."""
        signer = Signer(Ed25519PrivateKey.generate())
        return cls({signer.key_id: signer}, signer.key_id)

    def of(self, key_id: str) -> Signer:
        """The key of that id. Raises :class:`Refusal` ``key-missing``."""
        signer = self._keys.get(key_id)
        if signer is None:
            raise Refusal(
                "key-missing", f"The signing key {key_id} of this match is not on this server."
            )
        return signer

    @property
    def signers(self) -> tuple[Signer, ...]:
        """Every key, in the order of their ids."""
        return tuple(self._keys[key_id] for key_id in sorted(self._keys))


def make_key(folder: Path) -> str:
    """Make a signing key, the active one from now on; returns its id. Raises SetupError."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    signer = Signer(key)
    write_key(folder, KIND, signer.key_id, SUFFIX, pem)
    return signer.key_id


def has_key(folder: Path) -> bool:
    """Whether the folder holds a signing key."""
    return has_keys(folder, KIND, SUFFIX)


def _signer(key_id: str, pem: bytes) -> Signer:
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise SetupError(
            "key-unreadable", f"{KIND}-{key_id}{SUFFIX} is not an Ed25519 key without a password"
        )
    signer = Signer(key)
    if signer.key_id != key_id:
        raise SetupError(
            "key-unreadable", f"{KIND}-{key_id}{SUFFIX} holds the key {signer.key_id}: renamed?"
        )
    return signer
