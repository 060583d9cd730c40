"""A match as text files tell it: who rolled what, how it was played, the cube, the results.

Player 0 is the left column of a `.mat` file and White of an `.sgf`. Every action knows the line,
counted from 1, that it came from; 0 where there is none. Nothing in here is judged: `replay` does.
"""

from typing import Literal

from msgspec import Struct

from verifier.errors import InputError
from verifier.sentences import mark

MAX_FILE = 16 * 1024 * 1024  # characters: a 25-point match with every position analysed has 4 MiB
MAX_POINTS = 9999  # of a result, a score or a match
MAX_GAMES = 2000


class Turn(Struct, frozen=True):
    """A roll and its play: dice as written, ``moves`` on the mover's own points.

    ``moves`` is "" when nothing was moved and None when the file does not tell what was (resigned
    after the roll).
    """

    line: int
    player: int
    dice: tuple[int, int]
    moves: str | None


class Double(Struct, frozen=True):
    """The cube offered; ``value`` is what it would stand at, None where the file does not tell."""

    line: int
    player: int
    value: int | None = None


class Take(Struct, frozen=True):
    """The cube taken."""

    line: int
    player: int


class Drop(Struct, frozen=True):
    """The cube refused, and with it the game."""

    line: int
    player: int


class Resign(Struct, frozen=True):
    """A game given up, by resigning or by running out of time; ``points`` as the file has them."""

    line: int
    player: int
    points: int | None = None


Action = Turn | Double | Take | Drop | Resign


class Result(Struct, frozen=True):
    """A game's result: ``match_over`` where the file says that it ended the match."""

    line: int
    winner: int
    points: int
    match_over: bool = False


class Game(Struct, frozen=True):
    """One game. ``score`` is that before it, ``score_line`` where it stands."""

    line: int
    number: int
    score: tuple[int, int]
    score_line: int
    actions: tuple[Action, ...]
    result: Result | None = None


class Note(Struct, frozen=True):
    """Something odd in how the file is written: ``code`` is one of `replay.FAULTS`."""

    line: int
    code: str
    found: str = ""
    expected: str = ""


Switch = Literal["on", "off", ""]
"""Whether a file says that a rule holds; "" where it says nothing."""


class Transcript(Struct, frozen=True):
    """A whole file. ``length`` is in points, 0 for a money session.

    ``tags`` are the file's own key and value pairs, ``comments`` its other remarks, in order.
    ``won_early_elsewhere``: another program, which counts three points for a backgammon, would take
    the match for won before its end.
    """

    players: tuple[str, str]
    length: int
    games: tuple[Game, ...]
    tags: tuple[tuple[str, str], ...] = ()
    comments: tuple[str, ...] = ()
    crawford: Switch = ""
    jacoby: Switch = ""
    length_line: int = 0
    notes: tuple[Note, ...] = ()
    won_early_elsewhere: bool = False

    @property
    def rolls(self) -> int:
        """How many rolls the file tells."""
        return sum(isinstance(action, Turn) for game in self.games for action in game.actions)


def decoded(data: bytes) -> str:
    """A file's text: UTF-8, with or without a byte order mark.

    Raises `InputError` ``file-empty``, ``match-too-long`` or ``match-not-utf8``.
    """
    if not data.strip():
        raise InputError("file-empty", "the file is empty")
    if len(data) > MAX_FILE:
        raise InputError("match-too-long", "the file is longer than {limit} bytes", limit=MAX_FILE)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = mark("line {line}: this is not UTF-8; save the file as UTF-8 and try again")
        raise InputError("match-not-utf8", text, line=line) from None


def number(text: str, line: int) -> int:
    """A count in a file. Raises `InputError` ``match-number`` above `MAX_POINTS`."""
    if len(text) > 4 or not text.isascii():
        raise InputError(
            "match-number",
            "line {line}: {found} is more than a match can have",
            line=line,
            found=text[:20],
        )
    return int(text)


def too_many_games(line: int) -> InputError:
    """The refusal of a file with more than `MAX_GAMES` games."""
    text = mark("line {line}: a file can have {limit} games and no more")
    return InputError("match-too-many-games", text, line=line, limit=MAX_GAMES)


MAX_NAME = 31
"""Bytes of a player's name in a written file: GNU Backgammon cuts a longer one, in the middle of
a letter too, and then falls over it."""


def short_name(name: str, player: int) -> str:
    """A player's name as it is written into a file: on one line, and at most `MAX_NAME` bytes.

    A backslash, which GNU Backgammon reads as two, becomes a slash.
    """
    line = " ".join(one_line(name).replace("\\", "/").split())
    return line.encode()[:MAX_NAME].decode(errors="ignore").strip() or f"Player {player + 1}"


def one_line(text: str) -> str:
    """Text without line ends and control characters."""
    return "".join(character if character.isprintable() else " " for character in text)
