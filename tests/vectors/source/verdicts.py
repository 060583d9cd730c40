"""Honest logs, in each seeding and cut at each place, and what an anchor makes of them."""

from tests.support.scribe import KEY, PLAYER_SEEDS, Scribe, honest
from tests.vectors.source.case import Case, Cases, joined
from verifier import events

COMMITTED = honest(3)
DIRECT = honest(3, seeding="direct")
PUBLIC_KEY = KEY.public_key().public_bytes_raw().hex()


def cases() -> Cases:
    whole, direct = COMMITTED.data, DIRECT.data
    receipts = COMMITTED.opening + b"".join(COMMITTED.receipt(seq) for seq in (7, 8, 9))
    yield Case(
        "committed_verified",
        "a whole match, anchored by the opening receipt that a player kept",
        "R1 R5 V1",
        whole,
        "VERIFIED",
        receipts=(COMMITTED.opening,),
    )
    yield Case(
        "committed_verified_by_all_that_a_player_keeps",
        "the opening receipt and the roll receipts, the player's own seed, the service's key",
        "R3 V3",
        whole,
        "VERIFIED",
        receipts=(receipts,),
        my_seed=PLAYER_SEEDS[1].hex(),
        key=PUBLIC_KEY,
    )
    yield Case(
        "direct_with_receipt",
        "direct seeding: the opening receipt ends before the players' seeds: no anchor",
        "S5 R1 R5",
        direct,
        "CONSISTENT",
        "direct-seeding",
        receipts=(DIRECT.opening,),
    )
    yield Case(
        "committed_not_anchored",
        "the same whole match with nothing kept beside it",
        "V1",
        whole,
        "CONSISTENT",
        "not-anchored",
    )
    yield Case(
        "direct_without_receipt",
        "direct seeding with nothing kept beside it",
        "V1",
        direct,
        "CONSISTENT",
        "direct-seeding",
    )
    yield Case(
        "roll_receipts_do_not_anchor",
        "roll receipts were made after the dice, a key says who signed and not when",
        "R5",
        whole,
        "CONSISTENT",
        "not-anchored",
        receipts=(b"".join(COMMITTED.receipt(seq) for seq in (7, 8, 9)),),
        key=PUBLIC_KEY,
    )
    yield from _without_rolls()
    yield from _labels_and_purposes()
    yield from _cut()


def _without_rolls() -> Cases:
    ended = honest(0)
    yield Case(
        "no_rolls",
        "a whole log in which nothing was rolled is never VERIFIED, receipt or not",
        "V1",
        ended.data,
        "CONSISTENT",
        "no-rolls",
        receipts=(ended.opening,),
    )
    places = {
        "before_commitments": Scribe().sign(),
        "after_one_commitment": Scribe().sign().commit(1),
        "before_seeds": Scribe().sign().commit(0).commit(1).sign(),
        "after_one_seed": Scribe().sign().commit(1).commit(0).sign().seed(1),
        "with_both_seeds": Scribe().open(),
        "direct_before_seeds": Scribe(seeding="direct").sign(),
        "direct_after_one_seed": Scribe(seeding="direct").sign().seed(0),
    }
    for name, scribe in places.items():
        yield Case(
            f"abort_{name}",
            "a match may be aborted here, and the service reveals all the same",
            "O6 S7",
            scribe.end("abort").data,
            "CONSISTENT",
            "no-rolls",
        )
    yield Case(
        "my_seed_not_opened_is_no_failure",
        "player 0 opened, player 1 did not, and asks for its own seed: its absence says nothing",
        "V3",
        Scribe().sign().commit(0).commit(1).sign().seed(0).end("abort").data,
        "CONSISTENT",
        "no-rolls",
        my_seed=PLAYER_SEEDS[1].hex(),
    )


def _labels_and_purposes() -> Cases:
    yield Case(
        "labels_of_every_kind",
        "quotes and backslashes escaped, all else raw: emoji, right to left, U+2028"
        ", a backslash and an n",
        "L4 L5",
        honest(1, players=('"\\n\\" \u2028', "\u05d0\u202e\U0001f3b2")).data,
        "CONSISTENT",
        "not-anchored",
    )
    yield Case(
        "labels_of_64_code_points",
        "64 code points, whatever their length in bytes or UTF-16",
        "L5",
        honest(1, players=("\U0001f3b2" * 64, "x")).data,
        "CONSISTENT",
        "not-anchored",
    )
    scribe = Scribe(length=999).open().roll(purpose="opening").roll(player=0).roll(player=1)
    yield Case(
        "purposes",
        "an opening roll is nobody's; a turn may be named",
        "D5 O4",
        scribe.end("timeout", winner=1).data,
        "CONSISTENT",
        "not-anchored",
    )
    for name, length in (("1", 1), ("64", 64)):
        yield Case(
            f"match_id_of_{name}",
            f"a match id of {name} characters",
            "L5",
            honest(1, match_id=("Az09._-" * 10)[:length]).data,
            "CONSISTENT",
            "not-anchored",
        )
    scribe = Scribe().sign().commit(1).commit(0).sign().seed(1).seed(0).roll()
    yield Case(
        "players_in_either_order",
        "player 1 may commit and open first",
        "O2 O3",
        scribe.end().data,
        "CONSISTENT",
        "not-anchored",
    )


def _cut() -> Cases:
    lines = COMMITTED.lines
    whole = COMMITTED.data
    for name, data, why in (
        ("one_line", joined(lines[:1]), "not-ended"),
        ("in_the_opening", joined(lines[:4]), "not-ended"),
        ("after_the_rolls", joined(lines[:10]), "not-ended"),
        ("after_the_end", joined(lines[:11]), "not-revealed"),
        ("after_the_reveal", joined(lines[:12]), "not-signed"),
        ("last_line_end", whole[:-1], "cut-short"),
        ("in_a_line", joined(lines[:8]) + lines[8][:50], "cut-short"),
        ("with_a_rest", whole + b"{", "cut-short"),
    ):
        yield Case(
            f"cut_{name}",
            "a log that stops too early",
            "L2 V1",
            data,
            "INCOMPLETE",
            why,
            receipts=(COMMITTED.opening,),
        )
    # Not cut by anyone: the service has not revealed.
    unrevealed = Scribe().open().roll()
    unrevealed.add(events.MatchEnd, winner=None, reason="abandon", score=None)
    yield Case(
        "withheld_reveal",
        "the match is over and the service does not reveal",
        "V1 N",
        unrevealed.data,
        "INCOMPLETE",
        "not-revealed",
        receipts=(unrevealed.opening,),
    )
    for name, data in (("empty", b""), ("no_line", lines[0]), ("no_log", b"hello")):
        yield Case(f"unreadable_{name}", "nothing that could be judged", "V2", data, "")
