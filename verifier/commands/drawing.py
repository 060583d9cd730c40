"""The board in characters, as player 0 sees it: X is player 0, O player 1."""

from typing import Final

from verifier.rules.board import BAR, Side, borne_off, pips, unpack

_HEIGHT: Final = 5


def board(sides: tuple[Side, Side]) -> list[str]:
    """The lines of a drawing: points 13 to 24 above, 12 to 1 below, the bar in the middle.

    Numbers are player 0's. More checkers than fit on a point are written as their number.
    """
    mine, theirs = (unpack(side) for side in sides)
    stacks = {point: (mine[point - 1], "X") for point in range(1, BAR) if mine[point - 1]}
    stacks |= {
        BAR - point: (theirs[point - 1], "O") for point in range(1, BAR) if theirs[point - 1]
    }
    above = _half(stacks, range(13, 25), (theirs[BAR - 1], "O"))
    below = _half(stacks, range(12, 0, -1), (mine[BAR - 1], "X"))
    rule = "+" + "-" * 24 + "+---+" + "-" * 24 + "+"
    counts = (
        f"{mark}: {pips(side)} pips, {borne_off(side)} off"
        for mark, side in zip("XO", sides, strict=True)
    )
    return [
        _numbers(range(13, 25)),
        rule,
        *above,
        "|" + " " * 24 + "|BAR|" + " " * 24 + "|",
        *reversed(below),
        rule,
        _numbers(range(12, 0, -1)),
        "   ".join(counts),
    ]


def _numbers(points: range) -> str:
    cells = [f"{point:^4}" for point in points]
    return " " + "".join(cells[:6]) + "     " + "".join(cells[6:])


def _half(stacks: dict[int, tuple[int, str]], points: range, bar: tuple[int, str]) -> list[str]:
    """The rows of one half, from the edge of the board to its middle."""
    rows = []
    for row in range(_HEIGHT):
        cells = [f"{_at(*stacks.get(point, (0, ' ')), row):^4}" for point in points]
        middle = f"|{_at(*bar, row):^3}|"
        rows.append("|" + "".join(cells[:6]) + middle + "".join(cells[6:]) + "|")
    return rows


def _at(count: int, checker: str, row: int) -> str:
    if row >= count:
        return ""
    return str(count) if row == _HEIGHT - 1 and count > _HEIGHT else checker
