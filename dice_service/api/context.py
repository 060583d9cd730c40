"""What every route is given: the service, the caller, the parts of the path."""

import re
from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import Depends, Header, Path, Request
from msgspec import Struct
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from dice_service.answers import Outcome, encode
from dice_service.api.auth import Bearer, Caller, Owner
from dice_service.api.models import MatchId, WebhookId
from dice_service.api.rates import TICKET, Ticket
from dice_service.errors import Refusal
from dice_service.service import Service
from verifier.events import MAX_INTEGER, Player

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)


def get_service(request: Request) -> Service:
    """The service that this application serves."""
    return cast("Service", request.app.state.service)


ServiceDep = Annotated[Service, Depends(get_service)]


async def get_caller(request: Request, service: ServiceDep) -> Caller:
    """Who is calling.

    Raises :class:`Refusal`: ``not-authenticated`` for bad credentials, and for more than one, of
    which a proxy may have checked another than we; ``rate-limited``.
    """
    sent = request.headers.getlist("authorization")
    if len(sent) > 1:
        raise Refusal("not-authenticated", "Send one Authorization header, not more.")
    caller = await service.auth.caller(sent[0] if sent else None)
    ticket: Ticket | None = request.scope.get(TICKET)
    if ticket is not None and isinstance(caller, Owner):
        ticket.prove_key(caller.key_id)
    elif ticket is not None and isinstance(caller, Bearer):
        caller = replace(caller, on_proof=ticket.prove_token)
    return caller


CallerDep = Annotated[Caller, Depends(get_caller)]


def decimal(value: object) -> int:
    """A number in a path: one place has one spelling (no sign, space, zero in front, …)."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        raise ValueError("it must be a plain decimal number")
    return int(value)


MatchIdPath = Annotated[MatchId, Path()]
WebhookIdPath = Annotated[WebhookId, Path()]
PlayerPath = Annotated[Player, BeforeValidator(decimal), Path()]
_Index = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
IndexPath = Annotated[_Index, BeforeValidator(decimal), Path()]
IfNoneMatch = Annotated[
    str | None, Header(description="an ETag: answered 304 if it still is the head")
]


def put_answer(outcome: Outcome[Any]) -> Response:
    """201 the first time, 200 with the same body on a repeat."""
    return json_answer(outcome.value, 201 if outcome.created else 200)


def json_answer(value: Struct, status: int = 200) -> Response:
    """An answer as JSON, kept by no cache."""
    headers = {"cache-control": "no-store"}
    return Response(encode(value), status, headers, "application/json")
