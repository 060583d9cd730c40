"""A log and receipts that do not go together, and receipts that are none."""

from tests.support.scribe import OTHER_KEY, Scribe, honest, sha256
from tests.vectors.source.case import Case, Cases, changed, first_failure, joined
from verifier import events

LOG = honest(3)
OPENING = LOG.opening
ROLLS = b"".join(LOG.receipt(seq) for seq in (7, 8, 9))
OTHER_SEED = sha256(b"a seed chosen later")


def cases() -> Cases:
    yield from _foreign()
    yield from _contradictions()
    yield from _beside_unreadable_lines()
    yield from _unreadable()


def _one(name: str, shows: str, rules: str, log: bytes, receipt: bytes, *first: str | int) -> Case:
    return Case(
        f"receipt_{name}_fail",
        shows,
        rules,
        log,
        receipts=(receipt,),
        first=first_failure(*first),
    )


def _foreign() -> Cases:
    other = honest(3, match_id="another-match")
    for name, shows, receipt in (
        (
            "other_match",
            "a receipt of another match: the two do not belong together",
            other.opening,
        ),
        ("other_match_rolls", "roll receipts of another match", other.receipt(7)),
    ):
        yield Case(f"receipt_{name}", shows, "R4 V2", LOG.data, verdict="", receipts=(receipt,))
    other = honest(3, key=OTHER_KEY)
    yield _one(
        "other_key",
        "an opening receipt under another key",
        "R4",
        LOG.data,
        other.opening,
        "receipt-other-key",
        0,
        "public_key",
    )
    yield _one(
        "other_key_rolls",
        "a roll receipt under another key",
        "R4",
        LOG.data,
        other.receipt(7),
        "receipt-other-key",
        0,
        "key_id",
    )
    forged = Scribe().sign().commit(0).commit(1)
    forged.key = OTHER_KEY
    yield _one(
        "invalid",
        "an opening receipt whose second signature is false",
        "R4",
        LOG.data,
        forged.sign().opening,
        "receipt-invalid",
        0,
    )
    line = LOG.receipt(8)
    at = line.index(b'"sig":"') + 7
    broken = line[:at] + (b"1" if line[at : at + 1] == b"0" else b"0") + line[at + 1 :]
    yield _one(
        "invalid_roll",
        "a roll receipt whose signature is false",
        "R4",
        LOG.data,
        broken,
        "receipt-invalid",
        8,
    )


def _contradictions() -> Cases:
    """Each log below is whole and signed; only what was kept shows that it is not the one."""
    later = honest(3, server_seed=bytes.fromhex(OTHER_SEED))
    yield _one(
        "other_server_seed",
        "the service chose its seed again and wrote the log anew",
        "R6",
        later.data,
        OPENING,
        "receipt-contradiction",
        0,
    )
    chosen = Scribe(seeds=(LOG.seeds[0], bytes.fromhex(OTHER_SEED)))
    chosen.open().roll().end()
    yield _one(
        "other_commitment",
        "player 1's commitment in the log is not the one shown before",
        "R6",
        chosen.data,
        OPENING,
        "receipt-contradiction",
        3,
    )
    dropped = Scribe().open().roll().roll(purpose="opening").end()
    yield _one(
        "roll_replaced",
        "a roll that was answered is another in the log",
        "R6",
        dropped.data,
        ROLLS,
        "receipt-contradiction",
        8,
    )
    short = honest(2)
    yield _one(
        "last_roll_dropped",
        "the log ends where the third roll stood",
        "R6",
        short.data,
        LOG.receipt(9),
        "receipt-contradiction",
        9,
    )
    ended = honest(1)
    yield _one(
        "number_of_the_last_signature",
        "two rolls dropped; kept is the one whose number the last signature has now",
        "R6",
        ended.data,
        honest(4).receipt(10),
        "receipt-contradiction",
        10,
    )
    yield _one(
        "beyond_the_end",
        "a roll after the reveal",
        "G5 R6",
        ended.data,
        honest(9).receipt(15),
        "receipt-contradiction",
        10,
    )
    twice = Scribe().open().roll().roll(purpose="opening")
    yield _one(
        "two_rolls_for_one",
        "two roll receipts with one number and two lines",
        "G5 R6",
        LOG.data,
        LOG.receipt(8) + twice.receipt(8),
        "receipt-contradiction",
        8,
    )
    unsigned = Scribe().open().roll().roll(purpose="opening")
    yield _one(
        "differs",
        "the line differs, but nothing signed binds it in this log yet",
        "R6",
        unsigned.data,
        ROLLS,
        "receipt-differs",
        8,
    )
    cut = joined(Scribe().sign().commit(1).lines)
    yield _one(
        "opening_differs",
        "the opening differs, in a log that is not signed so far",
        "R6",
        cut,
        OPENING,
        "receipt-differs",
        2,
    )


def _beside_unreadable_lines() -> Cases:
    """A receipt is held against lines that cannot be read, too."""
    yield _one(
        "beside_a_line_that_is_no_utf8",
        "a line that differs from the receipt's and is not even text",
        "F2 R6",
        changed(LOG, 2, '"player":0', b'"player":\xff'),
        OPENING,
        "line-not-utf8",
        2,
    )
    garbage = Scribe().sign().commit(0)
    garbage.lines[2] = garbage.lines[2].replace(b'"player":0', b'"player":\xff')
    yield _one(
        "beside_garbage_that_was_signed",
        "the service itself chained and signed what is not even text",
        "F2 R6",
        garbage.commit(1).sign().data,
        OPENING,
        "line-not-utf8",
        2,
    )


def _unreadable() -> Cases:
    roll = LOG.receipt(7)
    score = Scribe().open().roll()
    score.add(events.MatchEnd, winner=None, reason="finished", score=None)
    for name, shows, receipt in (
        ("empty", "an empty file", b""),
        ("cut", "a receipt cut short", OPENING[:-1]),
        (
            "first_signature_only",
            "lines 0 and 1 of committed seeding are no opening receipt",
            joined(LOG.lines[:2]),
        ),
        ("too_long", "a line more than an opening receipt has", joined(LOG.lines[:6])),
        ("log", "the log itself", LOG.data),
        ("middle", "lines from the middle of a log", joined(LOG.lines[2:5])),
        ("order", "a roll receipt before the opening receipt", roll + OPENING),
        (
            "two_matches",
            "receipts of two matches in one file",
            OPENING + honest(1, match_id="another-match").receipt(7),
        ),
        ("space", "a roll receipt written in another way", roll.replace(b'","line', b'", "line')),
        (
            "head",
            "a roll receipt whose head is not its line's hash",
            roll.replace(LOG.head.encode(), b"")
            if LOG.head.encode() in roll
            else roll.replace(sha256(LOG.lines[7]).encode(), sha256(b"x").encode()),
        ),
        ("no_roll", "a signed line that is no roll", score.receipt(8)),
        ("malformed", "a line that is not a log line", LOG.lines[0][:-1] + b" }\n"),
    ):
        yield Case(f"unreadable_receipt_{name}", shows, "R1 R3 V2", LOG.data, "",
                   receipts=(receipt,))  # fmt: skip
