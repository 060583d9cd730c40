"""The key and the seed that a person names on the command line."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.scribe import KEY
from verifier import InputError
from verifier.signatures import read_public_key

PUBLIC = KEY.public_key()
HEX = PUBLIC.public_bytes_raw().hex()
PEM = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_a_key_is_64_hex_digits_or_a_file_with_them_or_a_pem(tmp_path: Path) -> None:
    (tmp_path / "hex").write_text(HEX + "\n", "ascii")
    (tmp_path / "pem").write_bytes(PEM)
    assert read_public_key(HEX) == HEX
    assert read_public_key(str(tmp_path / "hex")) == HEX
    assert read_public_key(str(tmp_path / "pem")) == HEX


def _pem(key: ec.EllipticCurvePublicKey | ed448.Ed448PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


# An "Ed25519" key whose algorithm has a number that no library knows.
UNKNOWN = b"-----BEGIN PUBLIC KEY-----\nMBIwBQYDK2V/AwkAAAAAAAAAAAA=\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        HEX.upper().encode(),
        HEX[:-1].encode(),
        PEM[:60],
        UNKNOWN,
        _pem(ec.generate_private_key(ec.SECP256R1()).public_key()),
        _pem(ed448.Ed448PrivateKey.generate().public_key()),
    ],
    ids=["empty", "bytes", "upper case", "short", "cut", "unknown", "P-256", "Ed448"],
)
def test_a_file_that_holds_no_ed25519_key_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_public_key(str(tmp_path / "key"))
    assert refused.value.code == "key-unreadable"


@pytest.mark.parametrize("text", ["", "no/such/file", HEX.upper(), HEX + "0", "a\0b", "."])
def test_a_text_that_is_no_key_and_names_no_file_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_public_key(text)
    assert refused.value.code == "key-unreadable"
