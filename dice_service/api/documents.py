"""How a route tells the OpenAPI document what it answers."""

from typing import Any

import msgspec
from msgspec import Struct
from pydantic import BaseModel

from dice_service import apikeys
from dice_service.api.examples import EVENT, EXAMPLES, LINES
from dice_service.errors import MEDIA_TYPE, PROBLEMS, Refusal

JSON = "application/json"
JSON_LINES = "application/jsonl"
EVENT_STREAM = "text/event-stream"

# What any request may meet before it comes to its route.
_ANYWHERE = (
    "bad-request",
    "request-timeout",
    "too-large",
    "rate-limited",
    "internal",
    "overloaded",
)
# The headers of these refusals, by status.
_HEADERS = {429: ("RateLimit-Policy", "RateLimit", "Retry-After"), 503: ("Retry-After",)}
HEADERS: dict[str, dict[str, Any]] = {
    "RateLimit-Policy": {
        "description": "the limit that this request counted in: `key`, `token` or `address`, with"
        " its quota `q` of requests in `w` seconds",
        "required": True,
        "schema": {"type": "string"},
        "example": '"key";q=600;w=60',
    },
    "RateLimit": {
        "description": "the requests `r` that are left now, and the seconds `t` until another may"
        " come or, if there are some, until all may",
        "required": True,
        "schema": {"type": "string"},
        "example": '"key";r=0;t=1',
    },
    "Retry-After": {
        "description": "the seconds to wait",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
        "example": 1,
    },
}

# Who may call an operation, with the scope that an API key needs.
WRITER: list[dict[str, list[str]]] = [{"apiKey": [apikeys.WRITE]}]
LISTER: list[dict[str, list[str]]] = [{"apiKey": [apikeys.READ]}]
PLAYER: list[dict[str, list[str]]] = [{"playerToken": []}]
READER: list[dict[str, list[str]]] = [*LISTER, *PLAYER, {}]
ANYONE: list[dict[str, list[str]]] = []

Responses = dict[int | str, dict[str, Any]]


ACTION = "Action"  # the schema that is one of several: see api/openapi.py

Model = type[Struct] | type[BaseModel] | str


def name_of(model: Model) -> str:
    """The name of a model's schema."""
    return model if isinstance(model, str) else model.__name__


def reference(model: Model) -> dict[str, str]:
    """A reference to a model's schema."""
    return {"$ref": f"#/components/schemas/{name_of(model)}"}


def operation(
    security: list[dict[str, list[str]]],
    body: type[BaseModel] | str | None = None,
    *,
    optional: bool = False,
) -> dict[str, Any]:
    """The security of an operation and, if it has one, its body."""
    found: dict[str, Any] = {"security": security}
    if body is not None:
        content = {"schema": reference(body), "examples": examples_of(body)}
        found["requestBody"] = {"required": not optional, "content": {JSON: content}}
    return found


def put(model: type[Struct], *codes: str) -> Responses:
    """The answers of an idempotent ``PUT``."""
    return {
        201: _success("Done now", model),
        200: _success("Done before, the same way: the same answer", model),
        **refusals("unsupported-media", *codes),
    }


def get(model: type[Struct], description: str, *codes: str) -> Responses:
    """The answers of a ``GET`` of JSON."""
    return {200: _success(description, model), **refusals(*codes)}


def delete(description: str, *codes: str) -> Responses:
    """The answers of a ``DELETE``."""
    return {204: {"description": description}, **refusals(*codes)}


def lines(description: str, *codes: str, headers: dict[str, Any] | None = None) -> Responses:
    """The answers of a ``GET`` of log lines."""
    content = {JSON_LINES: {"schema": {"type": "string"}, "example": LINES}}
    ok: dict[str, Any] = {"description": description, "content": content}
    return {200: ok | ({"headers": headers} if headers else {}), **refusals(*codes)}


def events(*codes: str) -> Responses:
    """The answers of a ``GET`` of server-sent events."""
    texts = {name: {"type": "string"} for name in EVENT}
    event = {"type": "object", "required": ["event", "data"], "properties": texts}
    content = {EVENT_STREAM: {"schema": event, "example": EVENT}}
    return {
        200: {"description": "Events of this form, as they come", "content": content},
        204: {"description": "The log has ended with the line that is known"},
        **refusals(*codes),
    }


def refusals(*codes: str) -> Responses:
    """The refusals with these codes, and those that any request may meet, by status."""
    found: Responses = {}
    for code in dict.fromkeys((*codes, *_ANYWHERE)):
        problem = PROBLEMS[code]
        answer = found.setdefault(
            int(problem.status),
            {
                "description": "",
                "content": {
                    MEDIA_TYPE: {
                        "schema": {"$ref": "#/components/schemas/Problem"},
                        "examples": {},
                    }
                },
            },
        )
        titles = [answer["description"], f"`{code}`: {problem.title}"]
        answer["description"] = "; ".join(title for title in titles if title)
        answer["content"][MEDIA_TYPE]["examples"][code] = _example(f"problem.{code}")
        if names := _HEADERS.get(int(problem.status)):
            answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


def examples() -> dict[str, Any]:
    """Every example by the name that operations refer to it by."""
    found = {
        f"{model}.{name}": {"value": value}
        for model, values in EXAMPLES.items()
        for name, value in values.items()
    }
    for code in PROBLEMS:
        value = msgspec.json.decode(Refusal(code, "What was wrong, and what to do.").body())
        found[f"problem.{code}"] = {"value": value}
    return found


def examples_of(model: Model) -> dict[str, dict[str, str]]:
    """References to a model's examples."""
    model = name_of(model)
    return {name: _example(f"{model}.{name}") for name in EXAMPLES[model]}


def _example(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/examples/{name}"}


def _success(description: str, model: type[Struct]) -> dict[str, Any]:
    content = {"schema": reference(model), "examples": examples_of(model)}
    return {"description": description, "content": {JSON: content}}
