"""A transcript as `.ogxm`, written by that format's own codec: the package ``ogxm`` (MIT).

What the codec takes is a document: the match, and for each game its plies: a roll with its steps
(``from`` on White's points, 0 for Black's bar), or a cube action. Its rules are the codec's: a turn
that passes without a roll has no place in it, and such a match is refused.
"""

import importlib
from itertools import combinations_with_replacement
from typing import Any, Final

from verifier.errors import InputError
from verifier.formats.transcript import (
    Action,
    Double,
    Drop,
    Game,
    Resign,
    Take,
    Transcript,
    Turn,
    short_name,
)
from verifier.rules.board import BAR

_ROLLS: Final = {
    roll: number for number, roll in enumerate(combinations_with_replacement(range(1, 7), 2))
}
_CUBE: Final = {Double: 21, Take: 22, Drop: 23}


def write(transcript: Transcript) -> bytes:
    """The `.ogxm` of a transcript whose moves are spelled out (`steps.spelled_out`).

    Raises `InputError` ``ogxm-missing`` where the codec is not installed, ``ogxm-refused`` where it
    does not take the match.
    """
    try:
        codec = importlib.import_module("ogxm")
    except ImportError:
        raise InputError(
            "ogxm-missing", "writing .ogxm needs its codec: pip install 'zarf[ogxm]'"
        ) from None
    document = _document(transcript)
    if problem := codec.v2_problem(document):
        raise _refused(problem)
    try:
        written: bytes = codec.json_to_binary(document)
    except codec.OgxmError as error:
        raise _refused(str(error)) from None
    if not codec.binary_to_json(written).get("replay_complete"):
        raise _refused("it plays by other rules")
    return written


def _document(transcript: Transcript) -> dict[str, Any]:
    notes = "\n".join(transcript.comments)
    white, black = (short_name(name, player) for player, name in enumerate(transcript.players))
    document: dict[str, Any] = {
        "variant": "backgammon",
        "player_white": white,
        "player_black": black,
        "match_length": transcript.length,
        "crawford": transcript.crawford == "on",
        "jacoby": transcript.jacoby == "on",
        "games": [_game(transcript, at) for at in range(len(transcript.games))],
    }
    if notes:
        document["annotations"] = [{"key": "x-zarf", "ref": 0, "scope": "match", "value": notes}]
    return document


def _game(transcript: Transcript, at: int) -> dict[str, Any]:
    game = transcript.games[at]
    document: dict[str, Any] = {
        "game_index": at,
        "is_default_board": True,
        "first_to_move": game.actions[0].player if game.actions else 0,
        "plies": [_ply(action) for action in game.actions if _has_ply(action)],
    }
    if game.result is not None:
        document |= {"winner": game.result.winner, "points_won": _points(transcript, game)}
    return document


def _points(transcript: Transcript, game: Game) -> int:
    """The points of a game, which in this format end where the match does."""
    assert game.result is not None
    needed = transcript.length - game.score[game.result.winner]
    return min(game.result.points, needed) if transcript.length else game.result.points


def _has_ply(action: Action) -> bool:
    return not isinstance(action, Resign) and not (
        isinstance(action, Turn) and action.moves is None
    )


def _ply(action: Action) -> dict[str, Any]:
    if not isinstance(action, Turn):
        return {"action_id": _CUBE[type(action)], "color": action.player}
    low, high = sorted(action.dice)
    steps = [_step(word, action.player) for word in (action.moves or "").split()]
    return {
        "action_id": _ROLLS[low, high],
        "color": action.player,
        "d1": low,
        "d2": high,
        "moves": steps,
    }


def _step(word: str, player: int) -> dict[str, int]:
    start, end = word.rstrip("*").split("/")
    point = BAR if start == "bar" else int(start)
    pips = point - (0 if end == "off" else int(end))
    return {"from": BAR - point if player else point, "pips": pips}


def _refused(problem: str) -> InputError:
    return InputError(
        "ogxm-refused", "the .ogxm codec does not take this match: {what}", what=problem
    )
