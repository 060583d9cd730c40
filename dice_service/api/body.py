"""Reading a request's JSON body into a strict model.

FastAPI reads a body before it asks who sent it, and by way of Python objects, where strict
types cannot tell a list from a tuple. Here the bytes go straight into the model, and only after
the dependencies named before it (who the caller is) have let the request through.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from dice_service.api.problems import invalid, invalid_refusal
from dice_service.errors import Refusal

M = TypeVar("M", bound=BaseModel)


def json_body(model: type[M], *, optional: bool = False) -> Callable[[Request], Awaitable[M]]:
    """A dependency that reads a ``model``; ``optional``: no body stands for ``{}``.

    Raises :class:`Refusal` ``unsupported-media``, ``bad-request`` (not JSON) or ``invalid``.
    """

    async def read(request: Request) -> M:
        data = await request.body()
        if optional and not data:
            return model()
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Refusal("unsupported-media", "Send the body as application/json.")
        return parse(model, data)

    return read


def parse(model: type[M], data: bytes) -> M:
    """``data`` as a ``model``. Raises :class:`Refusal` ``bad-request`` or ``invalid``."""
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
    if faults[0]["type"] == "json_invalid":
        raise Refusal("bad-request", f"The body is no JSON: {faults[0]['msg']}.")
    raise invalid_refusal([invalid(dict(fault)) for fault in faults])
