"""``…/rolls/{index}``.

The hot path (:mod:`dice_service.api.hot`) answers most rolls before they come here; both give
the same bytes.
"""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from dice_service.answers import RollAnswer
from dice_service.api import documents, models
from dice_service.api.body import json_body
from dice_service.api.context import IndexPath, ServiceDep, put_answer
from dice_service.api.guards import OwnMatch
from dice_service.api.places import ROLL

router = APIRouter(tags=["rolls"])


@router.put(
    ROLL,
    operation_id="roll",
    summary="Roll two dice in a dice-only match",
    responses=documents.put(
        RollAnswer,
        "not-authenticated",
        "forbidden",
        "not-found",
        "invalid",
        "not-due",
        "set-aside",
        "roll-index-gap",
        "roll-differs",
        "refereed-match",
        "match-ended",
        "set-aside",
        "storage-failed",
        "key-missing",
    ),
    openapi_extra=documents.operation(documents.WRITER, models.RollRequest, optional=True),
)
async def roll(
    service: ServiceDep,
    match_id: OwnMatch,
    index: IndexPath,
    body: Annotated[models.RollRequest, Depends(json_body(models.RollRequest, optional=True))],
) -> Response:
    """Needs `match:write`. Indices count from 0 without gaps; a repeat is the same roll."""
    outcome = await service.matches.roll(match_id, index, purpose=body.purpose, player=body.player)
    return put_answer(outcome)
