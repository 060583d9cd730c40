"""Reading a request's JSON body into a strict model.

FastAPI reads a body before it asks who sent it, and by way of Python objects, where strict
types cannot tell a list from a tuple. Here the bytes go straight into the model, and only after
the dependencies named before it (who the caller is) have let the request through.
"""

import json
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from fastapi import Request
from pydantic import BaseModel, ValidationError

from dice_service.actions import AnyAction
from dice_service.api.problems import invalid, invalid_refusal
from dice_service.errors import Refusal

M = TypeVar("M", bound=BaseModel)

_decode_action = msgspec.json.Decoder(AnyAction).decode


def json_body(model: type[M], *, optional: bool = False) -> Callable[[Request], Awaitable[M]]:
    """A dependency that reads a ``model``; ``optional``: no body stands for ``{}``.

    Raises :class:`Refusal` ``unsupported-media``, ``bad-request`` (not JSON) or ``invalid``.
    """

    async def read(request: Request) -> M:
        data = await request.body()
        if optional and not data:
            return model()
        _need_json(request)
        return parse(model, data)

    return read


async def action_body(request: Request) -> AnyAction:
    """A dependency that reads an action. Raises :class:`Refusal` as :func:`json_body`."""
    _need_json(request)
    data = await request.body()
    try:
        action = _decode_action(data)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        field = path.strip("`.") or "body"
        if field == "type":  # whose message would tell back what was sent
            message = "it must be the type of an action"
        raise invalid_refusal([(field, message)]) from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Refusal("bad-request", f"The body is no JSON: {error}.") from None
    _refuse_twice_named(data)
    return action


def _refuse_twice_named(data: bytes) -> None:
    """Refuse a JSON text in which a field stands twice: two readers would see two requests."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise Refusal("bad-request", "A field stands twice in the body; send it once.")
        return fields

    json.loads(data, object_pairs_hook=once)


def _need_json(request: Request) -> None:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refusal("unsupported-media", "Send the body as application/json.")


def parse(model: type[M], data: bytes) -> M:
    """``data`` as a ``model``. Raises :class:`Refusal` ``bad-request`` or ``invalid``."""
    try:
        whole = model.model_validate_json(data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
    else:
        _refuse_twice_named(data)
        return whole
    if faults[0]["type"] == "json_invalid":
        raise Refusal("bad-request", f"The body is no JSON: {faults[0]['msg']}.")
    raise invalid_refusal([invalid(dict(fault)) for fault in faults])
