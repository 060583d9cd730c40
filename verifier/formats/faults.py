"""What a replay may find wrong with a match file, each with its sentence.

A play, a roll or a cube action that the rules refuse has the rules' own code (`rules.messages`);
these are the others. Codes are part of the interface, the sentences are not.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from verifier.sentences import mark


class Fault(Struct, frozen=True):
    """Something in a file that the rules or the sums do not bear out, or that is oddly written.

    ``line`` counts from 1 (0: the file). ``code`` is a key of `FAULTS` or of the rules' `MESSAGES`;
    ``found``, ``expected`` and ``params`` fill its sentence.
    """

    line: int
    code: str
    found: str = ""
    expected: str = ""
    params: Mapping[str, str | int] = {}


REMARKS: Final[Mapping[str, str]] = {
    "game-number": mark("the game is numbered {found}; {expected} should come next"),
    "name-empty": mark("a player has no name"),
    "row-glued": mark("two rows stand on one line; the second is row {found}"),
    "row-number": mark("the row is numbered {found}; {expected} should come next"),
    "rules-length": mark(
        "the rules of {expected} are not played to {found} points; its other rules were applied"
    ),
    "tag-differs": mark("the file says {found}; the rules of {expected} say otherwise"),
    "play-untold": mark("a roll is there, but not how it was played: the game was given up"),
    "play-blank": mark(
        "the roll could be played and no move is there: taken as given up after the roll"
    ),
    "result-capped": mark(
        "{found} points are written, {expected} were won: cut to what the match has"
    ),
    "result-forfeit": mark(
        "{found} points are written, just what was missing to win the match: the loser left"
    ),
}
"""How a file is written, which breaks no rule."""

UNFINISHED: Final[Mapping[str, str]] = {
    "game-unfinished": mark("the file ends in the middle of a game"),
    "match-unfinished": mark("the match stops at {found}, before anyone has {expected} points"),
}
"""What is missing from the end of a file."""

BREACHES: Final[Mapping[str, str]] = {
    "after-end": mark("the game was over before this"),
    "cube-value": mark("the cube would stand at {expected}, not at {found}"),
    "double-split": mark("the double's moves are spread over two turns; they belong in one"),
    "game-after-end": mark("the match was won at {found}; no game can follow"),
    "game-cut": mark("the game has no end, and another one follows"),
    "gammon-with-off": mark(
        "{found} points are claimed as for a gammon, but the loser had borne checkers off: it is "
        "worth {expected}"
    ),
    "match-end-early": mark("the match is called over at {found} points of {expected}"),
    "names-differ": mark("the players are {found} here and were {expected} before"),
    "opening-tied": mark("a game cannot open with {found}: equal dice are rolled again"),
    "play-duplicate": mark("{found}: a move stands there once more than it can be made"),
    "play-mirrored": mark("{found}: the points are counted from the opponent's side"),
    "resign-points": mark("{expected} points were given up, but {found} are scored"),
    "result-as-jacoby": mark(
        "{found} is scored for a game worth {expected}, as if gammons did not count while the cube "
        "is not turned (the Jacoby rule)"
    ),
    "result-high": mark("{found} points are scored for a game worth {expected}"),
    "result-impossible": mark("no game can give {found} points here; the board says {expected}"),
    "result-low": mark("only {found} points are scored for a game worth {expected}"),
    "result-missing": mark("the game is over, but no result is written"),
    "result-winner": mark("the player who lost is written as the winner"),
    "score-line": mark("the score is written as {found}, but the games before make it {expected}"),
    "score-swapped": mark("the score {found} is the other way round; it is {expected}"),
    "starter": mark("the winner of the game before should have started this one"),
    "turn-twice": mark("{found}: this player has just moved; it is the other one's turn"),
}
"""What the rules or the sums do not bear out."""

FAULTS: Final[Mapping[str, str]] = {**REMARKS, **UNFINISHED, **BREACHES}
