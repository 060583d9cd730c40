"""``…/players/{0|1}``: what a player's own device sends."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from dice_service.answers import LineAnswer
from dice_service.api import documents, models
from dice_service.api.body import json_body
from dice_service.api.context import ServiceDep, put_answer
from dice_service.api.guards import OwnSeat
from dice_service.api.places import MATCH

router = APIRouter(prefix=MATCH + "/players/{player}", tags=["players"])

_WRITE = (
    "not-authenticated",
    "forbidden",
    "not-found",
    "invalid",
    "not-due",
    "set-aside",
    "match-ended",
    "set-aside",
    "storage-failed",
    "key-missing",
)


@router.put(
    "/commitment",
    operation_id="commit",
    summary="Commit to a seed",
    responses=documents.put(LineAnswer, *_WRITE, "commitment-differs", "commitments-equal"),
    openapi_extra=documents.operation(documents.PLAYER, models.Commitment),
)
async def commit(
    service: ServiceDep,
    seat: OwnSeat,
    body: Annotated[models.Commitment, Depends(json_body(models.Commitment))],
) -> Response:
    """Only with this player's token: the game server cannot commit for a player."""
    return put_answer(await service.matches.commit(*seat, body.commitment))


@router.put(
    "/seed",
    operation_id="openSeed",
    summary="Open the seed committed to",
    responses=documents.put(LineAnswer, *_WRITE, "seed-differs", "seed-not-committed"),
    openapi_extra=documents.operation(documents.PLAYER, models.Seed),
)
async def open_seed(
    service: ServiceDep,
    seat: OwnSeat,
    body: Annotated[models.Seed, Depends(json_body(models.Seed))],
) -> Response:
    """Only with this player's token, and after the opening receipt holds both commitments."""
    return put_answer(await service.matches.open_seed(*seat, body.seed))
