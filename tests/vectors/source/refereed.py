"""Refereed matches: what only a match that names its rules can break (O8, F7)."""

from tests.support.scribe import Scribe
from tests.vectors.source.case import Case, Cases, first_failure
from verifier import events

# The first roll of every log here is 5-2, which gives player 0 the first turn.


def cases() -> Cases:
    yield Case(
        "refereed_aborted",
        "an opening roll, and the match is aborted",
        "O8",
        _ended(_match().roll(purpose="opening")).data,
        "CONSISTENT",
        "not-anchored",
    )
    scribe = Scribe(rules="oyna-backgammon", length=5, options={"best_of_games": 3})
    yield _one("rules_inconsistent", "two options that cannot both hold", "O7", scribe.sign(), "",
               "rules-inconsistent", 0, "options")  # fmt: skip
    yield _one("rules_without_length", "a match to no length", "O7",
               Scribe(rules="oyna-backgammon").sign(), "", "rules-inconsistent", 0,
               "options")  # fmt: skip
    yield _one("roll_not_due", "a match begins with an opening roll", "O8 F7",
               _ended(_match().roll(purpose="turn", player=0)), "plays-only",
               "roll-not-due", 7)  # fmt: skip
    moved = _match().roll(purpose="opening")
    moved.add(events.Play, player=0, moves="24/20", auto=False)
    yield _one("play_illegal", "a 5-2 played as a 4", "O8 F7", _ended(moved), "plays-only",
               "play-illegal", 8)  # fmt: skip
    other = _match().roll(purpose="opening")
    other.add(events.Play, player=1, moves="13/8 13/11", auto=False)
    yield _one("play_of_the_other", "player 1 plays player 0's roll", "O8 F7", _ended(other),
               "plays-only", "play-illegal", 8)  # fmt: skip
    yield _one("action_not_due", "a cube offered before the first roll", "O8 F7",
               _ended(_match().add(events.Double, player=0)), "",
               "action-not-due", 7)  # fmt: skip
    claimed = _match().add(events.MatchEnd, winner=0, reason="score", score=(1, 0))
    yield _one("result_wrong", "a match won with no game played", "O8 F7",
               claimed.reveal().sign(), "", "result-wrong", 7)  # fmt: skip
    yield from _receipts()


def _receipts() -> Cases:
    """In a refereed match every action has its receipt, not rolls alone (R2, R3)."""
    played = _match().roll(purpose="opening")
    played.add(events.Play, player=0, moves="13/8 13/11", auto=False)
    whole = _ended(played)
    kept = whole.opening + b"".join(map(whole.receipt, (7, 8, 10)))
    yield Case(
        "receipts_of_a_roll_a_play_and_the_reveal",
        "what a device keeps of a refereed match",
        "R2 R3 R5",
        whole.data,
        "VERIFIED",
        receipts=(kept,),
    )
    changed = _match().roll(purpose="opening")
    changed.add(events.Play, player=0, moves="24/22 13/8", auto=False)
    yield Case(
        "receipt_of_another_play_fail",
        "a play that was signed is another in the log",
        "R6",
        _ended(changed).data,
        receipts=(kept,),
        first=first_failure("receipt-contradiction", 8),
    )


def _match() -> Scribe:
    return Scribe(rules="oyna-backgammon", length=1).open()


def _ended(scribe: Scribe) -> Scribe:
    scribe.add(events.MatchEnd, winner=None, reason="abort", score=(0, 0))
    return scribe.reveal().sign()


def _one(name: str, shows: str, rules: str, scribe: Scribe, why: str, *first: str | int) -> Case:
    return Case(f"{name}_fail", shows, rules, scribe.data, why=why, first=first_failure(*first))
