"""Section L: one way to write a line, and nothing that is read makes the verifier stumble."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.honest import EVENTS, matches
from tests.support.scribe import Scribe, honest
from tests.vectors.generate import FOLDER
from verifier import VerifierError, read_receipts, verify_log
from verifier.errors import LineError
from verifier.events import Event, Match, Take
from verifier.fraud import check_proof, encode_proof, read_proof
from verifier.log import MAX_LINE, MAX_LINES, MAX_LOG, decode_line, encode_line
from verifier.receipts import decode_receipt, encode_receipt


def plain(line: bytes) -> bytes:
    """A line as a plain JSON writer writes it: an encoder that is not ours."""
    return json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False).encode()


@given(EVENTS)
@settings(max_examples=600, deadline=None)
def test_l4_what_is_written_is_read_back_and_any_json_writer_writes_the_same(event: Event) -> None:
    line = encode_line(event)
    assert line == plain(line)
    if len(line) <= MAX_LINE:
        assert decode_line(line, 0) == event
        with pytest.raises(LineError):
            decode_line(line + b" ", 0)


@given(EVENTS, st.data())
@settings(max_examples=300, deadline=None)
def test_l4_a_line_written_in_any_other_way_is_refused(event: Event, data: st.DataObject) -> None:
    line = encode_line(event)
    indent = data.draw(st.sampled_from((" ", "\t")))
    value = json.loads(line)
    names = data.draw(st.permutations(list(value)))
    for other in (
        json.dumps(value, indent=indent),
        json.dumps(value),
        json.dumps(
            {name: value[name] for name in names}, separators=(",", ":"), ensure_ascii=False
        ),
    ):
        if other.encode() != line:
            with pytest.raises(LineError):
                decode_line(other.encode(), 0)


@pytest.mark.parametrize("size", [MAX_LINE, MAX_LINE + 1])
def test_l1_a_line_has_at_most_4096_bytes(size: int) -> None:
    need = size - len(Scribe().lines[0]) + 1  # what the options add; the last has no comma
    count = -(-need // 40)  # each is a key of up to 32 characters and 8 bytes more
    lengths = [(need - 8 * count + number) // count for number in range(count)]
    options = {f"{number:03}".ljust(length, "x"): True for number, length in enumerate(lengths)}
    line = Scribe(options=options).lines[0]
    assert len(line) == size
    if size == MAX_LINE:
        event = decode_line(line, 0)
        assert isinstance(event, Match)
        assert event.options == options
    else:
        with pytest.raises(LineError) as refused:
            decode_line(line, 0)
        assert refused.value.failure.code == "line-too-long"


def test_l1_a_log_has_at_most_64_mib() -> None:
    with pytest.raises(VerifierError) as refused:
        verify_log(b"x" * (MAX_LOG + 1))
    assert refused.value.code == "file-too-long"


def test_l1_a_log_has_at_most_524288_lines_so_that_no_file_fills_the_memory() -> None:
    with pytest.raises(VerifierError) as refused:
        verify_log(b"\n" * (MAX_LINES + 1))
    assert refused.value.code == "file-too-long"
    shortest = len(encode_line(Take(prev="0" * 64, time="2026-11-30T18:00:00.000Z", player=0)))
    assert MAX_LOG // (shortest + 1) < MAX_LINES


def _verified_or_refused(data: bytes, receipts: tuple[bytes, ...] = ()) -> None:
    """The fuzz tests' one claim: a report or a VerifierError, never anything else."""
    try:
        report = verify_log(data, [read_receipts(receipt) for receipt in receipts])
    except VerifierError:
        return
    assert json.dumps(report.to_dict(), ensure_ascii=False).encode()
    if report.proof:
        assert check_proof(read_proof(encode_proof(report.proof))) == ""


SOME_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(("type", "prev", "time", "player", "dice")) | st.text(max_size=5),
            inside,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_fuzz_any_bytes_are_reported_or_refused(data: bytes) -> None:
    _verified_or_refused(data)
    _verified_or_refused(honest(1).data + data, (data,))


@given(st.lists(SOME_JSON, min_size=1, max_size=3), st.booleans())
@settings(max_examples=300, deadline=None)
@example([{"type": "roll", "prev": {"a": [[]]}}], True)
@example([{"\ud800": 1, "type": "match"}], True)
def test_fuzz_any_json_is_reported_or_refused(values: list[object], ascii_only: bool) -> None:
    lines = [json.dumps(value, ensure_ascii=ascii_only) for value in values]
    data = "".join(line + "\n" for line in lines).encode(errors="surrogatepass")
    _verified_or_refused(data)
    _verified_or_refused(honest(1).data + data)


@given(st.sampled_from(honest(1).lines), st.text(max_size=3), st.data())
@settings(max_examples=300, deadline=None)
def test_fuzz_a_field_with_any_value_is_reported_or_refused(
    line: bytes, name: str, data: st.DataObject
) -> None:
    value = json.loads(line)
    field = data.draw(st.sampled_from(list(value)) | st.just(name))
    value[field] = data.draw(SOME_JSON)
    text = json.dumps(value, separators=(",", ":"))
    lines = [text.encode() if known == line else known for known in honest(1).lines]
    _verified_or_refused(b"\n".join(lines) + b"\n", (honest(1).opening,))


@given(matches(most_rolls=3), st.data())
@settings(max_examples=300, deadline=None)
def test_fuzz_a_log_and_a_receipt_changed_anywhere_are_reported_or_refused(
    scribe: Scribe, data: st.DataObject
) -> None:
    rolls = [n for n, line in enumerate(scribe.lines) if line.startswith(b'{"type":"roll"')]
    kept = scribe.opening + b"".join(map(scribe.receipt, rolls))
    _verified_or_refused(_mutated(scribe.data, data), (kept,))
    _verified_or_refused(scribe.data, (_mutated(kept, data),))


PROOF = json.loads((FOLDER / "frauds/two_rolls.json").read_text("utf-8"))["proof"].encode()


def _mutated(whole: bytes, data: st.DataObject) -> bytes:
    at = data.draw(st.integers(0, len(whole)))
    until = data.draw(st.integers(at, min(len(whole), at + 4)))
    return whole[:at] + data.draw(st.binary(max_size=4)) + whole[until:]


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_fuzz_a_proof_changed_anywhere_proves_nothing_else(data: st.DataObject) -> None:
    changed = _mutated(PROOF, data)
    try:
        proof = read_proof(changed)
    except VerifierError:
        return
    assert changed == PROOF or check_proof(proof) != ""


def test_r3_a_roll_receipt_is_read_back() -> None:
    line = honest(2).receipt(7)
    assert encode_receipt(decode_receipt(line[:-1])) + b"\n" == line
