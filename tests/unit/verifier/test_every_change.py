"""Every changed byte, every deleted, swapped or repeated line of a log is caught, and named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.honest import matches
from tests.support.scribe import Scribe, honest
from tests.vectors.source.case import joined
from verifier import InputError, Report, Verdict, verify_log

SMALL = honest(1)
SMALL_DIRECT = honest(1, seeding="direct", players=("شيش", "\U0001f3b2"))
LONG = honest(60)
CAUGHT = (Verdict.FAILED, Verdict.INCOMPLETE)


def line_at(data: bytes, at: int) -> int:
    """The number of the line, from 0, that holds the byte; its line end belongs to it."""
    return data.count(b"\n", 0, at)


def change_is_caught(data: bytes, at: int, byte: int) -> None:
    changed = data[:at] + bytes([byte]) + data[at + 1 :]
    report = verify_log(changed)
    if at == len(data) - 1:
        assert (report.verdict, report.why) == ("INCOMPLETE", "cut-short")
    else:
        assert report.verdict == Verdict.FAILED, (at, byte)
        assert report.failures[0].seq == line_at(data, at), (at, byte, report.failures)


@pytest.mark.parametrize("scribe", [SMALL, SMALL_DIRECT], ids=["committed", "direct"])
def test_every_byte_of_a_small_log_changed_in_one_bit_is_caught(scribe: Scribe) -> None:
    data = scribe.data
    for at, byte in enumerate(data):
        change_is_caught(data, at, byte ^ 1)


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_byte_of_a_longer_log_changed_to_any_other_is_caught(data: st.DataObject) -> None:
    whole = LONG.data
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    change_is_caught(whole, at, byte)


@given(matches(most_rolls=6), st.data())
@settings(max_examples=200, deadline=None)
def test_any_byte_of_any_honest_log_changed_is_caught(scribe: Scribe, data: st.DataObject) -> None:
    whole = scribe.data
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    change_is_caught(whole, at, byte)


def named(report: Report) -> int | None:
    assert report.verdict in CAUGHT
    return report.failures[0].seq if report.failures else None


@pytest.mark.parametrize("byte", b"X \r\0\x85")
def test_any_line_end_that_is_another_byte_is_caught(byte: int) -> None:
    data = honest(12).data
    for at, found in enumerate(data):
        if found == ord("\n"):
            change_is_caught(data, at, byte)


@pytest.mark.parametrize(
    "time",
    [
        "2026-13-30T18:00:09.000Z",
        "2026-11-00T18:00:09.000Z",
        "2026-11-30T24:00:09.000Z",
        "2026-11-30T18:60:09.000Z",
        "2026-11-30T18:00:60.000Z",
        "2026-11-30 18:00:09.000Z",
        "2026-11-30T18:00:09,000Z",
        "2026-11-30T18:00:09.00aZ",
        "2026-11-30T18:00:09.000z",
        "2o26-11-30T18:00:09.000Z",
    ],
)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_roll_at_no_time_is_caught_in_a_log_that_is_whole_and_signed(
    time: str, place: int
) -> None:
    scribe = Scribe().open()
    for number in range(5):
        scribe.roll()
        if number == place:
            scribe.lines[-1] = scribe.lines[-1].replace(
                b"2026-11-30T18:00:%02d.000Z" % (7 + number), time.encode()
            )
    first = verify_log(scribe.end().data).failures[0]
    assert (first.code, first.seq, first.field) == ("field-value", 7 + place, "time")


SCRIBES = [SMALL, SMALL_DIRECT, honest(0), honest(12), Scribe().sign().commit(1).end("abort")]


@pytest.mark.parametrize("scribe", SCRIBES, ids=["small", "direct", "no rolls", "rolls", "abort"])
def test_every_deleted_line_is_caught_beside_the_gap(scribe: Scribe) -> None:
    lines = scribe.lines
    for seq in range(len(lines)):
        report = verify_log(joined(lines[:seq] + lines[seq + 1 :]))
        if seq == len(lines) - 1:
            assert (report.verdict, report.why) == ("INCOMPLETE", "not-signed")
        else:
            assert named(report) in {max(seq - 1, 0), seq}, seq


@pytest.mark.parametrize("scribe", SCRIBES, ids=["small", "direct", "no rolls", "rolls", "abort"])
def test_every_two_neighbouring_lines_swapped_are_caught_where_they_stand(scribe: Scribe) -> None:
    for seq in range(len(scribe.lines) - 1):
        lines = list(scribe.lines)
        lines[seq], lines[seq + 1] = lines[seq + 1], lines[seq]
        assert named(verify_log(joined(lines))) in {seq, seq + 1}, seq


@given(st.permutations(range(len(LONG.lines))))
@settings(max_examples=60, deadline=None)
def test_lines_in_any_other_order_are_caught(order: list[int]) -> None:
    report = verify_log(joined([LONG.lines[seq] for seq in order]))
    assert report.verdict == (Verdict.FAILED if order != sorted(order) else Verdict.CONSISTENT)


@pytest.mark.parametrize("scribe", SCRIBES, ids=["small", "direct", "no rolls", "rolls", "abort"])
def test_every_repeated_line_is_caught(scribe: Scribe) -> None:
    lines = scribe.lines
    for seq, line in enumerate(lines):
        report = verify_log(joined([*lines[: seq + 1], line, *lines[seq + 1 :]]))
        assert named(report) in {seq, seq + 1}, seq


@pytest.mark.parametrize("scribe", SCRIBES, ids=["small", "direct", "no rolls", "rolls", "abort"])
def test_a_line_of_another_match_in_the_place_of_ours_is_caught(scribe: Scribe) -> None:
    other = honest(12, match_id="another", seeding=scribe.seeding)
    for seq in range(min(len(scribe.lines), len(other.lines)) - 1):
        lines = [*scribe.lines[:seq], other.lines[seq], *scribe.lines[seq + 1 :]]
        assert named(verify_log(joined(lines))) == seq


def test_a_log_cut_at_any_byte_is_incomplete_and_nothing_worse() -> None:
    data = SMALL.data
    whole_line = data.index(b"\n") + 1
    for end in range(1, whole_line):
        with pytest.raises(InputError) as refused:
            verify_log(data[:end])
        assert refused.value.code == "file-not-a-log"
    for end in range(whole_line, len(data)):
        report = verify_log(data[:end])
        assert (report.verdict, report.failures) == (Verdict.INCOMPLETE, ())
