"""Dependencies that let a request through to its route, or refuse it, before its body is read."""

from typing import Annotated

from fastapi import Depends

from dice_service.api.auth import (
    Owner,
    may_read,
    need_credentials,
    need_own_match,
    need_owner,
    need_player,
)
from dice_service.api.context import CallerDep, MatchIdPath, PlayerPath, ServiceDep
from dice_service.api.problems import not_found
from dice_service.apikeys import READ, WRITE
from verifier.events import Player


async def writing_owner(caller: CallerDep) -> Owner:
    """Any owner, with ``match:write``."""
    return need_owner(caller, WRITE)


async def reading_owner(caller: CallerDep) -> Owner:
    """Any owner, with ``match:read``."""
    return need_owner(caller, READ)


async def own_match(service: ServiceDep, caller: CallerDep, match_id: MatchIdPath) -> str:
    """The match's owner, with ``match:write``; gives the match id."""
    await need_own_match(service.matches, caller, match_id, WRITE)
    return match_id


async def own_seat(
    service: ServiceDep, caller: CallerDep, match_id: MatchIdPath, player: PlayerPath
) -> tuple[str, Player]:
    """The one player who sits there; gives the match id and the player."""
    await need_player(service.matches, caller, match_id, player)
    return match_id, player


async def readable(service: ServiceDep, caller: CallerDep, match_id: MatchIdPath) -> str:
    """The match's owner and players, and for a finished match, as it is set, anyone."""
    if await may_read(service.matches, caller, match_id):
        return match_id
    if service.settings.public_logs == "finished" and await service.ended(match_id):
        return match_id
    need_credentials(caller)
    raise not_found()


WritingOwner = Annotated[Owner, Depends(writing_owner)]
ReadingOwner = Annotated[Owner, Depends(reading_owner)]
OwnMatch = Annotated[str, Depends(own_match)]
OwnSeat = Annotated[tuple[str, Player], Depends(own_seat)]
Readable = Annotated[str, Depends(readable)]
