"""``dice-verify legal``: the door for other people's engines and test sets."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.rules.positions import random_positions
from verifier.cli import main
from verifier.rules.board import START, unpack

TRICKY = json.loads((Path(__file__).parents[2] / "vectors" / "rules" / "tricky.json").read_text())
OPENING = {"me": list(unpack(START)), "opp": list(unpack(START)), "dice": [2, 1]}


def ask(
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    *lines: object,
    arguments: tuple[str, ...] = (),
) -> list[dict[str, Any]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["legal", "--lang", "en", *arguments]) == 0
    return [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]


@pytest.fixture
def legal(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    def of(*lines: object, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        return ask(monkeypatch, capsysbinary, *lines, arguments=arguments)

    return of


def test_the_tricky_positions_have_the_plays_that_three_engines_found(legal: Any) -> None:
    """A count is named where the vectors give the plays themselves."""
    asked = [case for case in TRICKY if "plays" in case and not case["style"]]
    lines = [{key: case[key] for key in ("me", "opp", "dice")} for case in asked]
    for case, answer in zip(asked, legal(*lines), strict=True):
        if isinstance(case["plays"], list):
            assert [play[0] for play in answer["plays"]] == sorted(case["plays"]), case["name"]


def test_plays_are_sorted_and_each_leads_to_another_position(legal: Any) -> None:
    (answer,) = legal(OPENING)
    plays = answer["plays"]
    assert len(plays) == 15  # of 2-1 from the start, as GNU Backgammon counts them
    texts = [text for text, _, _ in plays]
    assert texts == sorted(texts)
    assert len({(*me, *opp) for _, me, opp in plays}) == 15
    _, me, opp = plays[texts.index("13/11 6/5")]
    assert (me[12], me[10], me[5], me[4]) == (4, 1, 4, 1)
    assert opp == OPENING["opp"]


def test_a_turn_that_passes_has_no_plays(legal: Any) -> None:
    bar = [0] * 24 + [15]
    blocked = [2] * 6 + [0] * 19
    assert legal({"me": bar, "opp": blocked, "dice": [3, 1]}) == [{"plays": []}]
    (answer,) = legal({"me": bar, "opp": blocked, "dice": [3, 1], "play": ""})
    assert answer == {"legal": True, "play": "", "me": bar, "opp": blocked}


def test_a_play_is_judged_and_told_why(legal: Any) -> None:
    good, bad, odd = legal(
        OPENING | {"play": "6/5 13/11"}, OPENING | {"play": "13/11"}, OPENING | {"play": "13/8"}
    )
    assert (good["legal"], good["play"]) == (True, "13/11 6/5")
    assert good["me"][4] == 1
    assert (bad["legal"], bad["code"]) == (False, "play_dice_left")
    assert "More of the dice can be played" in bad["why"]
    assert odd["code"] == "notation_not_these_dice"


def test_the_order_of_the_steps_and_of_the_dice_does_not_matter(legal: Any) -> None:
    """github.com/ichabod801/t_games/issues/194: 5 and 2 left, 4-2, the larger die not first."""
    me = [0, 1, 0, 0, 1] + [0] * 20
    end = {"me": me, "opp": [1] + [0] * 24, "dice": [4, 2]}
    for play in ("2/off 5/1", "5/1 2/off"):
        (answer,) = legal(end | {"play": play})
        assert (answer["legal"], answer["play"]) == (True, "5/1 2/off")


def test_rules_are_those_of_the_rule_set_named(legal: Any) -> None:
    """A 6 takes a checker off the 4 point although one stands on the 5: kafadinle alone."""
    me = [0, 0, 0, 1, 1] + [0] * 20
    line = {"me": me, "opp": [0] * 23 + [1, 0], "dice": [6, 1], "play": "5/4 4/off"}
    assert legal(line)[0]["legal"]
    line["play"] = "4/off 5/4"
    assert legal(line)[0]["legal"]
    line |= {"me": [0, 1, 0, 0, 1] + [0] * 20, "play": "2/off 5/4"}
    assert not legal(line)[0]["legal"]
    assert legal(line, arguments=("--rules", "kafadinle"))[0]["legal"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "query-unreadable"),
        ("[" * 5000, "query-unreadable"),
        ("x" * 100_000, "query-unreadable"),
        ('{"me": 1}', "query-unreadable"),
        (OPENING | {"dice": [0, 7]}, "query-unreadable"),
        (OPENING | {"more": 1}, "query-unreadable"),
        (OPENING | {"me": [1] * 24}, "board_counts"),
        (OPENING | {"me": [1] * 25}, "board_counts"),
        (OPENING | {"opp": [0] * 23 + [1, 0], "me": [1] + [0] * 24}, "board_shared_point"),
    ],
)
def test_a_bad_line_is_answered_with_its_number_and_the_next_is_read(
    legal: Any, line: object, error: str
) -> None:
    before, answer, after = legal(OPENING, line, OPENING)
    assert (answer["line"], answer["error"]) == (2, error)
    assert answer["message"]
    assert before == after


def test_rules_that_do_not_exist_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["legal", "--rules", "chess"]) == 2
    assert "chess" in capsys.readouterr().err


def test_a_thousand_positions_as_a_process() -> None:
    """Through a real pipe, and each answered by itself."""
    lines = [
        json.dumps({"me": unpack(me), "opp": unpack(opp), "dice": roll})
        for me, opp, roll in random_positions(5, 1000)
    ]
    done = subprocess.run(
        [sys.executable, "-c", "from verifier.cli import main; main(['legal'])"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = done.stdout.splitlines()
    assert len(answers) == 1000
    assert all("plays" in json.loads(answer) for answer in answers)
