"""``…/actions/{number}``: what happens in a refereed match.

The hot path (:mod:`dice_service.api.hot`) answers most of them before they come here; both give
the same bytes.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from dice_service.actions import AnyAction
from dice_service.answers import ActionAnswer
from dice_service.api import documents, models
from dice_service.api.body import action_body
from dice_service.api.context import IndexPath, ServiceDep, put_answer
from dice_service.api.guards import OwnMatch
from dice_service.api.places import ACTION

router = APIRouter(tags=["actions"])


@router.put(
    ACTION,
    operation_id="act",
    summary="Do what comes next in a refereed match",
    responses=documents.put(
        ActionAnswer,
        "not-authenticated",
        "forbidden",
        "not-found",
        "invalid",
        "not-due",
        "set-aside",
        "rule-refused",
        "action-number-gap",
        "action-differs",
        "dice-only-match",
        "match-ended",
        "set-aside",
        "storage-failed",
        "key-missing",
    ),
    openapi_extra=documents.operation(documents.WRITER, documents.ACTION),
)
async def act(
    service: ServiceDep,
    match_id: OwnMatch,
    number: IndexPath,
    query: Annotated[models.ActionQuery, Query()],
    body: Annotated[AnyAction, Depends(action_body)],
) -> Response:
    """Needs `match:write`. What the rules do not allow now is refused, and nothing is written.

    Actions count from 0 without gaps; `next_action` of the answer before is the next one. What
    follows of itself (a roll that cannot be played, a turn passed, the end of a game and of the
    match) is written with the action, is not counted, and never has to be asked for. With
    `then_roll` the next roll is made too if one is due then: it counts as an action of its own.
    A repeat is answered as the first time, whatever has come since; another spelling of the
    same play is the same.
    """
    outcome = await service.matches.action(match_id, number, body, legal=query.legal)
    return put_answer(outcome)
