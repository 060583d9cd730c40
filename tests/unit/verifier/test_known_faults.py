"""Faults that other fair-dice systems shipped: each played here, each refused or right."""

import collections
import hashlib
import socket
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.honest import MATCH_IDS, SEEDS
from tests.support.scribe import PLAYER_SEEDS, SERVER_SEED, Scribe, honest, sha256
from tests.vectors.source.case import changed, joined
from verifier import InputError, Report, Verdict, dice, events, roll, verify_log
from verifier.seeds import parse_seed


def _codes(report: Report) -> set[str]:
    return {failure.code for failure in report.failures}


def test_mirrored_commitment() -> None:
    mirrored = Scribe(seeds=(PLAYER_SEEDS[0], PLAYER_SEEDS[0])).open().roll().end()
    assert _codes(verify_log(mirrored.data)) == {"commitments-equal"}


@pytest.mark.parametrize("byte", [0, 1, 0x30, 0xFF])
def test_constant_client_seed(byte: int) -> None:
    constant = honest(2, seeds=(bytes([byte]) * 32, PLAYER_SEEDS[1]))
    assert "field-value" in _codes(verify_log(constant.data))


def test_fallback_client_seed_supplied_by_the_server() -> None:
    log = changed(honest(2), 5, PLAYER_SEEDS[0].hex(), "fallback")
    report = verify_log(log)
    assert (report.failures[0].code, report.failures[0].field) == ("field-value", "seed")
    fallback = Scribe().sign().commit(0).commit(1).sign().seed(0)
    fallback.seeds = (PLAYER_SEEDS[0], hashlib.sha256(b"fallback").digest())
    assert _codes(verify_log(fallback.seed(1).roll().end().data)) == {"seed-mismatch"}


def test_one_player_opens_for_both() -> None:
    for player in (0, 1):
        scribe = Scribe().sign().commit(0).commit(1).sign().seed(player).seed(player)
        assert _codes(verify_log(scribe.data)) == {"player-twice"}


def test_commitment_taken_from_the_very_report_being_checked() -> None:
    """A log that agrees with itself was perhaps written after the match: never VERIFIED."""
    assert verify_log(honest(5).data).verdict == Verdict.CONSISTENT


def test_verify_asks_nobody_for_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the verifier opened a connection")

    monkeypatch.setattr(socket, "socket", refuse)
    assert verify_log(honest(3).data).verdict == Verdict.CONSISTENT


def test_an_empty_roll_list_that_verifies() -> None:
    report = verify_log(honest(0).data)
    assert (report.verdict, report.why) == (Verdict.CONSISTENT, "no-rolls")
    assert report.rolls == 0


def test_a_cut_log_that_verifies() -> None:
    lines = honest(3).lines
    for count in range(1, len(lines)):
        assert verify_log(joined(lines[:count])).verdict == Verdict.INCOMPLETE


def test_upper_case_hex_accepted_by_one_layer_and_refused_by_the_next() -> None:
    with pytest.raises(InputError):
        parse_seed(SERVER_SEED.hex().upper())
    log = changed(honest(2), 10, SERVER_SEED.hex(), SERVER_SEED.hex().upper())
    assert verify_log(log).failures[0].field == "server_seed"


@given(
    MATCH_IDS, MATCH_IDS, st.lists(SEEDS, min_size=4, max_size=4), st.integers(0, 10**6), st.data()
)
@settings(max_examples=200, deadline=None)
def test_delimiter_collision(
    one: str, two: str, seeds: list[bytes], index: int, data: st.DataObject
) -> None:
    """No two rolls are one message: a message can be taken apart again in one way."""
    other = data.draw(st.integers(0, 10**6) | st.just(index))
    hexes = [seed.hex() for seed in seeds]
    first = (one, hexes[0], hexes[1], index, 0)
    second = (data.draw(st.sampled_from((one, two))), hexes[2], hexes[3], other, 0)
    assert dice.message(*first).split(":") == ["zarf/1", "roll", *map(str, first)]
    assert (dice.message(*first) == dice.message(*second)) == (first == second)


def test_modulo_bias_and_die_face_6_turned_into_0() -> None:
    """Of all pairs of bytes every face comes up as often as every other, and none is 0."""
    faces = collections.Counter(dice.dice_of_bytes(bytes([byte]), 1)[0][0] for byte in range(252))
    assert faces == dict.fromkeys(range(1, 7), 42)
    for byte in range(252, 256):
        assert dice.dice_of_bytes(bytes([byte]), 1) == ([], [], [0])


def test_off_by_one_of_the_roll_number_between_server_and_verifier() -> None:
    shifted = Scribe().open()
    for index in range(5):
        shifted.roll(shifted.dice(index + 1))
    report = verify_log(shifted.end().data)
    assert _codes(report) == {"dice-mismatch"}
    assert set(report.failed_rolls) == {
        n for n in range(5) if Scribe().dice(n) != Scribe().dice(n + 1)
    }


def test_dice_from_time_or_tick() -> None:
    ticking = Scribe().open()
    for index in range(6):
        ticking.roll((index % 6 + 1, index % 6 + 1))
    report = verify_log(ticking.end().data)
    wrong = {n for n in range(6) if Scribe().dice(n) != (n % 6 + 1, n % 6 + 1)}
    assert set(report.failed_rolls) == wrong


def test_16_byte_seeds_documented_as_256_bits() -> None:
    with pytest.raises(InputError):
        parse_seed(SERVER_SEED.hex()[:32])
    for seq, seed in ((5, PLAYER_SEEDS[0].hex()), (10, SERVER_SEED.hex())):
        assert (
            verify_log(changed(honest(2), seq, seed, seed[:32])).failures[0].code == "field-value"
        )


def test_hashed_as_hex_text_by_one_side_and_as_bytes_by_the_other() -> None:
    text = Scribe(commitment=sha256(SERVER_SEED.hex().encode())).open().roll().end()
    assert _codes(verify_log(text.data)) == {"server-seed-mismatch"}


def test_re_roll_double_click_or_nonce_reuse_after_restart() -> None:
    twice = Scribe().open().roll().roll().roll(index=1)
    assert _codes(verify_log(twice.end().data)) == {"roll-index"}


def test_dice_server_answering_html_that_a_client_parses_anyway() -> None:
    for page in (b"<html>502 Bad Gateway</html>\n", b"<html>\n<body>\n</body>\n</html>\n"):
        with pytest.raises(InputError) as refused:
            verify_log(page)
        assert refused.value.code == "file-not-a-log"


@pytest.mark.parametrize(
    "labels",
    [
        ("Ali Veli", "  "),
        ('"quoted"', "back\\slash"),
        ("\u05d0\u05d1\u202e", "\u0627\u0644"),
        ("İıŞşĞğ", "\U0001f3b2\u200d\U0001f3b2"),
        ("\u2028", "\u2029"),
        ("%s{0}$(x)", "../../etc"),
    ],
)
def test_players_names_with_spaces_quotes_right_to_left_or_non_ascii(
    labels: tuple[str, str],
) -> None:
    report = verify_log(honest(2, players=labels).data)
    assert (report.verdict, report.players) == (Verdict.CONSISTENT, labels)


@pytest.mark.parametrize("label", ["a\tb", "a\nb", "a\n", "\x1b[2J", "\x00", "\x9b2J", ""])
def test_players_names_with_tabs_line_ends_or_terminal_commands(label: str) -> None:
    scribe = honest(2, players=(label, "Bora"))
    first = verify_log(scribe.data).failures[0]
    assert (first.code, first.seq, first.field) == ("field-value", 0, "players")


@pytest.mark.parametrize("seq", [0, 2, 3])
def test_users_paste_the_hash_instead_of_the_seed(seq: int) -> None:
    event = Scribe().open().lines[seq].decode()
    commitment = event[event.index('"commitment":"') + 14 :][:64]
    with pytest.raises(InputError) as refused:
        verify_log(honest(2).data, my_seed=commitment)
    assert refused.value.code == "seed-is-commitment"


def test_a_player_who_did_not_open_is_not_told_that_the_seed_was_replaced() -> None:
    scribe = Scribe().sign().commit(0).commit(1).sign().seed(0).end("abort")
    report = verify_log(scribe.data, my_seed=PLAYER_SEEDS[1].hex())
    assert report.verdict == Verdict.CONSISTENT
    assert {c.name: c.why for c in report.checks}["my_seed"] == "seeds-not-open"
    opened = verify_log(scribe.data, my_seed=PLAYER_SEEDS[0].hex())
    assert {c.name: str(c.status) for c in opened.checks}["my_seed"] == "passed"


def test_the_public_roll_is_the_formula() -> None:
    seed_0, seed_1 = (seed.hex() for seed in PLAYER_SEEDS)
    for index in range(30):
        dice_found = roll(SERVER_SEED, "test-match-1", seed_0, seed_1, index)
        assert dice_found == Scribe().dice(index)


def test_without_a_match_line_nothing_else_is_claimed() -> None:
    report = verify_log(joined(honest(2).lines[1:]))
    assert report.failures[0].code == "event-out-of-place"
    unmade = {check.name for check in report.checks if check.why == "no-match-line"}
    assert {"commitment", "dice", "signatures", "receipt"} <= unmade
    assert events.PROTOCOL == "zarf/1"
