"""The `.mat` texts that programs write, read as they mean them."""

import pytest

from tests.unit.formats.vectors import VECTORS, of, vector
from verifier.errors import InputError
from verifier.formats import mat
from verifier.formats.transcript import Double, Drop, Note, Resign, Result, Take, Turn, decoded


def test_galaxy_writes_no_stars_and_who_lost_on_a_line_of_its_own() -> None:
    match = vector("galaxy.mat")
    assert match.players == ("Ayşe", "Bora Can")
    assert match.length == 3
    assert match.crawford == "on"
    assert ("Player 1 Elo", "5,00/0") in match.tags
    first, second = match.games
    assert first.actions == (
        Turn(18, 1, (5, 1), "24/23 13/8"),
        Turn(19, 0, (3, 1), "8/5 6/5"),
        Turn(19, 1, (6, 2), "24/18 13/11"),
        Turn(20, 0, (6, 1), "13/7 8/7"),
        Turn(20, 1, (5, 5), ""),
        Double(21, 0, 2),
        Take(21, 1),
        Turn(22, 0, (2, 1), "13/11 6/5"),
        Turn(22, 1, (6, 4), "25/21 13/7"),
        Turn(23, 0, (4, 1), "24/20 11/10"),
        Resign(23, 1, 2),
    )
    assert first.result == Result(24, 0, 2)
    assert second.score == (2, 0)
    # The lone `Losses` stands on the left, but the winner is on the left: the loser is the other.
    assert second.actions[-1] == Resign(30, 1, 1)
    assert second.result == Result(31, 0, 1, match_over=True)


def test_studio_counts_in_brackets_and_says_that_a_player_cannot_move() -> None:
    match = vector("studio.mat")
    assert match.players == ("", "lasse")
    assert match.notes == (Note(8, "name-empty", "0"),)
    (game,) = match.games
    assert game.actions[2] == Turn(10, 0, (6, 6), "")
    assert Turn(11, 1, (3, 3), "8/5(2) 6/3(2)") in game.actions
    assert game.actions[-1] == Turn(14, 1, (4, 3), None)
    assert game.result == Result(15, 0, 3)


def test_a_byte_order_mark_and_carriage_returns_are_no_part_of_an_xg_file() -> None:
    data = (VECTORS / "xg.mat").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in data
    match = vector("xg.mat")
    assert match.players == ("Ada", "Miß")
    assert match.tags[0] == ("Site", "Paris, Fédération")
    assert match.comments == ("engine faulted",)
    assert match.games[0].result == Result(14, 1, 1)


def test_gammonsite_has_its_own_words() -> None:
    match = vector("gammonsite.mat")
    assert match.length == 5
    assert match.games[0].actions[2:] == (
        Double(6, 0, 2),
        Take(6, 1),
        Turn(7, 0, (1, 1), "6/4(2)"),
        Resign(7, 1),
    )


def test_two_rows_on_one_line_are_two_rows() -> None:
    match = vector("glued.mat")
    assert match.notes == (Note(6, "row-glued", "2"),)
    assert match.games[0].actions[2:] == (Turn(6, 0, (4, 3), "24/20 13/10"), Resign(6, 0, 1))
    assert match.games[0].result == Result(6, 1, 1, match_over=True)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (" a : 1 : 0      b c : 0", ("a : 1", "b c")),
        (" : 0   lasse : 0", ("", "lasse")),
        (" Ion (1500), x : 0   çağ_rı : 0", ("Ion (1500), x", "çağ_rı")),
        (" Game 2 : 0   1) 31: : 0", ("Game 2", "1) 31:")),
        (' "q" \u202ertl : 0 \u2067x\u2069 : 0', ('"q" \u202ertl', "\u2067x\u2069")),
    ],
)
def test_names_are_what_stands_before_the_last_two_scores(
    line: str, names: tuple[str, str]
) -> None:
    assert mat.read(of("  1) 31: 8/5 6/5", score=line)).players == names


def test_a_lone_cell_after_many_blanks_is_the_right_players() -> None:
    rows = "  1)                             52: 13/8 13/11\n  2) 31: 8/5 6/5"
    assert [action.player for action in mat.read(of(rows)).games[0].actions] == [1, 0]


def test_a_drop_without_its_answer_in_the_same_row_is_the_next_rows() -> None:
    rows = (
        "  1) 31: 8/5 6/5              42: 8/4 6/4\n  2) 11:            Doubles => 2\n  3)  Drops"
    )
    assert mat.read(of(rows)).games[0].actions[-2:] == (Double(6, 1, 2), Drop(7, 0))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (of("  1) 31: 8/5 6/5 hello"), "match-moves", 5),
        (of("  1) 31: 5-8"), "match-moves", 5),
        (of("  1) 8/5 6/5"), "match-line", 5),
        (of("  1) 31: 8/5 6/5  42: 8/4 6/4  11: 6/5"), "match-line", 5),
        (of("  1) 71: 8/1"), "match-line", 5),
        (of("  1) 31: 8/5 6/5  Beavers"), "match-moves", 5),
        (of("something else"), "match-line", 5),
        (of("  1) 31: 8/5 6/5\n      Wins 1 point\n  2) 31: 8/5"), "match-out-of-place", 7),
        (of("      Wins 99999 points"), "match-number", 5),
        (of("x" * 2000), "match-line", 5),
        (of("", score=" A 0  B 0"), "match-line", 4),
        (" Game 1\n A : 0  B : 0\n", "match-no-length", 1),
        (" 3 point match\n 3 point match\n", "match-out-of-place", 2),
        (" 3 point match\n  1) 31: 8/5 6/5\n", "match-out-of-place", 2),
        (" 3 point match\n Game 1\n", "match-out-of-place", 2),
    ],
)
def test_what_is_not_understood_is_an_error_with_its_line(text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        mat.read(text)
    assert caught.value.code == code
    assert caught.value.params["line"] == line


@pytest.mark.parametrize("text", ["", '; [Site "x"]\n', " 3 point match\n"])
def test_a_file_without_a_game_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no game"):
        mat.read(text)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"  \n", "file-empty"),
        (b" 3 point match\n\xff", "match-not-utf8"),
        (b" " * (16 * 1024 * 1024) + b"x", "match-too-long"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        decoded(data)
    assert caught.value.code == code
