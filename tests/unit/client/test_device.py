"""A player's device against a service that is honest, and against each way it can cheat."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dice_service.client import (
    ContradictionError,
    DeviceError,
    DishonestError,
    RefusedError,
    Retries,
)
from dice_service.device import PlayerDevice
from tests.unit.client.peer import TIME, Peer, problem, sha, text_of
from verifier.fraud import check_proof, read_proof
from verifier.receipts import RollReceipt
from verifier.report import Verdict

OTHER_SEED = "0123456789abcdef" * 4
OTHER_COMMITMENT = sha(bytes.fromhex(OTHER_SEED))


@pytest.fixture
def peer() -> Peer:
    return Peer()


def device(peer: Peer, folder: Path, **options: Any) -> PlayerDevice:
    return PlayerDevice(
        "m-1",
        0,
        "zp_a",
        base_url="http://dice.test",
        folder=folder,
        transport=peer.transport,
        retries=Retries(attempts=3, first=0.0),
        **{"label": "Ayşe", **options},
    )


def other(peer: Peer, what: str = "commitment") -> None:
    """Player 1, played by hand."""
    value = OTHER_COMMITMENT if what == "commitment" else OTHER_SEED
    peer.put(["players", "1", what], {what: value})


def ready(peer: Peer, folder: Path) -> PlayerDevice:
    """A device whose match has come to its rolls."""
    mine = device(peer, folder)
    mine.commit()
    other(peer)
    mine.keep_receipt()
    mine.open_seed()
    other(peer, "seed")
    return mine


def handed_on(peer: Peer, index: int) -> bytes:
    return text_of(peer.roll(index)["receipt"])


def test_an_honest_match_is_verified_with_what_the_device_kept(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    dice = [mine.keep_roll(handed_on(peer, index)).dice for index in range(3)]
    mine.follow()
    peer.put(["end"], {})
    report = mine.verify(peer.file())
    assert (report.verdict, report.rolls) == (Verdict.VERIFIED, 3)
    assert [roll.dice for roll in mine.rolls] == dice
    kept = [*peer.lines[:5], *(text_of(peer.receipts[index]) for index in range(3))]
    assert mine.receipt_file.read_bytes() == b"".join(line + b"\n" for line in kept)
    assert mine.receipt_file.name == "m-1.player0.receipt.jsonl"


def test_direct_seeding_sends_the_seed_after_the_signed_opening_is_kept(tmp_path: Path) -> None:
    peer = Peer("direct")
    mine = device(peer, tmp_path, seeding="direct")
    with pytest.raises(DeviceError, match="nothing is committed"):
        mine.commit()
    mine.open_seed()
    assert mine.receipt_file.read_bytes() == peer.file(2)
    other(peer, "seed")
    mine.keep_roll(handed_on(peer, 0))
    peer.put(["end"], {})
    assert mine.verify(peer.file()).why == "direct-seeding"


def test_the_seed_stays_closed_until_the_signed_receipt_is_on_the_disk(
    peer: Peer, tmp_path: Path
) -> None:
    mine = device(peer, tmp_path)
    mine.commit()
    with pytest.raises(DeviceError) as error:
        mine.open_seed()
    assert error.value.code == "receipt-missing"
    with pytest.raises(RefusedError, match="receipt-not-ready"):
        mine.keep_receipt()
    other(peer)
    mine.keep_receipt()
    mine.receipt_file.unlink()
    with pytest.raises(DeviceError, match="receipt-missing"):
        mine.open_seed()
    assert peer.seeds == {}
    assert mine.seed.encode() not in peer.file()


def test_a_token_that_someone_else_used_first_is_told_in_both_languages(
    peer: Peer, tmp_path: Path
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            return problem("commitment-differs", 409, "Player 0 committed to another seed before.")
        return peer.answer(request)

    mine = device(peer, tmp_path)
    mine._client._http._transport = httpx.MockTransport(answer)
    with pytest.raises(RefusedError) as error:
        mine.commit()
    assert (error.value.code, error.value.status) == ("commitment-differs", 409)
    assert "someone else has used its token" in error.value.detail
    assert "jetonunu başkası kullanmış" in error.value.detail_tr


def test_the_receipt_is_waited_for_while_the_other_player_commits(
    peer: Peer, tmp_path: Path
) -> None:
    mine = device(peer, tmp_path)
    mine.commit()
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if asked.count("/v1/matches/m-1/receipt") == 2:
            other(peer)
        return peer.answer(request)

    waiting = device(peer, tmp_path)
    waiting._client._http._transport = httpx.MockTransport(answer)
    assert waiting.keep_receipt(wait=5.0).exists()


def test_a_restarted_device_goes_on_with_the_same_seed_and_receipts(
    peer: Peer, tmp_path: Path
) -> None:
    first = device(peer, tmp_path)
    seed = first.seed
    first.commit()
    other(peer)
    assert device(peer, tmp_path).seed == seed
    device(peer, tmp_path).keep_receipt()
    device(peer, tmp_path).open_seed()
    other(peer, "seed")
    for index in range(3):
        device(peer, tmp_path).keep_roll(handed_on(peer, index))
    last = device(peer, tmp_path)
    assert [roll.index for roll in last.rolls] == [0, 1, 2]
    peer.put(["end"], {})
    assert last.verify(peer.file()).verdict is Verdict.VERIFIED
    assert device(peer, tmp_path / "elsewhere").seed != seed


def test_what_a_crash_cut_short_is_taken_off_and_fetched_again(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    mine.keep_roll(handed_on(peer, 0))
    with mine.receipt_file.open("ab") as file:
        file.write(handed_on(peer, 1)[:50])
    again = device(peer, tmp_path)
    assert [roll.index for roll in again.rolls] == [0]
    again.keep_roll(handed_on(peer, 1))
    assert [roll.index for roll in device(peer, tmp_path).rolls] == [0, 1]


def test_only_the_owner_reads_the_devices_files(peer: Peer, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    mine = ready(peer, folder)
    mine.keep_roll(handed_on(peer, 0))
    mine.follow()
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        "m-1.player0.device.json": 0o600,
        "m-1.player0.receipt.jsonl": 0o600,
        "m-1.player0.zarf.jsonl": 0o600,
    }


def test_a_damaged_file_is_named_and_nothing_is_sent(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    asked = len(peer.asked)
    mine.receipt_file.write_bytes(
        mine.receipt_file.read_bytes().replace(b'"player":1', b'"player":2')
    )
    with pytest.raises(DeviceError, match=r"receipt-damaged.*line 4"):
        device(peer, tmp_path)
    mine.state_file.write_bytes(b"{")
    with pytest.raises(DeviceError, match="state-damaged"):
        device(peer, tmp_path)
    assert len(peer.asked) == asked


def changed(line: bytes, **fields: object) -> bytes:
    return text_of({**json.loads(line), **fields})


def unsigned(peer: Peer) -> None:
    peer.lines[1] = changed(peer.lines[1], sig="0" * 128)


def signed_by_another(peer: Peer) -> None:
    """The line names the service's key; the signature is another key's."""
    head = sha(peer.lines[0])
    sig = Ed25519PrivateKey.generate().sign(f"zarf/1:head:m-1:0:{head}".encode()).hex()
    peer.lines[1] = changed(peer.lines[1], sig=sig)


def signed_for_another_match(peer: Peer) -> None:
    sig = peer.key.sign(f"zarf/1:head:m-2:0:{sha(peer.lines[0])}".encode()).hex()
    peer.lines[1] = changed(peer.lines[1], sig=sig)


def commitment_swapped(peer: Peer) -> None:
    """After the signature: the chain no longer fits."""
    peer.lines[0] = changed(peer.lines[0], commitment="a" * 64)


def no_signature(peer: Peer) -> None:
    peer.lines = peer.lines[:1]


def no_match_line(peer: Peer) -> None:
    peer.lines = peer.lines[1:] * 2


def spelt_differently(peer: Peer) -> None:
    peer.lines[0] = peer.lines[0].replace(b'"length":null', b'"length": null')
    peer.lines = peer.lines[:1]
    peer.sign()


def key_misnamed(peer: Peer) -> None:
    peer.lines = [changed(peer.lines[0], key_id="0" * 16)]
    peer.sign()


def signature_under_another_name(peer: Peer) -> None:
    peer.lines[1] = changed(peer.lines[1], key_id="0" * 16)


def something_else_in_its_place(peer: Peer) -> None:
    peer.lines = peer.lines[:1]
    peer.add("seed_commitment", player=1, commitment=OTHER_COMMITMENT)


def opened_as(**fields: Any) -> Callable[[Peer], None]:
    def cheat(peer: Peer) -> None:
        vars(peer).update(fields)
        peer.open()

    cheat.__name__ = "opened with another " + ", ".join(fields)
    return cheat


@pytest.mark.parametrize(
    ("cheat", "code"),
    [
        (unsigned, "signature-wrong"),
        (signed_by_another, "signature-wrong"),
        (signed_for_another_match, "signature-wrong"),
        (commitment_swapped, "chain-broken"),
        (no_signature, "opening-unsigned"),
        (something_else_in_its_place, "opening-unsigned"),
        (no_match_line, "opening-malformed"),
        (spelt_differently, "opening-malformed"),
        (key_misnamed, "key-differs"),
        (signature_under_another_name, "key-differs"),
        (opened_as(seeding="direct"), "seeding-differs"),
        (opened_as(players=["Bora", "Ayşe"]), "label-differs"),
        (opened_as(key=Ed25519PrivateKey.generate()), "key-differs"),
    ],
)
def test_a_false_opening_is_refused_before_anything_is_sent(
    peer: Peer, tmp_path: Path, cheat: Callable[[Peer], None], code: str
) -> None:
    mine = device(peer, tmp_path, public_key=peer.public_key)
    cheat(peer)
    with pytest.raises(DishonestError) as error:
        mine.commit()
    assert error.value.code == code
    assert {method for method, _ in peer.asked} == {"GET"}


def test_an_opening_of_another_match_is_refused(peer: Peer, tmp_path: Path) -> None:
    foreign = Peer(match_id="m-2").file()
    peer.change = lambda _, answer: foreign if isinstance(answer, bytes) else answer
    with pytest.raises(DishonestError) as error:
        device(peer, tmp_path).check_opening()
    assert error.value.code == "match-differs"


def test_a_service_that_commits_to_the_players_own_seed_is_refused(
    peer: Peer, tmp_path: Path
) -> None:
    mine = device(peer, tmp_path)
    peer.secret = mine.seed
    peer.open()
    with pytest.raises(DishonestError, match="commitments-equal"):
        mine.commit()


def test_a_commitment_logged_for_another_is_noticed(peer: Peer, tmp_path: Path) -> None:
    def cheat(path: str, answer: Any) -> Any:
        if "commitment" not in path:
            return answer
        return {**answer, "line": answer["line"].replace('"player":0', '"player":1')}

    peer.change = cheat
    with pytest.raises(DishonestError, match="answer-differs"):
        device(peer, tmp_path).commit()


def test_another_seed_logged_than_the_one_sent_is_noticed(peer: Peer, tmp_path: Path) -> None:
    mine = device(peer, tmp_path)
    mine.commit()
    other(peer)
    mine.keep_receipt()

    def cheat(path: str, answer: Any) -> Any:
        if not path.endswith("/seed"):
            return answer
        return {**answer, "line": answer["line"].replace(mine.seed, OTHER_SEED)}

    peer.change = cheat
    with pytest.raises(DishonestError, match="answer-differs"):
        mine.open_seed()


def test_a_receipt_once_kept_is_not_fetched_again(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    kept, asked = mine.receipt_file.read_bytes(), len(peer.asked)
    assert mine.keep_receipt() == mine.receipt_file
    assert (mine.receipt_file.read_bytes(), len(peer.asked)) == (kept, asked)


def test_a_device_made_again_on_other_terms_is_refused(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    with pytest.raises(DeviceError, match="seeding-differs"):
        device(peer, tmp_path, seeding="direct")
    with pytest.raises(DishonestError, match="key-differs"):
        device(peer, tmp_path, public_key="ab" * 32)
    other_file = tmp_path / "m-2.player0.device.json"
    other_file.write_bytes(mine.state_file.read_bytes())
    with pytest.raises(DeviceError, match="another match"):
        PlayerDevice("m-2", 0, "zp_a", base_url="http://dice.test", folder=tmp_path)


def test_no_roll_is_kept_before_the_opening_receipt(peer: Peer, tmp_path: Path) -> None:
    ready(peer, tmp_path)
    with (
        device(peer, tmp_path / "new") as late,
        pytest.raises(DeviceError, match="receipt-missing"),
    ):
        late.keep_roll(handed_on(peer, 0))


@pytest.mark.parametrize("match_id", ["", "a/b", "../m", "a" * 65])
def test_a_match_id_cannot_lead_out_of_the_folder(tmp_path: Path, match_id: str) -> None:
    with pytest.raises(DeviceError, match="invalid"):
        PlayerDevice(match_id, 0, "zp_a", base_url="http://dice.test", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def retold(peer: Peer, commitments: list[tuple[int, str]]) -> None:
    """The log told again with other commitments, chained and signed as if they were true."""
    peer.lines = peer.lines[:2]
    for player, commitment in commitments:
        peer.add("seed_commitment", player=player, commitment=commitment)
    peer.sign()


def own_missing(peer: Peer) -> None:
    retold(peer, [(1, OTHER_COMMITMENT), (0, "c" * 64)])


def own_under_the_others_name(peer: Peer) -> None:
    retold(peer, [(1, peer.committed[0]), (0, OTHER_COMMITMENT)])


def other_missing(peer: Peer) -> None:
    retold(peer, [(0, peer.committed[0]), (0, peer.committed[0])])


def mirrored(peer: Peer) -> None:
    retold(peer, [(0, peer.committed[0]), (1, peer.committed[0])])


def mirrored_by_the_service(peer: Peer) -> None:
    retold(peer, [(0, peer.committed[0]), (1, json.loads(peer.lines[0])["commitment"])])


def receipt_unsigned(peer: Peer) -> None:
    peer.lines[4] = changed(peer.lines[4], sig="0" * 128)


def receipt_signed_over_the_opening(peer: Peer) -> None:
    sig = peer.signature(0, sha(peer.lines[0]))
    peer.lines[4] = changed(peer.lines[4], seq=0, head=sha(peer.lines[0]), sig=sig)


def commitment_changed_after_signing(peer: Peer) -> None:
    peer.lines[3] = changed(peer.lines[3], commitment="d" * 64)


def another_key(peer: Peer) -> None:
    peer.key = Ed25519PrivateKey.generate()
    told = [(0, peer.committed[0]), (1, OTHER_COMMITMENT)]
    peer.open()
    retold(peer, told)


def opened_again_at_another_time(peer: Peer) -> None:
    peer.lines = [changed(peer.lines[0], time="2026-01-02T03:04:06.000Z")]
    peer.sign()
    retold(peer, [(0, peer.committed[0]), (1, OTHER_COMMITMENT)])


def no_commitments(peer: Peer) -> None:
    peer.lines = peer.lines[:2]
    for _ in range(3):
        peer.sign()


@pytest.mark.parametrize(
    ("cheat", "code"),
    [
        (own_missing, "own-commitment-missing"),
        (own_under_the_others_name, "own-commitment-missing"),
        (other_missing, "other-commitment-missing"),
        (mirrored, "commitments-equal"),
        (mirrored_by_the_service, "commitments-equal"),
        (receipt_unsigned, "signature-wrong"),
        (receipt_signed_over_the_opening, "signature-wrong"),
        (commitment_changed_after_signing, "chain-broken"),
        (another_key, "key-differs"),
        (opened_again_at_another_time, "opening-changed"),
        (unsigned, "opening-changed"),
        (no_commitments, "receipt-malformed"),
    ],
)
def test_a_false_receipt_is_refused_and_the_seed_stays_closed(
    peer: Peer, tmp_path: Path, cheat: Callable[[Peer], None], code: str
) -> None:
    mine = device(peer, tmp_path)
    mine.commit()
    other(peer)
    cheat(peer)
    with pytest.raises(DishonestError) as error:
        mine.keep_receipt()
    assert error.value.code == code
    assert not mine.receipt_file.exists()
    with pytest.raises(DeviceError, match="receipt-missing"):
        mine.open_seed()
    assert peer.seeds == {}


def test_a_service_that_changes_its_signed_commitment_hands_over_the_proof(
    peer: Peer, tmp_path: Path
) -> None:
    mine = device(peer, tmp_path)
    mine.commit()
    other(peer)
    opening, told = peer.file(2), [(0, mine.commitment), (1, OTHER_COMMITMENT)]
    peer.secret = "f0" * 31 + "00"
    peer.open()
    retold(peer, told)
    with pytest.raises(ContradictionError) as error:
        mine.keep_receipt()
    assert error.value.code == "commitment-changed"
    assert (error.value.first, error.value.second) == (opening, peer.file(2))
    assert check_proof(read_proof(mine.fraud_file.read_bytes())) == ""


def false_roll(peer: Peer, seq: int, **fields: object) -> bytes:
    """A roll's receipt that the service signs though it is not in the log."""
    line = {
        "type": "roll",
        "prev": sha(peer.lines[-1]),
        "time": TIME,
        "index": 0,
        "purpose": "turn",
        "player": None,
        "dice": [6, 6],
        **fields,
    }
    return text_of(peer.receipt_of(seq, text_of(line)))


def test_two_receipts_for_one_roll_are_raised_with_both_and_kept_as_proof(
    peer: Peer, tmp_path: Path
) -> None:
    mine = ready(peer, tmp_path)
    true = handed_on(peer, 0)
    mine.keep_roll(true)
    mine.keep_roll(true)  # the same again is no contradiction
    false = false_roll(peer, 7, time="2026-01-02T03:04:06.000Z")
    with pytest.raises(ContradictionError) as error:
        mine.keep_roll(false)
    assert error.value.code == "receipt-contradiction"
    assert (error.value.first, error.value.second) == (true + b"\n", false + b"\n")
    proof = read_proof(mine.fraud_file.read_bytes())
    assert (proof.public_key, check_proof(proof)) == (peer.public_key, "")
    assert [roll.index for roll in mine.rolls] == [0]


@pytest.mark.parametrize(
    ("seq", "fields", "code"),
    [
        (8, {"index": 0}, "roll-order"),  # roll 0 twice, at two places
        (9, {"index": 0}, "roll-order"),
        (8, {"index": 1, "prev": "a" * 64}, "chain-broken"),  # a roll before it was left out
    ],
)
def test_a_receipt_that_cannot_stand_beside_another_is_a_contradiction(
    peer: Peer, tmp_path: Path, seq: int, fields: dict[str, Any], code: str
) -> None:
    mine = ready(peer, tmp_path)
    mine.keep_roll(handed_on(peer, 0))
    with pytest.raises(ContradictionError) as error:
        mine.keep_roll(false_roll(peer, seq, **fields))
    assert error.value.code == code
    assert mine.contradiction_file.read_bytes() == error.value.first + error.value.second


def test_receipts_may_come_late_and_in_any_order(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    receipts = [handed_on(peer, index) for index in range(4)]
    for index in (2, 0, 3, 1, 2):
        mine.keep_roll(receipts[index])
    assert [roll.index for roll in mine.rolls] == [0, 1, 2, 3]
    assert [roll.index for roll in device(peer, tmp_path).rolls] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("sig", "0" * 128, "signature-wrong"),
        ("head", "0" * 64, "head-differs"),
        ("key_id", "0" * 16, "key-differs"),
        ("match_id", "m-2", "match-differs"),
        ("seq", "7", "receipt-malformed"),
    ],
)
def test_a_roll_that_is_not_signed_is_not_kept(
    peer: Peer, tmp_path: Path, field: str, value: object, code: str
) -> None:
    mine = ready(peer, tmp_path)
    with pytest.raises(DishonestError) as error:
        mine.keep_roll(changed(handed_on(peer, 0), **{field: value}))
    assert (error.value.code, mine.rolls) == (code, ())


def test_a_roll_receipt_is_an_object_of_the_protocol(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    answer = peer.roll(0)["receipt"]
    fields = {name: value for name, value in answer.items() if name != "type"}
    assert mine.keep_roll(RollReceipt(**fields)).index == 0


def test_a_log_that_is_rewritten_under_way_is_noticed(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    peer.roll(0)
    mine.follow()
    before = peer.file()
    peer.roll(1)
    mine.follow()  # it may grow
    peer.lines[7] = changed(peer.lines[7], dice=[6, 6])
    peer.lines[8] = changed(peer.lines[8], prev=sha(peer.lines[7]))
    with pytest.raises(ContradictionError) as error:
        mine.follow()
    assert error.value.code == "log-rewritten"
    assert error.value.first.startswith(before)
    assert error.value.second == peer.file()


def test_a_log_that_differs_from_a_receipt_is_noticed(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    mine.keep_roll(handed_on(peer, 0))
    peer.lines[7] = changed(peer.lines[7], time="2026-01-02T03:04:06.000Z")
    with pytest.raises(DishonestError) as error:
        mine.follow()
    assert error.value.code == "receipt-differs"


def test_false_dice_are_found_at_the_end_and_proved_if_signed(peer: Peer, tmp_path: Path) -> None:
    mine = ready(peer, tmp_path)
    mine.keep_roll(handed_on(peer, 0))
    dice = json.loads(peer.lines[7])["dice"]
    peer.lines[7] = changed(peer.lines[7], dice=[7 - die for die in dice])
    peer.put(["end"], {})
    report = mine.verify(peer.file())
    assert (report.verdict, report.failed_rolls) == (Verdict.FAILED, (0,))
    assert check_proof(read_proof(mine.fraud_file.read_bytes())) == ""


def test_a_log_that_cannot_be_read_is_an_error_of_the_sdk(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(DeviceError):
        ready(peer, tmp_path).verify(b"")


def test_neither_the_device_nor_its_state_shows_the_seed(peer: Peer, tmp_path: Path) -> None:
    mine = device(peer, tmp_path)
    assert mine.seed not in repr(mine) + repr(mine._state) + str(vars(mine))
