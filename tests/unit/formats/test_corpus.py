"""The real match files of ../shared/matches: every play legal, every fault where it stands."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import MATCHES, replays
from tests.unit.formats.gnubg import needs_gnubg, read_by_gnubg
from verifier.formats.faults import BREACHES
from verifier.formats.transcript import Game, Resign, Turn

pytestmark = pytest.mark.skipif(
    not MATCHES.is_dir(), reason="../shared/matches is not in this checkout"
)

# What a line must say for a fault to be the file's own and not the reader's.
EVIDENCE = {
    "match-unfinished": r"Wins \d+ points?",
    "result-capped": r"Wins \d+ points?",
    "result-as-jacoby": r"Wins 1 point",
    "result-forfeit": r"Losses 4 point +Wins 4 point",
    "result-impossible": r"\?\?\?\?  +Wins 4016 point",
    "play-untold": r"[1-6][1-6]: \?{3,4}|DI\[[1-6][1-6]\]",
    "name-empty": r" : 0",
}


def test_every_file_replays_and_its_rolls_and_games_are_those_that_a_search_counts() -> None:
    faults: Counter[str] = Counter()
    files = 0
    for path, replayed in replays():
        files += 1
        text = path.read_text("utf-8-sig")
        transcript = replayed.transcript
        if path.suffix == ".mat":
            assert len(transcript.games) == len(re.findall(r"^ *Game \d+", text, re.MULTILINE))
            assert transcript.rolls == len(re.findall(r"(?<=[ )])[1-6][1-6]:", text)), path.name
        lines = text.split("\n")
        untold = 0
        for fault in replayed.faults:
            assert re.search(EVIDENCE[fault.code], lines[fault.line - 1]), (path.name, fault)
            untold += fault.code == "play-untold"
            faults[fault.code] += 1
        assert replayed.judged + untold == transcript.rolls, path.name
    assert files == 547
    # The files that break a rule, as they were counted by hand in match-formats.md.
    assert {code: faults[code] for code in BREACHES if faults[code]} == {
        "result-as-jacoby": 3,
        "result-impossible": 1,
    }


def test_a_match_is_the_same_match_in_both_formats_of_gnu_backgammon() -> None:
    """The `.sgf` and the `.mat` of one match were written by the same program, not by us."""
    matches: dict[str, list[object]] = {}
    for path, replayed in replays():
        if path.parent.name == "gbf":
            told = [
                [(play.turn.player, sorted(play.turn.dice), play.after) for play in game.made]
                for game in replayed.games
            ]
            matches.setdefault(path.stem, []).append(told)
    assert len(matches) == 2
    for mat, sgf in matches.values():
        assert mat == sgf


def _ours(game: Game) -> list[tuple[Any, ...]]:
    """Who did what in a game: a roll with its dice, a double, a take, a drop."""
    return [
        ("XO"[action.player], *sorted(action.dice))
        if isinstance(action, Turn)
        else ("XO"[action.player], type(action).__name__.lower())
        for action in game.actions
        if not isinstance(action, Resign)
    ]


def _theirs(game: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (action["player"], *sorted(action["dice"]))
        if "dice" in action
        else (action["player"], action["action"])
        for action in game["game"]
        if action["action"] != "resign"
    ]


@needs_gnubg
def test_gnu_backgammon_reads_the_same_games_rolls_cubes_and_points(tmp_path: Path) -> None:
    """But for points that the file has otherwise than the board, which we name and it mends."""
    files = {
        str(path): replayed
        for path, replayed in replays()
        # It falls over a player's empty name, and has X on the other side of the .sgf.
        if path.suffix == ".mat" and '[Player 1 ""]' not in path.read_text("utf-8-sig")
    }
    files = {name: r for name, r in files.items() if '[Player 2 ""]' not in Path(name).read_text()}
    assert len(files) > 500
    for name, match in read_by_gnubg(tmp_path, list(files)):
        games = files[name].games
        assert len(match["games"]) == len(games), name
        for game, read in zip(games, match["games"], strict=True):
            ours, theirs = _ours(game.game), _theirs(read)
            lone_loss = "\n Losses" in Path(name).read_text("utf-8-sig")
            if lone_loss and len(theirs) == len(ours) + 1:
                theirs.pop()  # before a `Losses` without a row number it reads the last roll twice
            assert theirs == ours, name
            result, info = game.game.result, read["info"]
            named = {fault.code for fault in game.faults if fault.code.startswith("result-")}
            if result is not None and not named:
                told = ("XO"[result.winner], result.points)
                assert (info["winner"], info["points-won"]) == told, name
