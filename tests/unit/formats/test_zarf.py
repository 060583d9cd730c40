"""A refereed log told as a transcript."""

import pytest

from tests.support.bots import play_out
from tests.support.scribe import Scribe, honest
from verifier import events
from verifier.errors import InputError
from verifier.formats import zarf
from verifier.formats.transcript import Double, Drop, Resign, Result, Turn


def opened(rules: str = "oyna-backgammon", length: int = 3) -> Scribe:
    return Scribe(rules=rules, length=length).open()


def until(scribe: Scribe, count: int) -> bytes:
    return b"".join(line + b"\n" for line in scribe.lines[:count])


def test_every_roll_and_play_of_a_log_is_in_its_transcript() -> None:
    for rules in ("kafadinle", "tavlino"):
        scribe = play_out(rules, 3, seed=3)
        told = zarf.transcript(zarf.read(scribe.data))
        plays = [line for line in scribe.lines if b'"type":"play"' in line]
        turns = [a for game in told.games for a in game.actions if isinstance(a, Turn)]
        assert [turn.line for turn in turns if turn.moves is not None] == [
            scribe.lines.index(line) + 1 for line in plays
        ]
        ends = [line for line in scribe.lines if b'"type":"game_end"' in line]
        assert len(told.games) == len(ends)


def test_the_head_of_the_log_and_its_rules_are_comments() -> None:
    scribe = play_out("jacoby-match", 5, options={"jacoby": False}, seed=1)
    log = zarf.read(scribe.data)
    told = zarf.transcript(log)
    assert log.head == scribe.head
    assert f"zarf/1 log head {scribe.head}" in told.comments
    assert any("rules jacoby-match jacoby=false" in comment for comment in told.comments)
    assert (told.crawford, told.jacoby) == ("on", "off")


def test_a_match_that_is_still_going_on_ends_with_the_roll_to_be_played() -> None:
    scribe = opened()
    first, second = scribe.dice(0)
    assert first != second
    scribe.roll(purpose="opening")
    told = zarf.transcript(zarf.read(scribe.data))
    starter = 0 if first > second else 1
    assert told.games[0].actions == (Turn(len(scribe.lines), starter, (first, second), None),)
    assert told.games[0].result is None


def test_a_drop_is_worth_the_cube_before_the_double() -> None:
    for seed in range(40):
        scribe = play_out("tavlino", 3, seed=seed)
        told = zarf.transcript(zarf.read(scribe.data))
        for game in told.games:
            if game.actions and isinstance(game.actions[-1], Drop):
                double = game.actions[-2]
                assert isinstance(double, Double)
                assert double.value is not None
                assert game.result is not None
                assert game.result.points == double.value // 2
                return
    pytest.fail("no game was dropped")


def test_a_resignation_is_told_with_its_points() -> None:
    for seed in range(40):
        told = zarf.transcript(zarf.read(play_out("oyna-tavla", 5, seed=seed).data))
        for game in told.games:
            last = game.actions[-1]
            if isinstance(last, Resign):
                assert game.result is not None
                assert (last.player, last.points) == (1 - game.result.winner, game.result.points)
                return
    pytest.fail("no game was resigned")


def test_a_match_lost_by_forfeit_has_no_result_and_a_comment() -> None:
    scribe = opened().roll(purpose="opening")
    scribe.add(events.GameEnd, winner=1, points=0, kind="forfeit", score=(0, 0))
    scribe.add(events.MatchEnd, winner=1, reason="timeout", score=(0, 0)).reveal().sign()
    told = zarf.transcript(zarf.read(scribe.data))
    assert told.games[0].result is None
    assert told.comments[-2:] == ("player 2 wins the match by forfeit", "match end: timeout")


def test_a_match_called_off_before_its_first_roll_is_an_empty_game() -> None:
    scribe = Scribe(rules="tavlino", length=3).sign()
    scribe.add(events.MatchEnd, winner=None, reason="abort", score=(0, 0)).reveal().sign()
    told = zarf.transcript(zarf.read(scribe.data))
    assert [game.actions for game in told.games] == [()]


def test_a_line_that_breaks_a_rule_is_named() -> None:
    scribe = opened().roll(purpose="opening")
    starter = 0 if scribe.dice(0)[0] > scribe.dice(0)[1] else 1
    scribe.add(events.Play, player=starter, moves="24/1", auto=False)
    with pytest.raises(InputError) as caught:
        zarf.transcript(zarf.read(scribe.data))
    assert (caught.value.code, caught.value.params["line"]) == ("log-play", len(scribe.lines))


def test_a_log_that_does_not_hold_or_has_no_plays_is_refused() -> None:
    scribe = play_out("tavlino", 3)
    broken = scribe.data.replace(b'"type":"play"', b'"type":"plax"', 1)
    with pytest.raises(InputError) as caught:
        zarf.read(broken)
    assert caught.value.code == "log-refused"
    with pytest.raises(InputError) as caught:
        zarf.read(honest(3).data)
    assert caught.value.code == "log-no-plays"


def test_the_last_result_says_that_the_match_is_over() -> None:
    told = zarf.transcript(zarf.read(play_out("oyna-backgammon", 2, seed=2).data))
    result = told.games[-1].result
    assert isinstance(result, Result)
    assert result.match_over
    assert max(told.games[-1].score) + result.points >= 2
