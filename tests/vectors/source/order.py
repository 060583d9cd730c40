"""Logs whose every line is well written, chained and signed, and stands in the wrong order."""

from tests.support.scribe import PLAYER_SEEDS, Scribe, honest, sha256
from tests.vectors.source.case import Case, Cases, first_failure
from verifier import events


def cases() -> Cases:
    yield from _misplaced()
    yield from _values()
    yield from _refused_by_name()
    for name, indexes, seq in (
        ("gap", (0, 2), 8),
        ("repeat", (0, 0), 8),
        ("starts_at_1", (1, 2), 7),
        ("backwards", (0, 1, 0), 9),
    ):
        scribe = Scribe().open()
        for index in indexes:
            scribe.roll(index=index)
        yield _one(
            f"roll_index_{name}",
            "rolls are counted 0, 1, 2 with no gap",
            "O4",
            scribe.end(),
            "roll-index",
            seq,
            "index",
        )
    yield _one(
        "player_commits_twice",
        "each player commits once",
        "O2",
        Scribe().sign().commit(0).commit(0),
        "player-twice",
        3,
        "player",
    )
    yield _one(
        "player_opens_twice",
        "each player opens once",
        "O3",
        Scribe().sign().commit(0).commit(1).sign().seed(1).seed(1),
        "player-twice",
        6,
        "player",
    )


def _one(name: str, shows: str, rules: str, scribe: Scribe, *first: str | int) -> Case:
    return Case(f"order_{name}_fail", shows, rules, scribe.data, first=first_failure(*first))


def _misplaced() -> Cases:
    bare = Scribe()
    bare.lines.clear()
    bare.lines.append(Scribe().sign().lines[1])
    committed = Scribe().sign().commit(0).commit(1)
    two = honest(1)
    two.add(events.MatchEnd, winner=None, reason="finished", score=None)
    match_twice = Scribe().sign()
    match_twice.lines.append(match_twice.lines[0])
    for name, scribe, seq in (
        ("no_match_line", bare, 0),
        ("not_signed_at_once", Scribe().commit(0).commit(1).sign(), 1),
        ("match_twice", match_twice, 2),
        ("seed_before_commitments", Scribe().sign().seed(0), 2),
        ("seed_after_one_commitment", Scribe().sign().commit(0).seed(0), 3),
        ("commitments_not_signed", Scribe().sign().commit(0).commit(1).seed(0).seed(1), 4),
        ("signed_after_one_commitment", Scribe().sign().commit(0).sign(), 3),
        ("end_before_commitments_signed", committed.end("abort"), 4),
        ("commitment_in_direct", Scribe(seeding="direct").sign().commit(0), 2),
        ("roll_before_commitments", Scribe().sign().roll(), 2),
        ("roll_before_seeds", Scribe().sign().commit(0).commit(1).sign().roll(), 5),
        ("roll_after_one_seed", Scribe().sign().commit(0).commit(1).sign().seed(0).roll(), 6),
        ("seed_after_rolls", Scribe().open().roll().seed(0), 8),
        ("signature_between_rolls", Scribe().open().roll().sign(), 8),
        ("reveal_before_the_end", Scribe().open().roll().reveal(), 8),
        ("roll_after_the_end", Scribe().open().add(
            events.MatchEnd, winner=None, reason="finished", score=None).roll(), 8),
        ("signed_before_the_reveal", Scribe().open().add(
            events.MatchEnd, winner=None, reason="finished", score=None).sign(), 8),
        ("line_after_the_last", two, 11),
        ("signed_twice_at_the_end", honest(1).sign(), 11),
        ("play_in_a_dice_only_match", Scribe().open().roll().add(
            events.Play, player=0, moves="24/18 13/11", auto=False), 8),
        ("double_in_a_dice_only_match", Scribe().open().add(events.Double, player=0), 7),
        ("game_end_in_a_dice_only_match", Scribe().open().add(
            events.GameEnd, winner=0, points=1, kind="single", score=(1, 0)), 7),
    ):  # fmt: skip
        yield _one(
            name,
            "an event where it may not stand",
            "O1 O2 O3 O4 O5 O6 O7",
            scribe,
            "event-out-of-place",
            seq,
            "type",
        )


def _values() -> Cases:
    ends = (
        ("finished_before_seeds", Scribe().sign(), "finished", None, None, 2, "reason"),
        ("timeout_after_one_seed", Scribe(seeding="direct").sign().seed(0), "timeout", 0, None, 3,
         "reason"),
        ("abort_with_winner", Scribe().open(), "abort", 1, None, 7, "winner"),
        ("score_as_reason", Scribe().open(), "score", 1, None, 7, "reason"),
        ("score_in_a_dice_only_match", Scribe().open(), "finished", 1, (1, 0), 7, "score"),
    )  # fmt: skip
    for name, scribe, reason, winner, score, seq, field in ends:
        scribe.add(events.MatchEnd, winner=winner, reason=reason, score=score).reveal().sign()
        yield _one(name, "an end that may not stand here", "O6", scribe, "field-value", seq, field)
    yield _one(
        "opening_of_a_player",
        "an opening roll is nobody's",
        "O4",
        Scribe().open().roll(purpose="opening", player=0),
        "field-value",
        7,
        "player",
    )
    yield _one(
        "options_in_a_dice_only_match",
        "a dice-only match has no options",
        "O4",
        honest(1, options={"crawford": False, "jacoby": 1}),
        "field-value",
        0,
        "options",
    )
    links = tuple(sha256(seed) for seed in (*PLAYER_SEEDS, b"service"))
    yield _one(
        "links_in_committed",
        "links stand in chained seeding only",
        "F3",
        Scribe().open().roll(links=links),
        "field-unknown",
        7,
        "links",
    )


def _refused_by_name() -> Cases:
    yield _one(
        "seeding_chained",
        "chained seeding, while it is not built",
        "S6 O7",
        honest(1, seeding="chained"),
        "seeding-unsupported",
        0,
        "seeding",
    )
    yield _one(
        "rules_unknown",
        "a rule set that this verifier does not know",
        "O7",
        honest(1, rules="no-such-rules"),
        "rules-unknown",
        0,
        "rules",
    )
