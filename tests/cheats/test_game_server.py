"""A dishonest game server, or a player: no key of the service's, but the log passes its hands."""

import json

import pytest

from tests.cheats.table import Device, caught, devices, play
from tests.support.scribe import OTHER_KEY, PLAYER_SEEDS, Scribe, honest, sha256
from tests.vectors.source.case import joined
from verifier import InputError, Verdict, verify_log


def rechained(lines: list[bytes], start: int) -> bytes:
    """The log with every ``prev`` from a line on made to fit again, and no signature renewed."""
    fitted = lines[:start]
    for line in lines[start:]:
        event = json.loads(line) | {"prev": sha256(fitted[-1])}
        fitted.append(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode())
    return joined(fitted)


def test_replaces_one_players_seed_by_its_own() -> None:
    own = bytes(reversed(PLAYER_SEEDS[1]))
    service = Scribe(seeds=(PLAYER_SEEDS[0], own))
    log = service.open().roll().end().data
    assert verify_log(log).verdict == Verdict.CONSISTENT
    caught(verify_log(log, my_seed=PLAYER_SEEDS[1].hex()), "my-seed-absent", 5, "seed")
    with pytest.raises(AssertionError, match="my commitment"):
        Device(1).see_opening(service.opening)


def test_opens_for_both_players() -> None:
    both = tuple(bytes(reversed(seed)) for seed in PLAYER_SEEDS)
    log = honest(2, seeds=both).data
    for seed in PLAYER_SEEDS:
        caught(verify_log(log, my_seed=seed.hex()), "my-seed-absent", 5, "seed")


@pytest.mark.parametrize("seeding", ["committed", "direct"])
def test_changes_a_die_after_the_match(seeding: str) -> None:
    players = devices()
    service = play(Scribe(seeding=seeding), players).end()
    seq = len(service.lines) - 4
    line = service.lines[seq]
    die = line[-5:-4]
    lines = list(service.lines)
    lines[seq] = line[:-5] + (b"1" if die != b"1" else b"2") + line[-4:]
    report = players[0].verify(joined(lines))
    caught(report, "dice-mismatch", seq, "dice")
    assert {"prev-mismatch", "receipt-differs"} <= {failure.code for failure in report.failures}
    chained = verify_log(rechained(lines, seq))
    assert "signature-head" in {failure.code for failure in chained.failures}


def test_changes_a_label_and_chains_the_log_anew() -> None:
    service = play(Scribe(), ()).end()
    lines = [service.lines[0].replace("Ayşe".encode(), b"Cem"), *service.lines[1:]]
    caught(verify_log(rechained(lines, 1)), "signature-head", 1, "head")


def test_chains_and_signs_a_changed_log_with_a_key_of_its_own() -> None:
    players = devices()
    play(Scribe(), players)
    forged = honest(4, key=OTHER_KEY, players=("Ayşe", "Cem"))
    caught(players[0].verify(forged.data), "receipt-other-key", 0, "public_key")


def test_cuts_the_log_before_the_rolls_that_it_lost_by() -> None:
    players = devices()
    service = play(Scribe(), players, rolls=6).end()
    for lines in range(5, len(service.lines)):
        report = players[0].verify(joined(service.lines[:lines]))
        assert report.verdict == Verdict.INCOMPLETE
        assert report.why in {"not-ended", "not-revealed", "not-signed"}


def test_cuts_a_roll_out_of_the_middle() -> None:
    players = devices()
    service = play(Scribe(), players, rolls=6).end()
    lines = service.lines[:9] + service.lines[10:]
    caught(players[0].verify(joined(lines)), "prev-mismatch", 8)
    report = players[0].verify(rechained(lines, 9))
    caught(report, "roll-index", 9, "index")


def test_puts_a_roll_in() -> None:
    players = devices()
    service = play(Scribe(), players, rolls=4).end()
    lines = [*service.lines[:9], service.lines[8], *service.lines[9:]]
    caught(players[0].verify(rechained(lines, 9)), "roll-index", 9, "index")


def test_hands_over_an_empty_log() -> None:
    for nothing in (b"", b"not a log"):
        with pytest.raises(InputError):
            verify_log(nothing)


def test_hands_over_a_log_without_rolls() -> None:
    players = devices()
    report = players[0].verify(play(Scribe(), players, rolls=0).end().data)
    assert (report.verdict, report.why) == (Verdict.CONSISTENT, "no-rolls")


def test_hands_over_the_log_of_another_match() -> None:
    players = devices()
    play(Scribe(), players)
    other = honest(4, match_id="a-match-i-won")
    with pytest.raises(InputError) as refused:
        players[0].verify(other.data)
    assert refused.value.code == "receipt-other-match"
    assert "a-match-i-won" in str(refused.value)


def test_asks_twice_for_one_roll_and_shows_the_better() -> None:
    """The dice of a number are one pair: whoever shows two has changed a die."""
    players = devices()
    service = play(Scribe(), players, rolls=2)
    service.roll(index=2).roll(index=2)
    caught(players[0].verify(service.end().data), "roll-index", 10, "index")


def test_mirrors_the_other_players_commitment() -> None:
    mirrored = Scribe(seeds=(PLAYER_SEEDS[0], PLAYER_SEEDS[0]))
    caught(verify_log(mirrored.open().roll().end().data), "commitments-equal", 3, "commitment")


def test_makes_a_receipt_up_to_accuse_an_honest_service() -> None:
    """A player who lost forges a roll receipt: the service did not sign it; nothing is proved."""
    players = devices()
    log = play(Scribe(), players).end().data
    forged = Scribe().open().roll(purpose="opening")
    forged.key = OTHER_KEY
    players[0].rolls = [forged.receipt(7)]
    report = players[0].verify(log)
    caught(report, "receipt-invalid", 7)
    assert report.proof is None
