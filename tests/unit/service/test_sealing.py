"""Sealed seeds and the key files: what must not open does not, and nothing is overwritten."""

import asyncio
import base64
import dataclasses
import hashlib
import hmac
import secrets
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from dice_service import sealing, signing
from dice_service.errors import Refusal, SetupError
from dice_service.sealing import SealingRing, Secrets, reseal
from dice_service.signing import SigningRing
from dice_service.storage import MatchRow
from tests.support.memory import MemoryStorage
from verifier.signatures import head_message, verify_head

KEYS = {"one": bytes(range(32)), "two": bytes(range(1, 33))}


def code(caught: pytest.ExceptionInfo[Refusal | SetupError]) -> str:
    return caught.value.code


def test_a_seal_is_aes_gcm_bound_to_its_match() -> None:
    secret = Secrets.make()
    key_id, sealed = SealingRing(KEYS, "two").seal("m-1", secret)
    assert key_id == "two"
    plain = AESGCM(KEYS["two"]).decrypt(sealed[:12], sealed[12:], b"zarf/1:seal:m-1")
    assert plain == secret.seed + secret.token_key


def test_the_same_seed_is_never_sealed_alike() -> None:
    ring, secret = SealingRing(KEYS, "one"), Secrets.make()
    assert len({ring.seal("m-1", secret)[1] for _ in range(50)}) == 50


@pytest.mark.parametrize(("match_id", "key_id"), [("m-2", "one"), ("m-1", "two")])
def test_a_seal_opens_under_its_own_key_for_its_own_match_only(match_id: str, key_id: str) -> None:
    ring = SealingRing(KEYS, "one")
    _, sealed = ring.seal("m-1", Secrets.make())
    with pytest.raises(Refusal) as caught:
        ring.open(match_id, key_id, sealed)
    assert code(caught) == "storage-failed"


@settings(max_examples=100)
@given(st.data())
def test_a_changed_or_cut_seal_does_not_open(data: st.DataObject) -> None:
    ring = SealingRing(KEYS, "one")
    _, sealed = ring.seal("m-1", Secrets.make())
    place = data.draw(st.integers(0, len(sealed) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = bytes([*sealed[:place], sealed[place] ^ flip, *sealed[place + 1 :]])
    for bad in (changed, sealed[:place], sealed + b"\0"):
        with pytest.raises(Refusal) as caught:
            ring.open("m-1", "one", bad)
        assert code(caught) == "storage-failed"


def test_a_missing_key_is_named() -> None:
    _, sealed = SealingRing(KEYS, "one").seal("m-1", Secrets.make())
    with pytest.raises(Refusal, match="one") as caught:
        SealingRing({"two": KEYS["two"]}, "two").open("m-1", "one", sealed)
    assert code(caught) == "key-missing"


def test_a_token_is_a_function_of_the_match_the_player_and_its_key() -> None:
    secret = Secrets(bytes(32), bytes(range(32)))
    digest = hmac.new(bytes(range(32)), b"zarf/1:token:m-1:1", hashlib.sha256).digest()
    assert secret.token("m-1", 1) == "zp_" + base64.urlsafe_b64encode(digest).decode().rstrip("=")
    others = {secret.token("m-1", 0), secret.token("m-2", 1), secret.token("m-1", 1)}
    assert len(others) == 3


def test_secrets_do_not_show_themselves() -> None:
    secret = Secrets.make()
    row = MatchRow("m", "o", "direct", None, "t", None, "seeds", secret.seed, "k", "s")
    for shown in (repr(secret), str(secret), f"{secret}", repr(row), repr([secret, row])):
        assert secret.seed.hex() not in shown
        assert repr(secret.seed) not in shown


def test_a_seed_of_equal_bytes_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    good = bytes(range(32))
    drawn = iter([b"\x07" * 32, b"\x00" * 32, good, good])
    monkeypatch.setattr(secrets, "token_bytes", lambda _: next(drawn))
    assert Secrets.make().seed == good


def test_rotation_keeps_old_matches_and_resealing_lets_the_old_key_go(tmp_path: Path) -> None:
    first = sealing.make_key(tmp_path)
    old_ring = SealingRing.load(tmp_path)
    storage = MemoryStorage()
    kept = {f"m-{n}": Secrets.make() for n in range(5)}
    for match_id, secret in kept.items():
        key_id, sealed = old_ring.seal(match_id, secret)
        storage.rows[match_id] = MatchRow(
            match_id, "o", "direct", None, "t", None, "seeds", sealed, key_id, "s"
        )
    second = sealing.make_key(tmp_path)
    ring = SealingRing.load(tmp_path)
    assert (ring.active, set(ring.key_ids)) == (second, {first, second})
    assert ring.open("m-0", first, storage.rows["m-0"].sealed).seed == kept["m-0"].seed
    assert asyncio.run(reseal(storage, ring, batch=2)) == 5
    assert asyncio.run(reseal(storage, ring)) == 0
    (tmp_path / f"sealing-{first}.key").unlink()
    new_ring = SealingRing.load(tmp_path)
    for match_id, secret in kept.items():
        row = storage.rows[match_id]
        opened = new_ring.open(match_id, row.sealing_key_id, row.sealed)
        assert (opened.seed, opened.token_key) == (secret.seed, secret.token_key)


def test_resealing_stops_at_a_seal_that_does_not_open() -> None:
    storage, ring = MemoryStorage(), SealingRing(KEYS, "one")
    key_id, sealed = ring.seal("m-1", Secrets.make())
    row = MatchRow("m-1", "o", "direct", None, "t", None, "seeds", sealed, key_id, "s")
    storage.rows["m-1"] = dataclasses.replace(row, sealed=sealed[:-1])
    with pytest.raises(Refusal) as caught:
        asyncio.run(reseal(storage, SealingRing(KEYS, "two")))
    assert code(caught) == "storage-failed"


def test_key_files_are_the_owners_alone_and_signing_keys_are_named_by_their_public_key(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "keys"
    key_id = signing.make_key(folder)
    sealing_id = sealing.make_key(folder)
    for name in (f"signing-{key_id}.pem", f"sealing-{sealing_id}.key"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    signer = SigningRing.load(folder).active
    assert hashlib.sha256(bytes.fromhex(signer.public_key)).hexdigest()[:16] == key_id
    head = "ab" * 32
    sig = signer.sign_head("m-1", 7, head)
    assert verify_head(signer.public_key, "m-1", 7, head, sig)
    assert head_message("m-1", 7, head) == f"zarf/1:head:m-1:7:{head}".encode()
    assert sig == SigningRing.load(folder).of(key_id).sign_head("m-1", 7, head)


def test_an_old_signing_key_stays_when_a_new_one_becomes_active(tmp_path: Path) -> None:
    first, second = signing.make_key(tmp_path), signing.make_key(tmp_path)
    ring = SigningRing.load(tmp_path)
    assert ring.active.key_id == second
    assert ring.of(first).key_id == first
    assert {signer.key_id for signer in ring.signers} == {first, second}
    with pytest.raises(Refusal) as caught:
        ring.of("0" * 16)
    assert code(caught) == "key-missing"


def test_a_start_is_refused_by_name_where_keys_are_not_as_they_must_be(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="dice-service init") as caught:
        SigningRing.load(tmp_path)
    assert code(caught) == "key-missing"
    key_id = signing.make_key(tmp_path)
    path = tmp_path / f"signing-{key_id}.pem"
    path.chmod(0o640)
    with pytest.raises(SetupError, match="chmod 600") as caught:
        SigningRing.load(tmp_path)
    assert code(caught) == "key-open"
    path.chmod(0o600)
    (tmp_path / "signing.active").write_text("ffffffffffffffff\n")
    with pytest.raises(SetupError) as caught:
        SigningRing.load(tmp_path)
    assert code(caught) == "key-missing"
    (tmp_path / "signing.active").write_text(key_id)
    path.rename(tmp_path / "signing-0000000000000000.pem")
    (tmp_path / "signing.active").write_text("0000000000000000")
    with pytest.raises(SetupError, match="renamed") as caught:
        SigningRing.load(tmp_path)
    assert code(caught) == "key-unreadable"


@pytest.mark.parametrize("content", [b"", b"xyz", b"00" * 31, b"00" * 33, b"\xff\xfe"])
def test_a_damaged_key_file_is_refused(tmp_path: Path, content: bytes) -> None:
    sealing_id, signing_id = sealing.make_key(tmp_path), signing.make_key(tmp_path)
    (tmp_path / f"sealing-{sealing_id}.key").write_bytes(content)
    (tmp_path / f"signing-{signing_id}.pem").write_bytes(content)
    for load in (SealingRing.load, SigningRing.load):
        with pytest.raises(SetupError) as caught:
            load(tmp_path)
        assert code(caught) == "key-unreadable"


def test_a_key_file_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda count: "ab" * count)
    key_id = sealing.make_key(tmp_path)
    before = (tmp_path / f"sealing-{key_id}.key").read_bytes()
    with pytest.raises(SetupError) as caught:
        sealing.make_key(tmp_path)
    assert code(caught) == "key-exists"
    assert (tmp_path / f"sealing-{key_id}.key").read_bytes() == before
