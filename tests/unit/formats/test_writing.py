"""What is exported is read back as it was, by us and by GNU Backgammon itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.bots import play_out
from tests.unit.formats.gnubg import needs_gnubg, read_by_gnubg
from tests.unit.formats.vectors import vector
from verifier.commands.console import STANDARD
from verifier.errors import InputError
from verifier.formats import mat, mat_writing, ogxm_writing, sgf, zarf
from verifier.formats.replay import replay
from verifier.formats.steps import spelled_out
from verifier.formats.transcript import Game, Resign, Result, Transcript, Turn

NAMES = ("Ayşe : 3", '#Bo\\ "x" ra]' + "ğ" * 40)  # what would break a line, and more than 31 bytes
MATCHES: list[tuple[str, int, dict[str, bool | int]]] = [
    ("kafadinle", 5, {}),
    ("oyna-tavla", 5, {}),
    ("oyna-backgammon", 5, {}),
    ("tavlino", 7, {"crawford": False}),
    ("jacoby-match", 11, {}),
    ("jacoby-match", 9, {"jacoby": False}),
]


def exported(rules: str, length: int, options: dict[str, bool | int], seed: int) -> Transcript:
    log = play_out(
        rules, length, options=options, seed=seed, match_id=f"export-{seed}", players=NAMES
    )
    told = zarf.transcript(zarf.read(log.data))
    return spelled_out(replay(told, rules, options))


def course(transcript: Transcript) -> list[Any]:
    """What must survive: every roll, play, cube action and result; not line numbers."""
    games = []
    for game in transcript.games:
        actions = [
            (type(a).__name__, a.player, getattr(a, "dice", None), getattr(a, "moves", None))
            for a in game.actions
            if not isinstance(a, Resign)
        ]
        result = game.result and (game.result.winner, game.result.points)
        games.append((game.score, actions, result))
    return games


@pytest.mark.parametrize(("rules", "length", "options"), MATCHES)
def test_a_logs_match_is_the_same_after_writing_and_reading(
    rules: str, length: int, options: dict[str, bool | int]
) -> None:
    transcript = exported(rules, length, options, seed=1)
    for text in (mat_writing.write(transcript), sgf.write(transcript)):
        again = sgf.read(text) if text.startswith("(") else mat.read(text)
        if text.startswith("("):  # which writes no stars
            transcript_course = json.loads(json.dumps(course(transcript)).replace("*", ""))
        else:
            transcript_course = json.loads(json.dumps(course(transcript)))
        assert json.loads(json.dumps(course(again))) == transcript_course
        assert any("log head" in comment for comment in again.comments)
        codes = {fault.code for fault in replay(again, rules, options).faults}
        assert codes <= {"play-untold"}


@pytest.mark.parametrize("name", ["galaxy.mat", "gammonsite.mat", "gnubg.sgf", "xg.mat"])
def test_a_file_of_another_program_is_the_same_after_writing_and_reading(name: str) -> None:
    transcript = spelled_out(replay(vector(name), *STANDARD))
    assert course(mat.read(mat_writing.write(transcript))) == course(transcript)


def test_a_play_that_is_not_legal_is_not_written_step_by_step() -> None:
    bad = mat.read(" 1 point match\n Game 1\n A : 0  B : 0\n  1) 31: 8/2\n")
    with pytest.raises(InputError) as caught:
        spelled_out(replay(bad, *STANDARD))
    assert (caught.value.code, caught.value.params["line"]) == ("match-not-legal", 4)


def test_names_are_cut_between_letters_to_what_gnu_backgammon_can_hold() -> None:
    transcript = exported("tavlino", 3, {}, seed=1)
    for read in (
        mat.read(mat_writing.write(transcript)),
        sgf.read(sgf.write(transcript)),
    ):
        assert all(len(name.encode()) <= 31 for name in read.players)
        assert read.players[1].endswith("ğ")


def _steps(turn: Turn) -> list[list[int]]:
    words = (turn.moves or "").replace("*", "").replace("bar", "25").replace("off", "0").split()
    return sorted([int(point) for point in word.split("/")] for word in words)


def _ours(game: Game, seats: str) -> list[Any]:
    told: list[Any] = []
    for action in game.actions:
        seat = seats[action.player]
        if isinstance(action, Turn) and action.moves is None:
            told.append(["unplayed", seat, sorted(action.dice)])
        elif isinstance(action, Turn):
            told.append(["move", seat, sorted(action.dice), _steps(action)])
        elif not isinstance(action, Resign):
            told.append([type(action).__name__.lower(), seat])
    return told


def _theirs(game: dict[str, Any]) -> list[Any]:
    told: list[Any] = []
    for action in game["game"]:
        match action["action"]:
            case "move":
                move = sorted(map(list, action["move"]))
                told.append(["move", action["player"], sorted(action["dice"]), move])
            case "resign":
                pass
            case "set":
                told.append(["unplayed", action["player"], sorted(action["dice"])])
            case other:
                told.append([other, action["player"]])
    return told


@needs_gnubg
def test_gnu_backgammon_opens_what_is_written_with_everything_in_it(tmp_path: Path) -> None:
    written: dict[str, Transcript] = {}
    for seed in range(3):
        for number, (rules, length, options) in enumerate(MATCHES):
            transcript = exported(rules, length, options, seed)
            for suffix, text in (
                ("mat", mat_writing.write(transcript)),
                ("sgf", sgf.write(transcript)),
            ):
                path = tmp_path / f"{number}-{seed}.{suffix}"
                path.write_text(text, "utf-8")
                written[str(path)] = transcript
    answers = read_by_gnubg(tmp_path, list(written))
    assert len(answers) == len(written)
    for name, match in answers:
        transcript = written[name]
        seats = "XO" if match["match-info"]["X"]["name"].startswith("Ay") else "OX"
        session = transcript.won_early_elsewhere and name.endswith("mat")
        assert match["match-info"]["match-length"] == (0 if session else transcript.length)
        assert "zarf/1 log head" in match["match-info"]["comment"]
        assert len(match["games"]) == len(transcript.games), name
        for game, read in zip(transcript.games, match["games"], strict=True):
            info = read["info"]
            theirs, ours = _theirs(read), _ours(game, seats)
            if ours[-1][0] == "unplayed":  # where only one play is legal it is played
                assert theirs.pop()[1:3] == ours.pop()[1:], name
            assert theirs == ours, name
            assert (info[f"score-{seats[0]}"], info[f"score-{seats[1]}"]) == game.score
            assert game.result is not None
            assert info["winner"] == seats[game.result.winner]
            if not _backgammon_worth_two(name, game):
                assert info["points-won"] == game.result.points, name


@needs_gnubg
def test_gnu_backgammon_reads_turns_of_players_whose_opponent_does_not_roll(tmp_path: Path) -> None:
    """As under the rules where a closed-out player passes; the position is no closed board."""
    turns = (
        Turn(0, 0, (3, 1), "8/5 6/5"),
        Turn(0, 1, (4, 2), "8/4 6/4"),
        Turn(0, 0, (1, 1), "8/7 8/7 6/5 6/5"),
        Turn(0, 0, (5, 3), "13/10 13/8"),
        Turn(0, 1, (6, 5), "13/7 13/8"),
        Turn(0, 1, (2, 1), "13/11 6/5"),
        Turn(0, 0, (6, 1), "24/23 13/7"),
        Turn(0, 0, (2, 1), "24/23 13/11"),
    )
    game = Game(0, 1, (0, 0), 0, turns, Result(0, 0, 1))
    transcript = Transcript(("X", "O"), 5, (game,))
    (tmp_path / "pass.mat").write_text(mat_writing.write(transcript))
    (tmp_path / "pass.sgf").write_text(sgf.write(transcript))
    files = [str(tmp_path / "pass.mat"), str(tmp_path / "pass.sgf")]
    for _, match in read_by_gnubg(tmp_path, files):
        assert _theirs(match["games"][0]) == _ours(game, "XO")


def _backgammon_worth_two(name: str, game: Game) -> bool:
    """Two of the rule sets score a backgammon as a gammon; GNU Backgammon, asked, says three."""
    assert game.result is not None
    return Path(name).name[0] in "01" and game.result.points == 2


def test_ogxm_carries_a_match_of_standard_rules() -> None:
    codec = pytest.importorskip("ogxm")
    for rules, length, options in MATCHES[2:]:
        transcript = exported(rules, length, options, seed=1)
        document = codec.binary_to_json(ogxm_writing.write(transcript))
        assert document["replay_complete"]
        assert document["match_length"] == length
        for game, read in zip(transcript.games, document["games"], strict=True):
            played = [a for a in game.actions if not isinstance(a, Resign)]
            told = [a for a in played if not (isinstance(a, Turn) and a.moves is None)]
            assert [a.player for a in told] == [ply["color"] for ply in read["plies"]]
            dice = [sorted(a.dice) for a in told if isinstance(a, Turn)]
            assert dice == [[p["d1"], p["d2"]] for p in read["plies"] if "d1" in p]
            assert game.result is not None
            assert read["winner"] == game.result.winner


def test_ogxm_refuses_a_match_whose_games_open_with_a_double() -> None:
    pytest.importorskip("ogxm")
    with pytest.raises(InputError, match="does not take this match"):
        ogxm_writing.write(exported("kafadinle", 7, {}, seed=0))
