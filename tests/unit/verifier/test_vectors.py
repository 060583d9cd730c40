"""The vectors are what the generator makes, the verifier agrees with them, and so does openssl."""

import base64
import hashlib
import hmac
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.vectors import generate
from verifier import InputError, Report, Verdict, dice, read_receipts, verify_log
from verifier.fraud import check_proof, encode_proof, read_proof
from verifier.log import _faults, split_lines
from verifier.report import CHECKS, RANK
from verifier.seeds import commitment_of, parse_seed
from verifier.signatures import head_message, is_weak, key_id_of, verify_head

FOLDER = Path(generate.__file__).parent
ROLLS = json.loads((FOLDER / "rolls.json").read_text("utf-8"))
BYTES = json.loads((FOLDER / "bytes.json").read_text("utf-8"))
SEEDS = json.loads((FOLDER / "seeds.json").read_text("utf-8"))
SIGNATURES = json.loads((FOLDER / "signatures.json").read_text("utf-8"))
LOGS = sorted((FOLDER / "logs").glob("*.json"))
FRAUDS = sorted((FOLDER / "frauds").glob("*.json"))
STATUS = {Verdict.VERIFIED: 0, Verdict.CONSISTENT: 0, Verdict.FAILED: 1, Verdict.INCOMPLETE: 3}


def _name(path: Path) -> str:
    return path.stem


def _bytes(value: dict[str, str]) -> bytes:
    return base64.b64decode(value["base64"]) if "base64" in value else value["text"].encode()


def test_the_committed_vectors_are_what_the_generator_makes() -> None:
    assert generate.stale() == []
    assert generate.main(["--check"]) == 0


def test_every_roll_there_is_stands_in_the_vectors() -> None:
    assert {tuple(roll["dice"]) for roll in ROLLS} == {
        (a, b) for a in range(1, 7) for b in range(1, 7)
    }
    assert {0, 9, 10, 2**32, 2**53 - 1} <= {roll["index"] for roll in ROLLS}
    assert {1, 64} <= {len(roll["match_id"]) for roll in ROLLS}
    for place in (0, 1):
        assert {251, 252} <= {bytes.fromhex(roll["digest"])[place] for roll in ROLLS}


@pytest.mark.parametrize("vector", ROLLS, ids=[roll["shows"] for roll in ROLLS])
def test_d1_to_d4_a_roll_follows_from_the_seeds(vector: dict[str, Any]) -> None:
    seed_0, seed_1 = vector["seeds"]
    given = bytes.fromhex(vector["server_seed"]), vector["match_id"], seed_0, seed_1
    assert list(dice.roll(*given, vector["index"])) == vector["dice"]
    [(found, block)] = dice.workings(*given, vector["index"])
    assert (found, block.message, block.digest.hex()) == (
        vector["dice"],
        vector["message"],
        vector["digest"],
    )
    assert (block.taken, block.skipped) == (vector["taken"], vector["skipped"])


def test_openssl_gives_the_digests_of_the_rolls(tmp_path: Path) -> None:
    (key,) = {roll["server_seed"] for roll in ROLLS}
    for number, roll in enumerate(ROLLS):
        (tmp_path / str(number)).write_text(roll["message"], "ascii")
    printed = subprocess.run(
        ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}",
         *map(str, range(len(ROLLS)))],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert re.findall(r"= ([0-9a-f]{64})$", printed, re.MULTILINE) == [r["digest"] for r in ROLLS]


@pytest.mark.parametrize("vector", BYTES, ids=[vector["shows"] for vector in BYTES])
def test_d3_d4_bytes_become_dice(vector: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter(map(bytes.fromhex, vector["digests"]))
    messages = []

    def digest(_: bytes, message: bytes, __: str) -> bytes:
        messages.append(message)
        return next(digests)

    monkeypatch.setattr(hmac, "digest", digest)
    workings = list(dice.workings(bytes(32), "m", "0", "1", 7))
    assert [die for found, _ in workings for die in found] == vector["dice"]
    assert [block.taken for _, block in workings] == vector["taken"]
    assert [block.skipped for _, block in workings] == vector["skipped"]
    assert messages == [b"zarf/1:roll:m:0:1:7:%d" % n for n in range(len(vector["digests"]))]
    assert next(digests, None) is None


@pytest.mark.parametrize("vector", SEEDS["seeds"], ids=lambda vector: vector["seed"][:8])
def test_s1_s2_a_seed_has_its_commitment(vector: dict[str, str]) -> None:
    assert commitment_of(parse_seed(vector["seed"])) == vector["commitment"]


def test_openssl_gives_the_commitments(tmp_path: Path) -> None:
    for number, vector in enumerate(SEEDS["seeds"]):
        (tmp_path / str(number)).write_bytes(bytes.fromhex(vector["seed"]))
    printed = subprocess.run(
        ["openssl", "dgst", "-sha256", *map(str, range(len(SEEDS["seeds"])))],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    wanted = [vector["commitment"] for vector in SEEDS["seeds"]]
    assert re.findall(r"= ([0-9a-f]{64})$", printed, re.MULTILINE) == wanted


@pytest.mark.parametrize("vector", SEEDS["refused"], ids=lambda vector: vector["shows"])
def test_s1_what_is_no_seed_is_refused(vector: dict[str, str]) -> None:
    with pytest.raises(InputError) as refused:
        parse_seed(vector["text"])
    assert refused.value.code == "seed-malformed"


@pytest.mark.parametrize(
    "vector", SIGNATURES["rfc_8032"], ids=lambda vector: vector["public_key"][:8]
)
def test_ed25519_is_that_of_rfc_8032(vector: dict[str, str]) -> None:
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(vector["public_key"]))
    key.verify(bytes.fromhex(vector["sig"]), bytes.fromhex(vector["message"]))


@pytest.mark.parametrize("vector", SIGNATURES["heads"], ids=lambda vector: vector["message"][:20])
def test_g1_g2_heads_are_signed(vector: dict[str, Any]) -> None:
    key, sig = SIGNATURES["public_key"], vector["sig"]
    place = vector["match_id"], vector["seq"], vector["head"]
    assert head_message(*place) == vector["message"].encode()
    assert key_id_of(key) == SIGNATURES["key_id"]
    assert verify_head(key, *place, sig)
    assert not verify_head(key, place[0], place[1] + 1, place[2], sig)
    assert not verify_head(key, place[0] + "x", *place[1:], sig)
    assert not verify_head(key, *place[:2], hashlib.sha256(b"").hexdigest(), sig)
    assert not verify_head("f" * 64, *place, sig)


def test_g6_the_weak_keys_are_exactly_the_points_of_small_order() -> None:
    assert len(SIGNATURES["weak_keys"]) == 14
    assert all(map(is_weak, SIGNATURES["weak_keys"]))
    assert not is_weak(SIGNATURES["public_key"])


def _report(case: dict[str, Any]) -> Report:
    receipts = [read_receipts(_bytes(receipt)) for receipt in case["receipts"]]
    return verify_log(_bytes(case["log"]), receipts, my_seed=case["my_seed"], key=case["key"])


@pytest.mark.parametrize("path", LOGS, ids=_name)
def test_the_verifier_says_of_a_log_what_the_vector_says(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    expected = case["expected"]
    if expected["verdict"] is None:
        with pytest.raises(InputError):
            _report(case)
        return
    report = _report(case)
    first = report.failures[0] if report.failures else None
    assert (report.verdict, report.why) == (expected["verdict"], expected["why"])
    assert STATUS[report.verdict] == expected["exit_status"]
    found = first and {"code": first.code, "seq": first.seq, "field": first.field}
    assert found == expected["first"]
    assert list(report.failed_rolls) == expected["failed_rolls"]
    proved = any(failure.code == "receipt-contradiction" for failure in report.failures)
    assert proved == (report.proof is not None)
    if report.proof:
        assert check_proof(read_proof(encode_proof(report.proof))) == ""


@pytest.mark.parametrize("path", FRAUDS, ids=_name)
def test_a_proof_of_fraud_holds_or_not_as_the_vector_says(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    expected = case["expected"]
    if expected["exit_status"] == 2:
        with pytest.raises(InputError) as refused:
            read_proof(case["proof"].encode())
        assert refused.value.code == expected["code"]
    else:
        assert check_proof(read_proof(case["proof"].encode())) == expected["code"]
        assert (not expected["code"]) == (expected["exit_status"] == 0)


def test_f2_all_faults_of_a_line_come_in_the_order_of_the_text() -> None:
    for path in LOGS:
        for line in split_lines(_bytes(json.loads(path.read_text("utf-8"))["log"]))[0]:
            ranks = [RANK[failure.code] for failure in _faults(line, 0)]
            assert ranks == sorted(ranks), (path.stem, line)


def _expected(paths: Sequence[Path]) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8"))["expected"] for path in paths]


def test_every_failure_code_every_verdict_and_every_reason_has_a_vector() -> None:
    expected = _expected(LOGS)
    first = {case["first"]["code"] for case in expected if case["first"]}
    assert first == {code for codes in CHECKS.values() for code in codes}
    assert {(case["verdict"], case["why"]) for case in expected} == {
        ("VERIFIED", ""),
        ("CONSISTENT", "not-anchored"),
        ("CONSISTENT", "direct-seeding"),
        ("CONSISTENT", "no-rolls"),
        ("INCOMPLETE", "cut-short"),
        ("INCOMPLETE", "not-ended"),
        ("INCOMPLETE", "not-revealed"),
        ("INCOMPLETE", "not-signed"),
        ("FAILED", ""),
        ("FAILED", "plays-only"),
        (None, ""),
    }


def test_a_case_is_called_fail_when_it_fails() -> None:
    for path in (*LOGS, *FRAUDS):
        case = json.loads(path.read_text("utf-8"))
        fails = case["expected"]["exit_status"] == 1 or (
            path.parent.name == "frauds" and (case["expected"]["exit_status"] == 2)
        )
        assert path.stem.endswith("_fail") == fails, path
