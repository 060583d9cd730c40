"""The `.mat` text that Jellyfish began and GNU Backgammon, Galaxy, Studio and XG write.

Header remarks (``; [Key "Value"]``), ``N point match``, then games: a line ``Game N``, the score
line ``A : 0   B : 0``, numbered rows with a cell for each player, and ``Wins N points``, whose
column says who won. Widths differ between writers, so a row is cut where a new cell begins, never
at a column; the column only tells which side a lone cell is on.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, cast

from verifier.errors import InputError
from verifier.formats.transcript import (
    MAX_GAMES,
    Action,
    Double,
    Drop,
    Game,
    Note,
    Resign,
    Result,
    Switch,
    Take,
    Transcript,
    Turn,
    number,
    too_many_games,
)

_REMARK = re.compile(r"\s*[;#]\s?(?P<text>.*)")
_TAG = re.compile(r'\[(?P<key>[^"\[\]]+?)\s+"(?P<value>.*)"\]\s*')
_LENGTH = re.compile(r"\s*(?:([0-9]+) points? match|match of ([0-9]+) points?)\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game ([0-9]+)\s*")
_SCORE = re.compile(
    r"\s*?(?P<left>.*) : (?P<score_0>[0-9]+)\s+(?P<right>.*) : (?P<score_1>[0-9]+)\s*"
)
_ROW = re.compile(r"\s*(?P<number>[0-9]+)\)(?P<cells>.*)")
_GLUED = re.compile(r"(?<=\s)(?P<number>[0-9]+)\)(?=\s)")
_CELL = re.compile(
    r"(?<!\S)(?:(?P<dice>[1-6]{2}):?(?!\S)"
    r"|Doubles? => (?P<value>[0-9]+)"
    r"|(?P<take>Takes|Accepts)"
    r"|(?P<drop>Drops|Rejects|Passes)"
    r"|Wins (?P<won>[0-9]+) points?(?P<match> and the match)?"
    r"|Losses (?P<lost>[0-9]+) points?"
    r"|(?P<resign>Resigns|Resigned (?:Game|Match)|Forfeits|Lo(?:st|ses) on time))(?!\S)"
)
_WORD = r"(?:bar|[0-9]{1,2})(?:/(?:off|[0-9]{1,2})\*?)+(?:\([1-4]\))?\*?"
_MOVES = re.compile(rf"{_WORD}(?:[\s,]+{_WORD})*", re.IGNORECASE)
_DANCED = re.compile(r"cannot move", re.IGNORECASE)
_UNTOLD = re.compile(r"\?{2,}")

_MOST_IN_A_LINE: Final = 1000
_MOST_IN_A_CELL: Final = 120
_RIGHT_CELL: Final = 12
"""A lone cell of a row that begins after so many blanks is the right player's."""
_RIGHT_RESULT: Final = 20
"""The same for a result line without a row number; writers put it at about 6 or 34."""


def read(text: str) -> Transcript:
    """The match in a `.mat` text.

    Raises `InputError` with the line of the first thing that is not understood: ``match-line``,
    ``match-moves``, ``match-number``, ``match-no-length``, ``match-no-game``,
    ``match-out-of-place``, ``match-too-many-games``.
    """
    reader = _Reader()
    for line, content in enumerate(text.split("\n"), start=1):
        reader.take(line, content.rstrip())
    return reader.close()


class _Cell(NamedTuple):
    found: re.Match[str]
    text: str  # what follows it, up to the next cell
    column: int


class _Reader:
    """Takes a file line by line."""

    def __init__(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.notes: list[Note] = []
        self.length: int | None = None
        self.length_line = 0
        self.players: tuple[str, str] | None = None
        self.games: list[Game] = []
        self._clear()

    def _clear(self) -> None:
        self.header: tuple[int, int] | None = None  # line and number of the game
        self.score: tuple[int, int] | None = None
        self.score_line = 0
        self.actions: list[Action] = []
        self.result: Result | None = None
        self.rows = 0
        self.loose_resign = False  # the last action is a loss whose column says nothing

    def take(self, line: int, content: str) -> None:
        if not content.strip():
            return
        if len(content) > _MOST_IN_A_LINE:
            raise _strange(line, content)
        if remark := _REMARK.fullmatch(content):
            self._remark(remark["text"])
        elif self.header is not None and self.score is None:
            self._score(line, content)
        elif found := _LENGTH.fullmatch(content):
            if self.length is not None:
                raise _out_of_place(line, content)
            self.length, self.length_line = number(found[1] or found[2], line), line
        elif found := _GAME.fullmatch(content):
            self._game(line, number(found[1], line))
        elif self.score is None:
            raise (
                _out_of_place(line, content) if _ROW.fullmatch(content) else _strange(line, content)
            )
        elif row := _ROW.fullmatch(content):
            self._row(line, row["number"], row["cells"])
        else:
            self._unnumbered(line, content)

    def close(self) -> Transcript:
        self._end_game()
        if not self.games or self.players is None or self.length is None:
            raise InputError("match-no-game", "there is no game in this file")
        tags = {key.lower(): value.lower() for key, value in self.tags}
        return Transcript(
            self.players,
            self.length,
            tuple(self.games),
            tuple(self.tags),
            tuple(self.comments),
            _switch(tags.get("crawford", "")),
            _switch(tags.get("jacoby", "")),
            self.length_line,
            tuple(self.notes),
        )

    def _remark(self, text: str) -> None:
        if tag := _TAG.fullmatch(text):
            self.tags.append((tag["key"], tag["value"]))
        else:
            self.comments.append(text)

    def _game(self, line: int, game: int) -> None:
        if self.length is None:
            raise InputError(
                "match-no-length",
                "line {line}: a game begins, but no line before it says how many points the match "
                "has, like '7 point match'",
                line=line,
            )
        self._end_game()
        if len(self.games) == MAX_GAMES:
            raise too_many_games(line)
        if game != len(self.games) + 1:
            self.notes.append(Note(line, "game-number", str(game), str(len(self.games) + 1)))
        self.header = line, game

    def _score(self, line: int, content: str) -> None:
        found = _SCORE.fullmatch(content)
        if found is None:
            raise _strange(line, content)
        names = found["left"].strip(), found["right"].strip()
        if self.players is None:
            self.players = names
            self.notes += [
                Note(line, "name-empty", str(side)) for side in (0, 1) if not names[side]
            ]
        elif names != self.players:
            self.notes.append(
                Note(line, "names-differ", " – ".join(names), " – ".join(self.players))
            )
        self.score = number(found["score_0"], line), number(found["score_1"], line)
        self.score_line = line

    def _end_game(self) -> None:
        if self.header is None:
            return
        line, game = self.header
        if self.score is None:
            raise _out_of_place(line, f"Game {game}")
        self.games.append(
            Game(line, game, self.score, self.score_line, tuple(self.actions), self.result)
        )
        self._clear()

    def _row(self, line: int, row: str, cells: str) -> None:
        if glued := _GLUED.search(cells):
            self.notes.append(Note(line, "row-glued", glued["number"]))
            self._row(line, row, cells[: glued.start()])
            rest = cells[glued.end() :]
            if _GLUED.search(rest):
                raise _strange(line, rest)
            self._cells(line, rest)
            return
        self.rows += 1
        if int(row[:6]) != self.rows:
            self.notes.append(Note(line, "row-number", row[:6], str(self.rows)))
            self.rows = int(row[:6])
        self._cells(line, cells)

    def _cells(self, line: int, text: str) -> None:
        cells = tuple(_cut(line, text))
        if len(cells) > 2:
            raise _strange(line, cells[2].found[0])
        for cell in cells:
            side = int(cell is not cells[0] if len(cells) == 2 else cell.column >= _RIGHT_CELL)
            self._cell(line, side, cell)

    def _unnumbered(self, line: int, content: str) -> None:
        cells = tuple(_cut(line, content))
        if len(cells) != 1 or not (cells[0].found["won"] or cells[0].found["lost"]):
            raise _strange(line, content)
        self._cell(line, int(cells[0].column >= _RIGHT_RESULT), cells[0])
        self.loose_resign = cells[0].found["lost"] is not None

    def _cell(self, line: int, side: int, cell: _Cell) -> None:
        found = cell.found
        if self.result is not None:
            raise _out_of_place(line, found[0])
        if found["won"]:
            self._wins(line, side, found)
            return
        self.loose_resign = False
        if found["dice"]:
            first, second = map(int, found["dice"])
            self.actions.append(Turn(line, side, (first, second), _moves(line, cell.text)))
        elif found["value"]:
            self.actions.append(Double(line, side, number(found["value"], line)))
        elif found["take"]:
            self.actions.append(Take(line, side))
        elif found["drop"]:
            self.actions.append(Drop(line, side))
        else:
            points = number(found["lost"], line) if found["lost"] else None
            self.actions.append(Resign(line, side, points))

    def _wins(self, line: int, side: int, found: re.Match[str]) -> None:
        self.result = Result(line, side, number(found["won"], line), found["match"] is not None)
        last = self.actions[-1] if self.actions else None
        if self.loose_resign and isinstance(last, Resign):
            self.actions[-1] = Resign(last.line, 1 - side, last.points)


def _cut(line: int, text: str) -> Iterator[_Cell]:
    """The cells of a row."""
    starts = list(_CELL.finditer(text))
    if text[: starts[0].start() if starts else None].strip():
        raise _strange(line, text)
    for at, found in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        follows = text[found.end() : end].strip()
        if follows and not found["dice"]:
            raise _strange(line, follows)
        yield _Cell(found, follows, found.start())


def _moves(line: int, text: str) -> str | None:
    if _UNTOLD.fullmatch(text):
        return None
    if not text or _DANCED.fullmatch(text):
        return ""
    if len(text) > _MOST_IN_A_CELL or not _MOVES.fullmatch(text):
        raise InputError(
            "match-moves",
            "line {line}: '{found}' is no play; moves look like 24/18 13/11, bar/20* or 6/off(2)",
            line=line,
            found=text[:_MOST_IN_A_CELL],
        )
    return " ".join(text.lower().replace(",", " ").split())


def _switch(value: str) -> Switch:
    return cast("Literal['on', 'off']", value) if value in ("on", "off") else ""


def _strange(line: int, content: str) -> InputError:
    return InputError(
        "match-line",
        "line {line}: '{found}' is not understood",
        line=line,
        found=content.strip()[:80],
    )


def _out_of_place(line: int, content: str) -> InputError:
    return InputError(
        "match-out-of-place",
        "line {line}: '{found}' cannot stand here",
        line=line,
        found=content.strip()[:80],
    )
