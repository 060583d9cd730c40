"""What ``dice-verify`` does with match files, and its commands ``convert`` and ``show``."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bots import play_out
from tests.support.scribe import Scribe, honest
from verifier.cli import main
from verifier.events import GameEnd, Match, MatchEnd
from verifier.formats import mat, sgf
from verifier.log import decode_line

VECTORS = Path(__file__).parents[2] / "vectors" / "formats"
STANDARD = ["--rules", "jacoby-match", "--option", "jacoby=false"]
Said = pytest.CaptureFixture[str]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "match.zarf.jsonl"
    path.write_bytes(play_out("tavlino", 3, seed=4, match_id="shown").data)
    return path


def run(said: Said, *arguments: object) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    return status, *said.readouterr()


class TestMatchFile:
    def test_a_legal_file_is_told_from_one_whose_dice_are_proved(self, capsys: Said) -> None:
        status, out, _ = run(capsys, VECTORS / "galaxy.mat", *STANDARD, "--lang", "en")
        first, second, *_ = out.splitlines()
        assert status == 0
        assert first.startswith("✔ LEGAL")
        assert second.startswith("Nothing proves these dice")
        assert "10 of 10 rolls were played legally" in out
        # Ayşe rolled 31 61 21 41 63: five ones, no double, (4+7+3+5+9)/5 pips.
        assert "Ayşe: 5 rolls, 0 doubles, 5.6 pips a roll; ones to sixes: 4 1 2 1 0 2" in out

    def test_a_rule_that_is_broken_is_named_at_its_line(self, capsys: Said, tmp_path: Path) -> None:
        text = (VECTORS / "galaxy.mat").read_text().replace("31: 8/5 6/5 ", "31: 8/5 6/4 ")
        bad = tmp_path / "bad.mat"
        bad.write_text(text)
        status, out, _ = run(capsys, bad, *STANDARD, "--lang", "en")
        assert status == 1
        assert out.startswith("✖ FAILED")
        assert "Line 19: 3-1: 8/5 6/4: '8/5 6/4' cannot be made with the dice 3-1." in out
        status, out, _ = run(capsys, bad, *STANDARD, "--lang", "tr")
        assert "19. satır: 3-1: 8/5 6/4: '8/5 6/4' hamlesi 3-1 zarıyla oynanamaz." in out

    def test_a_match_without_its_end_is_incomplete(self, capsys: Said) -> None:
        status, out, _ = run(capsys, VECTORS / "gnubg.sgf", *STANDARD, "--json")
        result = json.loads(out)
        assert status == result["exit_status"] == 3
        assert result["verdict"] == "INCOMPLETE"
        assert result["dice_proved"] is False
        assert [(f["line"], f["code"], f["breach"]) for f in result["faults"]] == [
            (8, "game-unfinished", False)
        ]
        assert result["dice"][1]["faces"] == [0, 1, 0, 1, 1, 1]  # Black rolled 42 and 65

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ([], "rules-missing"),
            (["--rules", "chess"], "rules_unknown"),
            (["--rules", "tavlino", "--option", "jacoby"], "usage"),
            (["--rules", "tavlino", "--option", "beaver=true"], "option_unknown"),
        ],
    )
    def test_rules_that_are_missing_or_none_are_refused(
        self, capsys: Said, arguments: list[str], code: str
    ) -> None:
        status, out, _ = run(capsys, VECTORS / "xg.mat", *arguments, "--json")
        result = json.loads(out)
        assert (status, result["exit_status"], result["error"]) == (2, 2, code)

    def test_a_file_that_is_not_understood_is_refused_with_its_line(
        self, capsys: Said, tmp_path: Path
    ) -> None:
        path = tmp_path / "no.mat"
        path.write_text(" 3 point match\n\nhello\n")
        status, out, err = run(capsys, path, *STANDARD, "--lang", "tr")
        assert (status, out) == (2, "")
        assert err == f"dice-verify: {path}: satır 3: 'hello' anlaşılmadı\n"

    def test_what_a_file_is_shows_in_what_it_holds(self, capsys: Said, tmp_path: Path) -> None:
        for name in ("galaxy.mat", "gnubg.sgf"):
            path = tmp_path / "match.txt"
            path.write_bytes((VECTORS / name).read_bytes())
            assert run(capsys, path, *STANDARD)[0] in (0, 3)
            status, _, err = run(capsys, path, "--lang", "en")
            assert status == 2
            assert "give --rules NAME" in err

    def test_a_log_is_judged_by_its_own_rules_alone(self, capsys: Said, log: Path) -> None:
        status, out, err = run(capsys, log, "--rules", "kafadinle", "--lang", "en")
        assert (status, out) == (2, "")
        assert "a log names its own rules" in err


class TestConvert:
    @pytest.mark.parametrize("suffix", [".mat", ".sgf"])
    def test_a_log_becomes_a_match_file_that_carries_its_head(
        self, capsys: Said, log: Path, tmp_path: Path, suffix: str
    ) -> None:
        out_file = tmp_path / f"out{suffix}"
        status, out, _ = run(capsys, "convert", log, out_file, "--json")
        assert status == 0
        text = out_file.read_text()
        read = (sgf if suffix == ".sgf" else mat).read(text)
        result = json.loads(out)
        assert (result["games"], result["rolls"]) == (len(read.games), read.rolls)
        rolls = log.read_bytes().count(b'"purpose":"turn"')
        assert read.rolls == rolls + len(read.games)  # each starter plays an opening roll
        status, out, _ = run(capsys, log, "--json")
        assert json.loads(out)["head"] in text

    def test_a_mat_becomes_an_sgf_and_a_mat_again(self, capsys: Said, tmp_path: Path) -> None:
        there, back = tmp_path / "there.sgf", tmp_path / "back.mat"
        assert run(capsys, "convert", VECTORS / "galaxy.mat", there)[0] == 0
        assert run(capsys, "convert", there, back)[0] == 0
        status, out, _ = run(capsys, back, *STANDARD, "--lang", "en")
        assert status == 0
        assert "10 of 10 rolls were played legally" in out

    def test_nothing_is_written_over_and_nothing_by_halves(
        self, capsys: Said, log: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "kept.mat"
        target.write_text("mine")
        assert run(capsys, "convert", log, target)[0] == 2
        assert target.read_text() == "mine"
        bad = tmp_path / "bad.mat"
        bad.write_text(" 1 point match\n Game 1\n A : 0  B : 0\n  1) 31: 8/2\n")
        status, _, err = run(capsys, "convert", bad, tmp_path / "new.sgf", "--lang", "en")
        assert status == 2
        assert "line 4: '8/2' cannot be played here" in err
        assert not (tmp_path / "new.sgf").exists()

    @pytest.mark.parametrize("name", ["out.txt", "out"])
    def test_an_ending_that_names_no_format_is_refused(
        self, capsys: Said, log: Path, tmp_path: Path, name: str
    ) -> None:
        status, _, err = run(capsys, "convert", log, tmp_path / name, "--lang", "en")
        assert status == 2
        assert ".mat, .sgf, .ogxm" in err

    def test_ogxm_needs_its_codec_and_nothing_is_written_without(
        self, capsys: Said, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "ogxm", None)
        target = tmp_path / "out.ogxm"
        status, _, err = run(capsys, "convert", log, target, "--lang", "en")
        assert status == 2
        assert "pip install 'zarf[ogxm]'" in err
        assert not target.exists()

    def test_a_log_of_dice_alone_has_no_game_to_write(self, capsys: Said, tmp_path: Path) -> None:
        path = tmp_path / "dice.jsonl"
        path.write_bytes(honest(2).data)
        assert run(capsys, "convert", path, tmp_path / "x.mat")[0] == 2


class TestShow:
    def test_every_play_of_the_log_is_told_in_order(self, capsys: Said, log: Path) -> None:
        status, out, _ = run(capsys, "show", log, "--lang", "en")
        assert status == 0
        play = r"^ +\d+\. [XO] (?:Ayşe|Bora)  \d-\d: (.*?)(?: \(played.*)?$"
        plays = re.findall(play, out, re.MULTILINE)
        written = [
            json.loads(line)["moves"] or "no move"
            for line in log.read_bytes().splitlines()
            if b'"type":"play"' in line
        ]
        assert plays == written
        end = json.loads(log.read_bytes().splitlines()[-3])
        assert "wins the match {}–{}: by the score".format(*end["score"]) in out

    def test_everything_that_happens_besides_plays_is_told(
        self, capsys: Said, tmp_path: Path
    ) -> None:
        told = {
            "double": "doubles to",
            "take": "takes",
            "drop": "drops",
            "resign_offer": "offers to resign",
            "resign_accept": "accepts",
            "resign_refuse": "refuses",
            "pass_unrolled": "is closed out",
            "game_end": "wins {} (",
        }
        met = set()
        for seed in range(6):
            for rules, length in (("oyna-tavla", 5), ("jacoby-match", 9)):
                path = tmp_path / f"{rules}-{seed}.jsonl"
                path.write_bytes(play_out(rules, length, seed=seed, match_id=f"m-{seed}").data)
                _, out, _ = run(capsys, "show", path, "--lang", "en")
                kinds = [json.loads(line) for line in path.read_bytes().splitlines()]
                for kind, words in told.items():
                    lines = [line for line in kinds if line["type"] == kind]
                    for line in lines:
                        met.add(kind)
                        assert words.format(line.get("points")) in out
                    if kind != "game_end":
                        assert out.count(f" {words}") == len(lines), (kind, path.name)
                crawford = out.count("the Crawford game")
                assert crawford <= 1
        assert met == set(told) - {"pass_unrolled"}  # players who move at random close nobody out

    def test_a_match_that_time_decided_says_so(self, capsys: Said, tmp_path: Path) -> None:
        scribe = Scribe(rules="tavlino", length=3).open().roll(purpose="opening")
        scribe.add(GameEnd, winner=1, points=0, kind="forfeit", score=(0, 0))
        scribe.add(MatchEnd, winner=1, reason="timeout", score=(0, 0)).reveal().sign()
        path = tmp_path / "late.jsonl"
        path.write_bytes(scribe.data)
        _, out, _ = run(capsys, "show", path, "--lang", "en")
        assert "Bora wins the match 0–0: time ran out" in out

    def test_turkish_is_turkish(self, capsys: Said, log: Path) -> None:
        _, out, _ = run(capsys, "show", log, "--lang", "tr")
        assert "1. el, skor 0–0" in out
        assert "maçı kazanıyor" in out

    def test_a_board_is_drawn_after_each_play(self, capsys: Said, log: Path) -> None:
        _, out, _ = run(capsys, "show", log, "--boards")
        assert out.count("|BAR|") == log.read_bytes().count(b'"type":"play"')

    def test_a_dice_only_log_is_told_by_its_rolls(self, capsys: Said, tmp_path: Path) -> None:
        path = tmp_path / "dice.jsonl"
        scribe = honest(3)
        path.write_bytes(scribe.data)
        _, out, _ = run(capsys, "show", path, "--lang", "en")
        for index in range(3):
            assert f"{index:>5}  {scribe.dice(index)[0]}-{scribe.dice(index)[1]}" in out

    def test_json_holds_the_whole_match(self, capsys: Said, log: Path) -> None:
        status, out, _ = run(capsys, "show", log, "--json")
        result = json.loads(out)
        match = decode_line(log.read_bytes().split(b"\n")[0], 0)
        assert isinstance(match, Match)
        assert status == 0
        assert result["match"]["players"] == list(match.players)
        assert result["match"]["games"][0]["score"] == [0, 0]

    def test_a_log_that_does_not_hold_is_not_told(self, capsys: Said, log: Path) -> None:
        log.write_bytes(log.read_bytes().replace(b'"type":"play"', b'"type":"plax"', 1))
        status, out, err = run(capsys, "show", log, "--lang", "en")
        assert (status, out) == (2, "")
        assert "does not hold" in err

    def test_labels_cannot_steer_the_terminal(self, capsys: Said, tmp_path: Path) -> None:
        path = tmp_path / "rtl.jsonl"
        players = ("a\u202eb", "c\u200bd")
        path.write_bytes(play_out("tavlino", 1, seed=1, players=players).data)
        _, out, _ = run(capsys, "show", path)
        assert "a\\u202eb" in out
        assert "\u202e" not in out


def test_checking_a_log_imports_none_of_this(log: Path) -> None:
    code = (
        "import sys; from verifier.cli import main; main(sys.argv[1:]); "
        "print(*[name for name in sys.modules if 'formats' in name or 'commands' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(log), "--json"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].strip() == ""
