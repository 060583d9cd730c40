"""Proofs of fraud that hold, that do not, and files that are none."""

import json
from collections.abc import Iterator
from typing import Any

from tests.support.scribe import KEY, OTHER_KEY, Scribe, honest, sha256
from tests.vectors.source.tampering import WEAK_KEY, WEAK_SIGNATURE

HELD, NOT_PROVED, UNREADABLE = 0, 1, 2
PUBLIC_KEY = KEY.public_key().public_bytes_raw().hex()
OTHER_PUBLIC_KEY = OTHER_KEY.public_key().public_bytes_raw().hex()

ONE = honest(3)
TWO = Scribe().open().roll().roll(purpose="opening").roll().end()


def statement(scribe: Scribe, first: int, seq: int, **change: Any) -> dict[str, Any]:
    lines = [line.decode() for line in scribe.lines[first : seq + 1]]
    sig = scribe.signature(seq, sha256(scribe.lines[seq]))
    return {"first": first, "seq": seq, "lines": lines, "sig": sig} | change


def proof(one: dict[str, Any], two: dict[str, Any], **change: Any) -> str:
    fields = {
        "type": "fraud_proof",
        "protocol": "zarf/1",
        "match_id": "test-match-1",
        "public_key": PUBLIC_KEY,
        "statements": [one, two],
    }
    return json.dumps(fields | change, separators=(",", ":"), ensure_ascii=False) + "\n"


def cases() -> Iterator[dict[str, Any]]:
    for status, table in ((HELD, _held()), (NOT_PROVED, _not_proved()), (UNREADABLE, _unread())):
        for name, shows, code, text in table:
            yield {
                "name": name if status == HELD else f"{name}_fail",
                "shows": shows,
                "rules": ["P1", "P2", "P3"],
                "proof": text,
                "expected": {"exit_status": status, "code": code},
            }


_Row = tuple[str, str, str, str]


def _held() -> Iterator[_Row]:
    roll, other = statement(ONE, 8, 8), statement(TWO, 8, 8)
    yield "two_rolls", "two roll receipts with one number", "", proof(roll, other)
    yield (
        "receipt_against_log",
        "a roll receipt against the run of lines up to the log's end",
        "",
        proof(roll, statement(TWO, 8, 11)),
    )
    later = honest(1, server_seed=TWO.seeds[0][::-1])
    yield (
        "two_openings",
        "two matches opened under one id",
        "",
        proof(statement(ONE, 0, 3), statement(later, 0, 0)),
    )
    short = honest(1)
    yield (
        "roll_after_the_reveal",
        "a reveal is signed, and a roll with a higher number",
        "",
        proof(statement(short, 9, 9), statement(honest(9), 10, 10)),
    )
    yield (
        "roll_after_the_reveal_same_start",
        "the same first line: the reveal ends one, the other goes on",
        "",
        proof(statement(short, 7, 9), statement(honest(9), 7, 10)),
    )

    yield (
        "neighbours_that_do_not_fit",
        "two lines in a row, the second of which follows another",
        "",
        proof(roll, statement(TWO, 9, 9)),
    )
    yield (
        "overlapping_runs",
        "two runs that begin at different lines and hold different lines 8",
        "",
        proof(statement(ONE, 7, 8), statement(TWO, 8, 9)),
    )
    slow = Scribe().open().roll().roll().roll(index=1)
    yield (
        "one_roll_at_two_lines",
        "roll 1 stands at line 8 and, rolled again, at line 9",
        "",
        proof(roll, statement(slow, 9, 9)),
    )


def _not_proved() -> Iterator[_Row]:
    roll, other = statement(ONE, 8, 8), statement(TWO, 8, 8)
    nothing = "proof-no-contradiction"
    yield "same_twice", "the same statement twice", nothing, proof(roll, roll)
    yield (
        "two_lines_of_one_log",
        "two lines of one log",
        nothing,
        proof(roll, statement(ONE, 9, 9)),
    )
    yield (
        "longer_and_shorter",
        "one log, two lengths",
        nothing,
        proof(statement(ONE, 7, 8), statement(ONE, 7, 11)),
    )
    yield (
        "reveal_and_earlier",
        "a reveal and a line before it",
        nothing,
        proof(statement(ONE, 11, 11), roll),
    )
    invalid = "proof-signature-invalid"
    stranger = Scribe(match_id="another-match").open().roll().roll()
    yield (
        "other_match",
        "one statement is about another match",
        invalid,
        proof(roll, statement(stranger, 8, 8)),
    )
    yield "match_renamed", "both are about another match", invalid, proof(
        roll, other, match_id="another-match")  # fmt: skip
    yield "other_key", "the named key signed neither", invalid, proof(
        roll, other, public_key=OTHER_PUBLIC_KEY)  # fmt: skip
    forged = Scribe().open().roll().roll(purpose="opening")
    forged.key = OTHER_KEY
    yield (
        "one_forged",
        "one statement is signed with another key",
        invalid,
        proof(roll, statement(forged, 8, 8)),
    )
    yield ("unsigned", "a signature of zeros", invalid, proof(roll, other | {"sig": "0" * 128}))
    yield (
        "signed_other_line",
        "the signature is over an earlier line",
        invalid,
        proof(roll, statement(TWO, 8, 9, sig=statement(TWO, 8, 8)["sig"])),
    )
    yield (
        "moved",
        "the same line under another number",
        invalid,
        proof(roll, other | {"first": 9, "seq": 9}),
    )
    yield (
        "weak_key",
        "a key under which everybody can sign",
        invalid,
        proof(roll | {"sig": WEAK_SIGNATURE}, other | {"sig": WEAK_SIGNATURE}, public_key=WEAK_KEY),
    )
    broken = statement(TWO, 8, 11)
    broken["lines"][1] = ONE.lines[9].decode()
    yield (
        "chain_broken",
        "a line that is not tied to the one before",
        "proof-chain-broken",
        proof(roll, broken),
    )
    yield (
        "match_line_inside",
        "a line without prev inside a run",
        "proof-chain-broken",
        proof(roll, statement(TWO, 8, 9, lines=[*other["lines"], ONE.lines[0].decode()])),
    )
    malformed = "proof-statement-malformed"
    yield ("no_lines", "a statement about nothing", malformed, proof(roll, other | {"lines": []}))
    yield (
        "count",
        "fewer lines than its numbers say",
        malformed,
        proof(roll, statement(TWO, 8, 11) | {"seq": 10}),
    )
    yield (
        "no_log_line",
        "a line that no log can hold",
        malformed,
        proof(roll, other | {"lines": [" " + other["lines"][0]]}),
    )
    yield (
        "not_a_line",
        "a text that is no event",
        malformed,
        proof(roll, other | {"lines": ["I, the service, confess."]}),
    )


def _unread() -> Iterator[_Row]:
    roll, other = statement(ONE, 8, 8), statement(TWO, 8, 8)
    whole = proof(roll, other)
    code = "proof-unreadable"
    yield "cut", "a proof cut short", code, whole[:-20]
    yield "no_line_end", "without its line end", code, whole[:-1]
    yield "space", "written in another way", code, whole.replace(":", ": ", 1)
    yield (
        "duplicate",
        "a field twice",
        code,
        whole.replace('"protocol"', '"match_id":"x","protocol"', 1),
    )
    yield "one_statement", "only one statement", code, proof(roll, other, statements=[roll])
    yield "unknown_field", "a field too many", code, proof(roll, other, note="believe me")
    yield "unknown_protocol", "another protocol", code, proof(roll, other, protocol="zarf/2")
    yield "no_json", "not JSON", code, "fraud!\n"
