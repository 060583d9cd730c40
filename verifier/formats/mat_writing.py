"""A transcript as `.mat` text that GNU Backgammon, and whatever else reads the format, opens."""

import re
from collections.abc import Iterator

from verifier.formats.transcript import (
    Double,
    Drop,
    Game,
    Resign,
    Result,
    Take,
    Transcript,
    Turn,
    one_line,
    short_name,
)


def write(transcript: Transcript) -> str:
    """The `.mat` of a transcript, its moves as they stand in it.

    Names lose what would make their line unreadable: a colon, a leading remark sign, line breaks.
    Where GNU Backgammon, which counts points by the board, would take the match for won and leave
    out its last games, it is written as a session without a length; a remark says how long it was.
    """
    length = 0 if transcript.won_early_elsewhere else transcript.length

    remarks = [f'[{key} "{one_line(value)}"]' for key, value in transcript.tags if value]
    remarks += map(one_line, transcript.comments)
    if length != transcript.length:
        remarks.append(f"a match to {transcript.length} points; a backgammon counts two at most")
    names = [_column_name(name, player) for player, name in enumerate(transcript.players)]
    lines = [f"; {remark}" for remark in remarks]
    lines += ["", f" {length} point match", ""]
    for at, game in enumerate(transcript.games, start=1):
        left, right = (f"{name} : {score}" for name, score in zip(names, game.score, strict=True))
        lines += [f" Game {at}", f" {left:<32}  {right}", *_rows(game)]
        if game.result is not None:
            wins = _wins(game, game.result, length)
            if game.result.winner and _left_drops(game):
                lines[-1] = f"{lines[-1]:<38} {wins}"  # GNU Backgammon wants it beside the drop
            else:
                lines.append(" " * (38 if game.result.winner else 6) + wins)
        lines.append("")
    return "\n".join(lines)


def _left_drops(game: Game) -> bool:
    last = game.actions[-1] if game.actions else None
    return isinstance(last, Drop) and last.player == 0


def _rows(game: Game) -> Iterator[str]:
    rows: list[list[str]] = []
    cube = 1
    for action in game.actions:
        if isinstance(action, Resign):
            continue  # what was given up stands in the result
        if not rows or action.player == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][action.player] = _written(action, 2 * cube)
        cube *= 2 if isinstance(action, Take) else 1
    for at, (left, right) in enumerate(rows, start=1):
        yield f"{at:>3}) {left:<32} {right}".rstrip()


def _written(action: Turn | Double | Take | Drop, doubled: int) -> str:
    match action:
        case Turn():
            moves = "????" if action.moves is None else action.moves
            return f"{action.dice[0]}{action.dice[1]}: {moves}"
        case Double():
            return f" Doubles => {action.value or doubled}"
        case Take():
            return " Takes"
        case Drop():
            return " Drops"


def _wins(game: Game, result: Result, length: int) -> str:
    text = f"Wins {result.points} point" + ("s" if result.points != 1 else "")
    if length and game.score[result.winner] + result.points >= length:
        text += " and the match"
    return text


def _column_name(name: str, player: int) -> str:
    return re.sub(r"^[;#]|:", "-", short_name(name, player))
