"""A dishonest service: it has the key, writes any log it likes, and signs it."""

import hashlib
import hmac
import itertools
from collections.abc import Iterator

import pytest

from tests.cheats.table import Device, answer, caught, devices, play, proved
from tests.support.scribe import OTHER_KEY, PLAYER_SEEDS, SERVER_SEED, Scribe, honest, sha256
from tests.vectors.source.case import joined
from tests.vectors.source.tampering import WEAK_KEY, WEAK_SIGNATURE
from verifier import InputError, Status, Verdict, events, read_receipts, verify_log


def seeds() -> Iterator[bytes]:
    """The seeds that a cheat tries one after the other."""
    return (hashlib.sha256(b"try %d" % number).digest() for number in itertools.count())


def lucky_server_seed(players: tuple[bytes, ...]) -> bytes:
    """A server seed that gives 6-6 to begin with, chosen when the players' seeds are known."""
    return next(s for s in seeds() if Scribe(server_seed=s, seeds=players).dice(0) == (6, 6))


def test_picks_its_seed_after_seeing_the_players_and_writes_the_log_anew() -> None:
    players = devices()
    play(Scribe(), players, rolls=0)
    anew = honest(4, server_seed=lucky_server_seed(PLAYER_SEEDS))
    assert b'"dice":[6,6]' in anew.lines[7]
    assert verify_log(anew.data).verdict == Verdict.CONSISTENT, "alone the log tells nothing"
    for device in players:
        report = device.verify(anew.data)
        caught(report, "receipt-contradiction", 0)
        proved(report)


def test_picks_its_seed_late_and_keeps_the_old_commitment() -> None:
    players = devices()
    service = play(Scribe(), players, rolls=0)
    service.server_seed = lucky_server_seed(PLAYER_SEEDS)
    report = players[0].verify(service.roll().end().data)
    caught(report, "server-seed-mismatch", 9, "server_seed")
    assert report.rolls == 0, "no roll counts as checked with a seed that was not sealed"


def test_together_with_a_player_chooses_that_players_seed_late() -> None:
    victim = Device(0)
    play(Scribe(), (victim,), rolls=0)
    chosen = next(s for s in seeds() if Scribe(seeds=(PLAYER_SEEDS[0], s)).dice(0) == (1, 1))
    anew = honest(4, seeds=(PLAYER_SEEDS[0], chosen))
    report = victim.verify(anew.data)
    caught(report, "receipt-contradiction", 3)
    proved(report)


def test_together_with_a_player_opens_another_seed_than_committed() -> None:
    victim = Device(0)
    service = play(Scribe(), (victim,), rolls=0)
    del service.lines[-1]
    service.seeds = (PLAYER_SEEDS[0], next(seeds()))
    report = victim.verify(service.seed(1).roll().end().data)
    caught(report, "seed-mismatch", 6, "seed")


def test_in_direct_seeding_the_last_seed_may_be_chosen_and_the_report_says_so() -> None:
    chosen = next(
        s for s in seeds() if Scribe(seeding="direct", seeds=(PLAYER_SEEDS[0], s)).dice(0) == (6, 6)
    )
    victim = Device(0)
    service = play(Scribe(seeding="direct", seeds=(PLAYER_SEEDS[0], chosen)), (victim,))
    report = victim.verify(service.end().data)
    assert (report.verdict, report.why) == (Verdict.CONSISTENT, "direct-seeding")
    assert not report.anchored
    [check] = [check for check in report.checks if check.name == "player_seeds"]
    assert (check.status, check.why) == (Status.NOT_CHECKED, "direct-seeding")


def test_shows_a_false_commitment_of_the_other_and_takes_the_opened_seed() -> None:
    victim = Device(0)
    shown = Scribe(seeds=(PLAYER_SEEDS[0], next(seeds()))).sign().commit(0).commit(1).sign()
    opened = victim.see_opening(shown.opening)
    chosen = next(s for s in seeds() if Scribe(seeds=(opened, s)).dice(0) == (2, 1))
    report = victim.verify(honest(3, seeds=(opened, chosen)).data)
    caught(report, "receipt-contradiction", 3)
    proved(report)


def test_hands_out_an_opening_receipt_without_the_second_signature() -> None:
    shown = Scribe().sign().commit(0).commit(1)
    for opening in (joined(shown.lines), joined(shown.lines[:2])):
        with pytest.raises(InputError):
            Device(0).see_opening(opening)


def test_shows_two_players_two_logs() -> None:
    zero, one = devices()
    for_zero = play(Scribe(), (zero,)).end()
    for_one = play(Scribe(server_seed=next(seeds())), (one,)).end()
    assert zero.verify(for_zero.data).verdict == Verdict.VERIFIED
    assert one.verify(for_one.data).verdict == Verdict.VERIFIED
    both = [read_receipts(zero.file), read_receipts(one.file)]
    for log in (for_zero.data, for_one.data):
        report = verify_log(log, both)
        caught(report, "receipt-contradiction", 0)
        proved(report)


def test_shows_two_players_two_rolls_of_one_number() -> None:
    zero, one = devices()
    service = play(Scribe(), (zero, one), rolls=2)
    other = play(Scribe(), (), rolls=2)
    answer(service.roll(), (zero,))
    answer(other.roll(purpose="opening"), (one,))
    report = verify_log(service.end().data, [read_receipts(zero.file), read_receipts(one.file)])
    caught(report, "receipt-contradiction", 9)
    proved(report)


def test_rolls_in_private_and_drops_a_roll_that_it_dislikes() -> None:
    players = devices()
    play(Scribe(), players, rolls=4)
    service = play(Scribe(), (), rolls=3).roll(Scribe().dice(4))
    report = players[0].verify(service.end().data)
    caught(report, "dice-mismatch", 10, "dice")
    assert report.failed_rolls == (3,)
    assert any(failure.code == "receipt-contradiction" for failure in report.failures)


def test_skips_an_index_whose_dice_it_dislikes() -> None:
    service = play(Scribe(), (), rolls=3).roll(index=4)
    caught(verify_log(service.end().data), "roll-index", 10, "index")


@pytest.mark.parametrize("kept", [5, 4])
def test_drops_the_last_rolls_and_ends_the_match_early(kept: int) -> None:
    players = devices()
    play(Scribe(), players, rolls=6)
    report = players[1].verify(play(Scribe(), (), rolls=kept).end().data)
    caught(report, "receipt-contradiction", 7 + kept)
    proved(report)


def test_drops_three_rolls_of_which_only_the_last_was_kept() -> None:
    device = Device(0)
    play(Scribe(), (device,), rolls=6)
    device.kept, device.rolls = b"", device.rolls[-1:]
    report = device.verify(play(Scribe(), (), rolls=3).end().data)
    caught(report, "receipt-contradiction", 12)
    proved(report)


def test_rolls_on_after_the_reveal() -> None:
    device = Device(0)
    service = play(Scribe(), (device,)).end()
    longer = play(Scribe(), (), rolls=9)
    device.see_roll(longer.receipt(len(longer.lines) - 1))
    report = device.verify(service.data)
    caught(report, "receipt-contradiction", len(service.lines) - 1)
    proved(report)


def test_withholds_the_reveal() -> None:
    players = devices()
    service = play(Scribe(), players)
    report = players[0].verify(service.data)
    assert (report.verdict, report.why) == (Verdict.INCOMPLETE, "not-ended")
    service.add(events.MatchEnd, winner=1, reason="abandon", score=None)
    report = players[0].verify(service.data)
    assert (report.verdict, report.why, report.rolls) == (Verdict.INCOMPLETE, "not-revealed", 0)


def test_reveals_a_seed_of_32_equal_bytes() -> None:
    constant = honest(3, server_seed=b"\x07" * 32)
    caught(verify_log(constant.data), "field-value", 11, "server_seed")


def test_opens_many_matches_under_one_id_and_keeps_the_good_one() -> None:
    device = Device(0)
    openings = []
    for seed in itertools.islice(seeds(), 5):
        device.see_opening(Scribe(server_seed=seed).sign().commit(0).commit(1).sign().opening)
        openings.append(device.kept)
    good = play(Scribe(server_seed=SERVER_SEED), (device,)).end()
    assert device.verify(good.data).verdict == Verdict.VERIFIED
    for opening in openings:
        report = verify_log(good.data, [read_receipts(device.file), read_receipts(opening)])
        caught(report, "receipt-contradiction", 0)
        proved(report)


def test_uses_a_fallback_seed_for_a_player_who_does_not_open() -> None:
    device = Device(0)
    service = play(Scribe(), (device,), rolls=0)
    del service.lines[-1]
    fallback = hashlib.sha256(b"fallback").digest()
    service.seeds = (PLAYER_SEEDS[0], fallback)
    caught(device.verify(service.seed(1).roll().end().data), "seed-mismatch", 6, "seed")


def test_mirrors_a_players_commitment() -> None:
    service = Scribe(commitment=sha256(PLAYER_SEEDS[0]), server_seed=PLAYER_SEEDS[0])
    caught(verify_log(service.open().roll().end().data), "commitments-equal", 2, "commitment")


def biased(index: int) -> tuple[int, int]:
    """The first two bytes of the digest, modulo 6, with none skipped."""
    text = f"zarf/1:roll:test-match-1:{PLAYER_SEEDS[0].hex()}:{PLAYER_SEEDS[1].hex()}:{index}:0"
    digest = hmac.new(SERVER_SEED, text.encode(), "sha256").digest()
    return digest[0] % 6 + 1, digest[1] % 6 + 1


def test_takes_bytes_of_252_and_more_modulo_6() -> None:
    device = Device(0)
    service = play(Scribe(), (device,), rolls=0)
    for index in range(150):
        answer(service.roll(biased(index)), (device,))
    report = device.verify(service.end().data)
    wrong = tuple(index for index in range(150) if biased(index) != service.dice(index))
    assert wrong, "somewhere in 300 bytes there is one to skip"
    caught(report, "dice-mismatch", 7 + wrong[0], "dice")
    assert report.failed_rolls == wrong
    assert {failure.code for failure in report.failures} == {"dice-mismatch"}


def test_makes_dice_of_the_time() -> None:
    device = Device(0)
    service = play(Scribe(), (device,), rolls=0)
    for second in range(6):
        answer(service.roll((second % 6 + 1, (second + 3) % 6 + 1)), (device,))
    report = device.verify(service.end().data)
    assert len(report.failed_rolls) >= 5
    assert report.verdict == Verdict.FAILED


def test_signs_the_log_with_a_new_key_to_disown_the_receipts() -> None:
    device = Device(0)
    play(Scribe(), (device,), rolls=2)
    anew = honest(2, key=OTHER_KEY)
    caught(device.verify(anew.data), "receipt-other-key", 0, "public_key")
    known = Scribe().public_key.hex()
    caught(verify_log(anew.data, key=known), "key-other", 0, "public_key")


def test_publishes_a_key_under_which_anyone_can_sign_to_disown_all_it_signed() -> None:
    key_id = hashlib.sha256(bytes.fromhex(WEAK_KEY)).hexdigest()[:16]
    service = Scribe(public_key=WEAK_KEY, key_id=key_id)
    service.add(
        events.SignatureLine,
        time="2026-11-30T18:00:00.000Z",
        seq=0,
        head=service.head,
        key_id=key_id,
        sig=WEAK_SIGNATURE,
    )
    caught(verify_log(service.data), "signature-invalid", 1, "sig")


def test_aborts_when_the_dice_displease_it_and_the_report_says_abort() -> None:
    device = Device(0)
    report = device.verify(play(Scribe(), (device,)).end("abort").data)
    assert (report.verdict, report.reason) == (Verdict.VERIFIED, "abort")
