"""The board as it is drawn: player 0 is X and moves towards the lower right."""

from verifier.commands.drawing import board
from verifier.rules.board import START, at

DRAWN = """\
  13  14  15  16  17  18       19  20  21  22  23  24
+------------------------+---+------------------------+
| X               O      |   | O                   X  |
| X               O      |   | O                   X  |
| X               O      |   | O                      |
| X                      |   | O                      |
| X                      |   | O                      |
|                        |BAR|                        |
| O                      |   | X                      |
| O                      |   | X                      |
| O               X      |   | X                      |
| O               X      |   | X                   O  |
| O               X      |   | X                   O  |
+------------------------+---+------------------------+
  12  11  10  9   8   7        6   5   4   3   2   1
X: 167 pips, 0 off   O: 167 pips, 0 off"""


def test_the_start_is_the_one_of_every_rule_page() -> None:
    assert [line.rstrip() for line in board((START, START))] == DRAWN.splitlines()


def test_more_than_five_checkers_are_a_number_and_the_bar_is_between() -> None:
    lines = board((at(25, 2) + at(1, 7), at(25)))
    assert [line[25:30] for line in lines[2:13]] == [
        "| O |",
        *["|   |"] * 4,
        "|BAR|",
        *["|   |"] * 3,
        *["| X |"] * 2,
    ]
    assert lines[8][-5:] == " 7  |"
    assert lines[-1] == "X: 57 pips, 6 off   O: 25 pips, 14 off"
