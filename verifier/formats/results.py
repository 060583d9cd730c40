"""Results and score lines: what the board and the cube give, beside what a file says.

Points that a file writes differ from the board's for reasons that are no cheating: some programs
cap them at the match's length, some apply the Jacoby rule without saying so, and a player who left
loses what the other still needed. Each has a code of its own, so that a reader can tell them from
a gammon scored as a single game, or one claimed against a player who had borne checkers off.
"""

from typing import Literal

from msgspec import Struct

from verifier.formats.faults import Fault
from verifier.formats.transcript import Game, Resign, Result
from verifier.rules.board import borne_off
from verifier.rules.game import Game as Board

Score = tuple[int, int]


class Found(Struct, frozen=True):
    """How a game was left on the board.

    ``cut``: None when all its actions were followed; else ``fault``, ``untold`` (the last roll's
    play is not told) or ``resigned``.
    """

    cut: Literal["fault", "untold", "resigned"] | None
    resigned: Resign | None = None


def score_line(game: Game, score: Score, target: int | None, *, first: bool) -> list[Fault]:
    """What is wrong with the score before a game, when it should be `score`."""
    faults = []
    if not first and target is not None and max(score) >= target:
        faults.append(Fault(game.line, "game-after-end", shown(score)))
    if game.score != score:
        swapped = game.score == score[::-1]
        code = "score-swapped" if swapped else "score-line"
        faults.append(Fault(game.score_line, code, shown(game.score), shown(score)))
    return faults


def judge(game: Game, board: Board, found: Found, score: Score, target: int | None) -> list[Fault]:
    """What is wrong with a game's result, as the file has it."""
    result = game.result
    if result is None:
        if board.result is not None or found.resigned is not None:
            line = game.actions[-1].line
            return [Fault(line, "result-missing")]
        return []
    faults = [*_match_over(result, score, target), *_resigned(result, found.resigned)]
    if found.cut == "fault":
        return faults
    if board.result is None:
        return [*faults, *_given_up(result, board, score, target)]
    if board.result.winner != result.winner:
        return [*faults, Fault(result.line, "result-winner")]
    return [*faults, *_points(result, board, score, target)]


def after(game: Game, board: Board, score: Score) -> tuple[Score, int | None]:
    """The score after a game and its winner, by the file's own word where it gives one."""
    if game.result is not None:
        winner, points = game.result.winner, game.result.points
    elif board.result is not None:
        winner, points = board.result.winner, board.result.points
    else:
        return score, None
    won = score[winner] + points
    return ((score[0], won) if winner else (won, score[1])), winner


def shown(score: Score) -> str:
    """A score as text."""
    return f"{score[0]}–{score[1]}"


def _match_over(result: Result, score: Score, target: int | None) -> list[Fault]:
    reached = score[result.winner] + result.points
    if not result.match_over or (target is not None and reached >= target):
        return []
    return [Fault(result.line, "match-end-early", str(reached), str(target or "–"))]


def _resigned(result: Result, resigned: Resign | None) -> list[Fault]:
    if resigned is None:
        return []
    if resigned.player == result.winner:
        return [Fault(result.line, "result-winner")]
    if resigned.points not in (None, result.points):
        return [Fault(result.line, "resign-points", str(result.points), str(resigned.points))]
    return []


def _points(result: Result, board: Board, score: Score, target: int | None) -> list[Fault]:
    """The points of a game that ended on the board or by a drop."""
    assert board.result is not None
    told, due = result.points, board.result.points
    if told == due:
        return []
    loser = board.sides[1 - result.winner]
    if told < due and _capped(result, score, target):
        code = "result-capped"
    elif told < due and board.owner is None and told == board.cube:
        code = "result-as-jacoby"
    elif told < due:
        code = "result-low"
    elif board.result.kind == "single" and borne_off(loser) and told in _multiples(board):
        code = "gammon-with-off"
    elif told > 3 * board.cube and _fills(result, score, target):
        code = "result-forfeit"
    else:
        code = "result-high"
    return [Fault(result.line, code, str(told), str(due))]


def _given_up(result: Result, board: Board, score: Score, target: int | None) -> list[Fault]:
    """The points of a game that was given up: 1, 2 or 3 times the cube, as was agreed."""
    told, winner = result.points, result.winner
    worth, _ = board.worth(1 - winner)
    due = worth * board.cube
    if told in _multiples(board):
        single = board.rules.jacoby and board.owner is None
        if told > board.cube and (borne_off(board.sides[1 - winner]) or single):
            code = "result-high" if single else "gammon-with-off"
            return [Fault(result.line, code, str(told), str(due))]
        return []
    if told < due and _capped(result, score, target):
        code = "result-capped"
    else:
        code = "result-forfeit" if _fills(result, score, target) else "result-impossible"
    return [Fault(result.line, code, str(told), str(due))]


def _multiples(board: Board) -> tuple[int, ...]:
    return tuple(times * board.cube for times in (1, 2, 3))


def _capped(result: Result, score: Score, target: int | None) -> bool:
    """Whether the points were cut to the match's length, or to what was still needed."""
    return result.points == target or _fills(result, score, target)


def _fills(result: Result, score: Score, target: int | None) -> bool:
    """Whether the points are just what the winner still needed."""
    return target is not None and score[result.winner] + result.points == target
