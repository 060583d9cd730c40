"""Slips that programs make when they write a match, told from a play that was never legal.

Each is from a public report of a backgammon program (`tests/unit/formats/test_slips.py` names
them): point numbers of the wrong side, a move written twice, a double written as two turns.
"""

import re

from verifier.formats.transcript import Game, Turn
from verifier.rules import direct
from verifier.rules.game import Game as Board
from verifier.rules.messages import RuleError


def named(board: Board, game: Game, at: int) -> str:
    """The code of the slip that explains why action `at` was refused on this board, or ""."""
    if board.result is not None:
        return "after-end"
    turn = game.actions[at]
    if not isinstance(turn, Turn) or board.phase != "roll":
        return ""
    if board.player != turn.player:
        return "turn-twice"
    if _goes_on(turn, game, at):
        return "double-split"
    for code, moves in (
        ("play-duplicate", _without_repeat(turn)),
        ("play-mirrored", _mirrored(turn)),
    ):
        if moves and _legal(board, turn, moves):
            return code
    return ""


def _goes_on(turn: Turn, game: Game, at: int) -> bool:
    """Whether a double's other moves stand in a turn of their own, by the same player."""
    following = game.actions[at + 1] if at + 1 < len(game.actions) else None
    return (
        isinstance(following, Turn)
        and turn.dice[0] == turn.dice[1]
        and (following.player, following.dice) == (turn.player, turn.dice)
    )


def _without_repeat(turn: Turn) -> str:
    """The moves without the last one that stands there a second time; "" if none does."""
    words = (turn.moves or "").split()
    repeats = [at for at, word in enumerate(words) if word in words[:at]]
    return " ".join(words[: repeats[-1]] + words[repeats[-1] + 1 :]) if repeats else ""


def _mirrored(turn: Turn) -> str:
    """The moves with every point counted from the other side; a count in brackets stays."""
    return re.sub(
        r"(?<![(0-9])[0-9]+", lambda found: str(max(25 - int(found[0]), 0)), turn.moves or ""
    )


def _legal(board: Board, turn: Turn, moves: str) -> bool:
    me, opp = board.sides[turn.player], board.sides[1 - turn.player]
    try:
        direct.read(me, opp, turn.dice, moves, board.rules.style)
    except RuleError:
        return False
    return True
