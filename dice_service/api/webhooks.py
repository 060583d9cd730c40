"""``/v1/webhooks``: where an owner's server wants to be told that a match has ended."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from dice_service.api import documents, models
from dice_service.api.body import json_body
from dice_service.api.context import ServiceDep, WebhookIdPath, json_answer, put_answer
from dice_service.api.guards import ReadingOwner, WritingOwner
from dice_service.api.places import WEBHOOK, WEBHOOKS
from dice_service.webhooks.answers import DeliveryPage, NewWebhook, Webhook, WebhookList

router = APIRouter(tags=["webhooks"])

_READ = ("not-authenticated", "forbidden", "invalid", "storage-failed")


@router.get(
    WEBHOOKS,
    operation_id="listWebhooks",
    summary="List your webhooks",
    responses=documents.get(WebhookList, "All of them, by id", *_READ),
    openapi_extra=documents.operation(documents.LISTER),
)
async def list_webhooks(service: ServiceDep, owner: ReadingOwner) -> Response:
    """Those of the owner of this API key, which needs `match:read`; without their secrets."""
    return json_answer(await service.webhooks.list(owner.name))


@router.put(
    WEBHOOK,
    operation_id="registerWebhook",
    summary="Have your server told when a match has ended",
    responses=documents.put(NewWebhook, *_READ, "webhook-differs", "webhook-limit", "key-missing"),
    openapi_extra=documents.operation(documents.WRITER, models.RegisterWebhook),
)
async def register_webhook(
    service: ServiceDep,
    owner: WritingOwner,
    webhook_id: WebhookIdPath,
    body: Annotated[models.RegisterWebhook, Depends(json_body(models.RegisterWebhook))],
) -> Response:
    """Needs `match:write`. It is told of every match of yours that ends from now on.

    The secret is for your server alone. A repeat returns it again; `GET` does not. For a new
    secret register a second webhook with the same address, and delete the first when your server
    knows the second's: both carry the same `webhook-id`.
    """
    outcome = await service.webhooks.register(
        owner.name, webhook_id, url=body.url, events=body.events
    )
    return put_answer(outcome)


@router.get(
    WEBHOOK,
    operation_id="getWebhook",
    summary="A webhook, and whether it is still told",
    responses=documents.get(Webhook, "It, without its secret", *_READ, "not-found"),
    openapi_extra=documents.operation(documents.LISTER),
)
async def get_webhook(
    service: ServiceDep, owner: ReadingOwner, webhook_id: WebhookIdPath
) -> Response:
    """Needs `match:read`. One that is `disabled` is told again once deleted and made anew."""
    return json_answer(await service.webhooks.get(owner.name, webhook_id))


@router.delete(
    WEBHOOK,
    operation_id="deleteWebhook",
    summary="Delete a webhook",
    status_code=204,
    responses=documents.delete("It is deleted, now or before", *_READ, "not-found"),
    openapi_extra=documents.operation(documents.WRITER),
)
async def delete_webhook(
    service: ServiceDep, owner: WritingOwner, webhook_id: WebhookIdPath
) -> Response:
    """Needs `match:write`. What waits to be sent is not sent; its secret is forgotten."""
    await service.webhooks.delete(owner.name, webhook_id)
    return Response(status_code=204, headers={"cache-control": "no-store"})


@router.get(
    WEBHOOK + "/deliveries",
    operation_id="listDeliveries",
    summary="What became of a webhook's messages, the newest first",
    responses=documents.get(DeliveryPage, "A page of them", *_READ, "not-found"),
    openapi_extra=documents.operation(documents.LISTER),
)
async def list_deliveries(
    service: ServiceDep,
    owner: ReadingOwner,
    webhook_id: WebhookIdPath,
    query: Annotated[models.DeliveryQuery, Query()],
) -> Response:
    """Needs `match:read`. Each with every attempt, and when the next one is."""
    page = await service.webhooks.deliveries(owner.name, webhook_id, **query.model_dump())
    return json_answer(page)
