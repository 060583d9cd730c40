"""The quick way of reading a log and the slow one come to the same report, whatever the log.

Most of the changes made here are sealed again: every hash and every signature after them is right,
as a service that cheats would have it, so that only what the lines say is wrong.
"""

import json
import random
import re
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.bots import play_out
from tests.support.honest import matches
from tests.support.refereed import MATCHES
from tests.support.scribe import Scribe, honest, sha256
from verifier import InputError, Report, events, verify_log
from verifier.reading import Reading, read_log

LINKED = '"prev":"","time":"2026-11-30T18:00:00.000Z"'
INSERTED = (
    f'{{"type":"double",{LINKED},"player":0}}',
    f'{{"type":"pass_unrolled",{LINKED},"player":1}}',
    f'{{"type":"resign_offer",{LINKED},"player":0,"value":2}}',
    f'{{"type":"match_end",{LINKED},"winner":null,"reason":"abort","score":[0,0]}}',
)
REPLACED = (
    ('"player":0', '"player":1'),
    ('"player":1', '"player":0'),
    ('"player":[01]', '"player":null'),
    ('"player":null', '"player":0'),
    ('"player":.*,"d', '"player":2,"d'),
    ('"turn"', '"Turn"'),
    ('"purpose":"opening"', '"purpose":"turn"'),
    ('"purpose":"turn"', '"purpose":"opening"'),
    ('"auto":false', '"auto":true'),
    ('"auto":true', '"auto":false'),
    ('"index":', '"index":1'),
    (r'"index":\d+', '"index":0'),
    (r'"dice":\[(.),(.)\]', r'"dice":[\2,\1]'),
    (r'"dice":\[.', '"dice":[7'),
    (r'"dice":\[(.),(.)\]', r'"dice":[\1, \2]'),
    ('"moves":"[^"]*"', '"moves":""'),
    ('"moves":"([^" ]*) ([^" ]*)"', r'"moves":"\2 \1"'),
    ('"moves":"([^" ]*) ([^"]*)"', r'"moves":"\1"'),
    ('"moves":"([^"]*)"', r'"moves":"\1 "'),
    (r'"moves":"([^"]*)\*', r'"moves":"\1'),
    ("/(?=[0-9])", "/+"),
    (r"T\d\d:", "T24:"),
    (r"-\d\dT", "-32T"),
    (r":\d\d\.", ":60."),
    (r"\.\d\d\dZ", ".00aZ"),
    (r"\.\d\d\dZ", "Z"),
    ("Z", "\u0665"),
    ("Z", "Z\u00e7"),
    ("}$", " }"),
    ("}$", "}\r"),
    ('"type":"play"', '"type":"roll"'),
    ('"type":"roll"', '"type":"play"'),
    ("^.*$", ""),
    ("^.*$", "\u00e7" * 70_000),
)


@cache
def refereed(seed: int) -> Scribe:
    rules, length, options = MATCHES[seed % len(MATCHES)]
    return play_out(rules, length, seed=seed, options=options)


def sealed(scribe: Scribe, lines: list[bytes], kept: int = 1) -> list[bytes]:
    """The lines, from the one after the first `kept` with hash and signature as they must be."""
    done = lines[:kept]
    for line in lines[kept:]:
        head = sha256(done[-1])
        linked = re.sub(rb'"prev":"[^"]*"', b'"prev":"%b"' % head.encode(), line, count=1)
        if line.startswith(b'{"type":"signature"'):
            seq = len(done) - 1
            signed = {"seq": seq, "head": head, "sig": scribe.signature(seq, head)}
            linked = json.dumps(json.loads(linked) | signed, separators=(",", ":")).encode()
        done.append(linked)
    return done


def whole(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@st.composite
def changed(draw: st.DrawFn, scribes: st.SearchStrategy[Scribe]) -> bytes:
    scribe = draw(scribes)
    lines = list(scribe.lines)
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(("replace", "replace", "replace", "move", "drop", "insert"))):
            case "replace":
                old, new = draw(st.sampled_from(REPLACED))
                fitting = [n for n, line in enumerate(lines) if re.search(old, line.decode())]
                if fitting:
                    at = draw(st.sampled_from(fitting))
                    lines[at] = re.sub(old, new, lines[at].decode(), count=1).encode()
            case "move":
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case "drop":
                del lines[at]
            case "insert":
                lines.insert(at, draw(st.sampled_from(INSERTED)).encode())
    if draw(st.integers(0, 4)):
        lines = sealed(scribe, lines)
    return whole(lines)


@st.composite
def damaged(draw: st.DrawFn, scribes: st.SearchStrategy[Scribe]) -> bytes:
    data = draw(scribes).data
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + draw(st.binary(max_size=2)) + data[at + draw(st.integers(0, 2)) :]


def slowly(data: bytes, *, rewrite: bool = False) -> Reading:
    assert rewrite
    return read_log(data)


def agree(data: bytes) -> Report | None:
    try:
        report = verify_log(data)
    except InputError as refused:
        with pytest.raises(InputError, match=re.escape(str(refused))):
            read_log(data)
        return None
    with patch("verifier.verify.read_log", slowly):
        assert said(report) == said(verify_log(data))
    return report


def said(report: Report) -> tuple[Report, list[object]]:
    """All that a report says; a rule's refusal is an exception, equal to none but itself."""
    rules = [(f.rule.code, f.rule.params) if f.rule else None for f in report.failures]
    failures = tuple(replace(failure, rule=None) for failure in report.failures)
    return replace(report, failures=failures), [*rules]


@cache
def dice_only() -> Scribe:
    scribe = Scribe().open()
    for _ in range(10):
        scribe.roll(purpose="opening").roll().roll(player=0).roll(player=1)
    return scribe.end()


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_of_a_log_with_one_thing_changed_and_all_sealed_again(old: str, new: str) -> None:
    for scribe in (dice_only(), *map(refereed, range(5))):
        fitting = [n for n, line in enumerate(scribe.lines) if re.search(old, line.decode())]
        for at in {*fitting[:1], *fitting[20:22], *fitting[-1:]}:
            lines = list(scribe.lines)
            lines[at] = re.sub(old, new, lines[at].decode(), count=1).encode()
            agree(whole(sealed(scribe, lines)))


@pytest.mark.parametrize("seed", range(40))
def test_of_a_match_with_true_dice_and_one_line_that_was_not_due(seed: int) -> None:
    rules, length, options = MATCHES[seed % len(MATCHES)]
    chance = random.Random(seed)
    at, player = chance.randrange(7, 30), chance.randrange(2)

    def cheat(scribe: Scribe) -> None:
        if len(scribe.lines) == at:
            match seed % 4:
                case 0:
                    scribe.roll(player=player)
                case 1:
                    scribe.roll(purpose="opening")
                case 2:
                    scribe.add(events.Play, player=player, moves="", auto=False)
                case 3:
                    scribe.add(events.Double, player=player)

    scribe = play_out(rules, length, seed=seed, options=options, cheat=cheat)
    agree(scribe.data)


REFEREED = st.integers(0, 13).map(refereed)
DICE_ONLY = matches(most_rolls=12)


@given(changed(REFEREED))
@settings(max_examples=300, deadline=None)
def test_of_a_refereed_log_that_says_something_else(data: bytes) -> None:
    agree(data)


@given(changed(DICE_ONLY))
@settings(max_examples=200, deadline=None)
def test_of_a_dice_only_log_that_says_something_else(data: bytes) -> None:
    agree(data)


@given(damaged(REFEREED | DICE_ONLY))
@settings(max_examples=200, deadline=None)
@example(honest(400).data.replace(b"\n", b"\xff\n", 40))
def test_of_any_log_that_is_damaged(data: bytes) -> None:
    agree(data)


@pytest.mark.parametrize("seed", range(14))
def test_of_an_honest_refereed_log_whose_rolls_and_plays_are_all_written_again(seed: int) -> None:
    scribe = refereed(seed)
    report = agree(scribe.data)
    assert report
    assert (report.verdict, report.rolls) == ("CONSISTENT", scribe.rolled)
    reading = read_log(scribe.data, rewrite=True)
    assert (reading.rewritten, reading.rolls) == (scribe.rolled, [])
    assert not any(type(event).__name__ == "Play" for event in reading.events.values())


@given(DICE_ONLY)
@settings(max_examples=100, deadline=None)
def test_of_any_honest_dice_only_log_too(scribe: Scribe) -> None:
    agree(scribe.data)
    reading = read_log(scribe.data, rewrite=True)
    assert (reading.rewritten, reading.rolls) in ((scribe.rolled, []), (0, []))


def all_kinds(rolls: int) -> Scribe:
    """Lines of all lengths, some alike in a row, at times of many hours and days."""
    scribe = Scribe().open()
    for number in range(rolls):
        match number % 40:
            case 0:
                scribe.roll(purpose="opening")
            case 1 | 2 | 5:
                scribe.roll()
            case _:
                scribe.roll(player=number % 2)
        time = f"2026-{number % 12 + 1:02}-{number % 31 + 1:02}T{number % 24:02}:00:00.000Z"
        scribe.lines[-1] = re.sub(rb"2026-[^Z]*Z", time.encode(), scribe.lines[-1])
    return scribe.end()


@pytest.mark.parametrize("scribe", [honest(2_100), all_kinds(1_100)], ids=["alike", "mixed"])
def test_of_a_log_of_many_blocks_with_indices_of_one_to_four_digits(scribe: Scribe) -> None:
    report = agree(scribe.data)
    assert report
    assert (report.verdict, report.rolls) == ("CONSISTENT", scribe.rolled)
    assert read_log(scribe.data, rewrite=True).rewritten == scribe.rolled
    chance = random.Random(0)
    for _ in range(40):
        at, byte = chance.randrange(len(scribe.data)), chance.randrange(256)
        agree(scribe.data[:at] + bytes([byte]) + scribe.data[at + 1 :])


@pytest.mark.parametrize("number", range(1, 4), ids=["null", "opening", "player"])
def test_of_a_log_with_any_byte_of_a_roll_changed_and_all_sealed_again(number: int) -> None:
    scribe = Scribe().open()
    for _ in range(4):
        scribe.roll().roll(purpose="opening").roll(player=0).roll(player=1)
    scribe.end()
    at = 7 + 4 + number  # of the rolls 5 to 7: some lines stand before and after
    line = scribe.lines[at]
    assert b'"type":"roll"' in line
    for place, byte in enumerate(line):
        others = b"0123456789" if chr(byte).isdigit() else bytes([byte ^ 1, ord("\n"), 0xE7])
        for other in others:
            lines = list(scribe.lines)
            lines[at] = line[:place] + bytes([other]) + line[place + 1 :]
            agree(whole(sealed(scribe, lines, kept=at + 1)))


@pytest.mark.parametrize(
    "hour", ["2026-11-30T24", "2026-11-32T23", "2026-00-30T20", "2026-11-30T20"]
)
@pytest.mark.parametrize("others", ["2026-11-30T20", "2026-11-30T24"])
def test_of_a_log_of_one_hour_and_a_line_of_another(hour: str, others: str) -> None:
    scribe = Scribe().open()
    for number in range(6):
        scribe.roll()
        time = (hour if number == 3 else others).encode() + b":00:00.000Z"
        scribe.lines[-1] = re.sub(rb"2026-[^Z]*Z", time, scribe.lines[-1])
    report = agree(scribe.end().data)
    assert report
    bad = [3] if hour != "2026-11-30T20" else []
    bad += [0, 1, 2, 4, 5] if others == "2026-11-30T24" else []
    assert [failure.seq for failure in report.failures] == [7 + number for number in sorted(bad)]


def test_one_wrong_die_is_left_to_the_slow_way() -> None:
    first, second = Scribe().dice(1)
    wrong = Scribe().open().roll().roll((first % 6 + 1, second)).end()
    assert read_log(wrong.data, rewrite=True).rewritten == 0
