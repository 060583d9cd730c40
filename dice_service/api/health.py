"""``/livez``, ``/readyz`` and ``/metrics``: for those who run the service."""

from typing import Literal

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.responses import Response

from dice_service.api import documents
from dice_service.api.context import ServiceDep
from dice_service.api.metrics import CONTENT_TYPE
from dice_service.errors import Refusal

router = APIRouter(tags=["health"])


class Health(Struct, frozen=True):
    """What was checked; anything else than ``ok`` is answered as a problem."""

    status: Literal["ok"]


@router.get(
    "/livez",
    operation_id="live",
    summary="Whether the process answers",
    responses=documents.get(Health, "It does"),
    openapi_extra=documents.operation(documents.ANYONE),
)
async def live() -> Response:
    """Asks nothing of the storage: a restart would not help what :func:`ready` finds."""
    return _ok()


@router.get(
    "/readyz",
    operation_id="ready",
    summary="Whether it can do its work",
    responses=documents.get(
        Health, "The storage takes writes and the keys sign and open", "not-ready"
    ),
    openapi_extra=documents.operation(documents.ANYONE),
)
async def ready(service: ServiceDep) -> Response:
    """Writes to the storage, and uses both active keys."""
    if failure := await service.readiness.failure():
        raise Refusal("not-ready", f"Not ready: {failure}.")
    return _ok()


@router.get(
    "/metrics",
    operation_id="metrics",
    summary="Numbers for Prometheus",
    responses={
        200: {
            "description": "Prometheus's text format",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **documents.refusals(),
    },
    openapi_extra=documents.operation(documents.ANYONE),
)
async def metrics(service: ServiceDep) -> Response:
    """Keep it from the public by your proxy: it tells how busy the service is."""
    await service.gauges.refresh()
    return Response(
        service.metrics.exposition(),
        headers={"cache-control": "no-store", "content-type": CONTENT_TYPE},
    )


def _ok() -> Response:
    content = msgspec.json.encode(Health("ok"))
    return Response(content, 200, {"cache-control": "no-store"}, documents.JSON)
