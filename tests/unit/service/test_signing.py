"""libsodium signs for the service: as OpenSSL does, which the verifier asks."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from dice_service.signing import Signer
from verifier.signatures import head_message, verify_head


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**53 - 1))
def test_a_head_is_signed_as_openssl_signs_it(seed: bytes, seq: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    signer, head = Signer(key), hashlib.sha256(seed).hexdigest()
    assert signer.public_key == key.public_key().public_bytes_raw().hex()
    signature = signer.sign_head("cup-1", seq, head)
    assert signature == key.sign(head_message("cup-1", seq, head)).hex()
    assert verify_head(signer.public_key, "cup-1", seq, head, signature)
