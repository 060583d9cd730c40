"""GNU Backgammon's `.sgf`, read as it writes it."""

import pytest

from tests.unit.formats.vectors import VECTORS, vector
from verifier.commands.console import STANDARD
from verifier.errors import InputError
from verifier.formats import sgf
from verifier.formats.replay import replay
from verifier.formats.transcript import Double, Drop, Result, Turn

GAME = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[a]PB[b]{}\n;W[31hefe])"


def test_letters_are_whites_points_for_both_players() -> None:
    match = vector("gnubg.sgf")
    assert match.players == ("Ay]şe", "B")
    assert match.length == 7
    assert match.crawford == "on"
    assert dict(match.tags)["Event"] == "Cup"
    first, second = match.games
    assert first.actions == (
        Turn(2, 0, (3, 1), "8/5 6/5"),
        Turn(3, 1, (4, 2), "8/4 6/4"),
        Double(4, 0),
        Drop(5, 1),
    )
    assert first.result == Result(1, 0, 1)
    assert second.score == (1, 0)
    assert second.actions == (Turn(7, 1, (6, 5), "24/18 18/13"), Turn(8, 0, (2, 1), None))
    assert second.result is None


def test_the_same_match_in_both_formats_replays_to_the_same_positions() -> None:
    both = [replay(vector(name), *STANDARD) for name in ("gnubg.mat", "gnubg.sgf")]
    mat, sgf_ = ([[p.after for p in game.made] for game in one.games] for one in both)
    assert mat == sgf_
    assert len(mat[0]) == 2


def test_bar_and_off_are_y_and_z() -> None:
    text = GAME.format("").replace(";W[31hefe]", ";W[63ysaz];B[63ygxz]")
    white, black = sgf.read(text).games[0].actions
    assert isinstance(white, Turn)
    assert isinstance(black, Turn)
    assert white.moves == "bar/19 1/off"
    assert black.moves == "bar/18 1/off"


def test_a_resignation_stands_in_the_result_alone() -> None:
    game = sgf.read(GAME.format("RE[B+2R]")).games[0]
    assert game.result == Result(1, 1, 2)
    assert game.actions[-1].player == 0


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("(;FF[4]GM[1])", "sgf-not-backgammon", 1),
        (GAME.format("RU[Nackgammon:Crawford]"), "match-variation", 1),
        (GAME.format("CV[2]"), "sgf-set-up", 1),
        (GAME.format("").replace(";W", ";AE[a:y]AW[a]\n;W"), "sgf-set-up", 2),
        (GAME.format("").replace("31hefe", "37he"), "sgf-play", 2),
        (GAME.format("").replace("31hefe", "31hef"), "sgf-play", 2),
        (GAME.format("").replace(";W", ";PL[X]DI[31]\n;W"), "sgf-play", 2),
        (GAME.format("").replace(";W", "(;W"), "sgf-syntax", 2),
        (GAME.format("")[:-1], "sgf-syntax", 2),
        (GAME.format("").replace("length:3", "length:99999"), "match-number", 1),
        (GAME.format("").replace("[length:3]", ""), "sgf-syntax", 1),
        ("\n\nhello", "sgf-syntax", 3),
    ],
)
def test_what_is_no_match_is_an_error_with_its_line(text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        sgf.read(text)
    assert caught.value.code == code
    assert caught.value.params["line"] == line


def test_the_vector_holds_analysis_and_escapes_that_a_reader_must_skip() -> None:
    text = (VECTORS / "gnubg.sgf").read_text()
    assert "A[0][hefe" in text
    assert r"\]" in text
