"""Whatever a file holds, it is read or refused by an `InputError` that names a line; never more."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.formats.vectors import VECTORS
from verifier.commands.console import STANDARD
from verifier.commands.matchfiles import read
from verifier.errors import InputError
from verifier.formats import mat, mat_writing, sgf
from verifier.formats.faults import FAULTS
from verifier.formats.replay import replay
from verifier.formats.steps import spelled_out
from verifier.rules.messages import MESSAGES

FILES = [path.read_bytes() for path in sorted(VECTORS.glob("*.[ms][ag][tf]"))]
WORDS = [
    *(" Game 1", " A : 0   B : 0", "  1) ", "31: 8/5 6/5", " 3 point match", "      Wins 1 point"),
    *(" Doubles => 2", " Takes", " Drops", " Losses 2 point", "????", "Cannot Move", "(2)", "*"),
    *("bar/24", "6/off", " and the match", ";", "#", '; [Player 1 ""]', "\n", "\r\n", "  2) 66:"),
    *("(", ")", ";W[", "]", "double", "take", "31hefe", "RE[W+1R]", "RU[Crawford]", "PL[W]DI[31]"),
    *("GM[6]", "MI[length:3]", "[game:0][ws:0][bs:0]", "\\", "[", "PW[a]", "99999999999999999999"),
]


def judge(data: bytes) -> None:
    """Read and replay, and hold what comes out to what is promised."""
    try:
        transcript = read(data)
    except InputError as error:
        refused(error, "match-", "sgf-", "file-")
        return
    replayed = replay(transcript, *STANDARD)
    assert {fault.code for fault in replayed.faults} <= {*FAULTS, *MESSAGES}
    assert 0 <= replayed.judged <= transcript.rolls
    lines = data.count(b"\n") + 1
    assert all(0 <= fault.line <= lines for fault in replayed.faults)
    try:
        plain = spelled_out(replayed)
    except InputError as error:
        refused(error, "match-not-legal")
        return
    # What was written can be read, with as many games and rolls.
    for again in (mat.read(mat_writing.write(plain)), sgf.read(sgf.write(plain))):
        assert (len(again.games), again.rolls) == (len(plain.games), plain.rolls)


def refused(error: InputError, *codes: str) -> None:
    assert str(error)
    assert error.code.startswith(codes)


@given(st.binary(max_size=400))
def test_bytes(data: bytes) -> None:
    judge(data)


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from(["", "\n", " "]))
def test_words_of_the_formats_in_any_order(words: list[str], between: str) -> None:
    judge(between.join(words).encode())


@settings(max_examples=2000, deadline=None)
@given(st.sampled_from(FILES), st.randoms(use_true_random=False), st.integers(1, 6))
def test_real_files_with_lines_and_bytes_changed(
    data: bytes, chance: random.Random, changes: int
) -> None:
    judge(mutated(data, chance, changes))


def mutated(data: bytes, chance: random.Random, changes: int) -> bytes:
    """The data with some lines or bytes dropped, doubled, swapped or replaced."""
    for _ in range(changes):
        if chance.random() < 0.5:
            lines = data.split(b"\n")
            at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
            change = chance.randrange(3)
            if change == 0:
                del lines[at]
            elif change == 1:
                lines.insert(to, lines[at])
            else:
                lines[at], lines[to] = lines[to], lines[at]
            data = b"\n".join(lines)
        elif data:
            at = chance.randrange(len(data))
            word = chance.choice([chance.choice(WORDS).encode(), bytes([chance.randrange(256)])])
            data = data[:at] + word + data[at + chance.randrange(3) :]
    return data


def test_a_hostile_line_costs_no_more_than_it_is_long() -> None:
    """Nothing in the grammar goes back and forth over a long line."""
    for text in (
        " : 0 " * 200,
        " 1) " * 200,
        "  1) 31: " + "8/5 " * 200,
        "; [" + "x " * 5000,
        "(;" + "A[" * 5000,
        "(;GM[6]MI" + "[a:b]" * 5000 + ")",
        "(;GM[" + "\\" * 20001 + "])",
    ):
        judge(f" 3 point match\n Game 1\n{text}\n".encode())
        judge(text.encode())
