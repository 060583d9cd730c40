"""A bot that plays decently enough to be watched: it sees the answers, and nothing hidden."""

from typing import Literal

from dice_service.actions import (
    AnyAction,
    DoubleAction,
    DropAction,
    PlayAction,
    ResignAcceptAction,
    ResignOfferAction,
    RollAction,
    TakeAction,
)
from dice_service.answers import ActionAnswer, Checkers, LegalPlay, Table
from verifier.events import Player

_LEAD_TO_DOUBLE = 20  # pips
_LEAD_TO_DROP = 60
_HOPELESS = 25  # pips behind, once the opponent has borne off most


def choose(answer: ActionAnswer) -> AnyAction:
    """What is done next after an answer with legal plays in it."""
    table = answer.table
    player = table.due.player
    if player is None:
        return RollAction(player=None)
    if table.due.what == "resign_answer":
        return ResignAcceptAction(player=player)
    if table.due.what == "double_answer":
        behind = _lead(table, 1 - player)
        return DropAction(player=player) if behind > _LEAD_TO_DROP else TakeAction(player=player)
    if table.due.what == "roll":
        return _before_the_roll(table, player)
    assert isinstance(answer.legal, tuple)
    best = max(answer.legal, key=_worth)
    return PlayAction(player=player, moves=best.moves, then_roll=table.cube is None)


def _before_the_roll(table: Table, player: Player) -> AnyAction:
    other: Literal[0, 1] = 0 if player else 1
    if table.borne_off[player] and table.borne_off[other] > 11 and _lead(table, other) > _HOPELESS:
        return ResignOfferAction(player=player, value=1)
    cube = table.cube
    may = cube is not None and not table.crawford and cube.owner in (None, player)
    if may and cube is not None and cube.value < 8 and _lead(table, player) > _LEAD_TO_DOUBLE:
        return DoubleAction(player=player)
    return RollAction(player=player)


def _lead(table: Table, player: int) -> int:
    """How many pips a player is ahead."""
    return table.pips[1 - player] - table.pips[player]


def _worth(play: LegalPlay) -> float:
    """What a position is worth to the player who has just moved to it."""
    return _strength(play.me, play.opponent) - 1.5 * _strength(play.opponent, play.me)


def _strength(me: Checkers, opponent: Checkers) -> float:
    pips = sum(point * count for point, count in enumerate(me, 1))
    # A blot costs what it has come so far, if an opposing checker still has to pass it.
    last = max((point for point, count in enumerate(opponent, 1) if count), default=0)
    blots = sum(25 - point for point in range(1, 25) if me[point - 1] == 1 and last > 25 - point)
    made = sum(1 for point in range(4, 9) if me[point - 1] > 1)
    return 4.0 * made - pips - 0.4 * blots
