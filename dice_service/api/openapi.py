"""The two generated documents: ``openapi/openapi.json`` and ``openapi/match-log.schema.json``.

``python -m dice_service.api.openapi [FOLDER]`` writes them; a test fails while they are stale.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from dice_service import answers
from dice_service.actions import AnyAction
from dice_service.api import documents, health, keys, models, problems
from dice_service.errors import PROBLEMS
from dice_service.webhooks import answers as webhook_answers
from dice_service.webhooks import standard
from verifier import events
from verifier.rules.messages import MESSAGES

TITLE = "Zarf dice service"

_REFERENCE = "#/components/schemas/{name}"
_REQUESTS = (
    models.OpenMatch,
    models.Commitment,
    models.Seed,
    models.RollRequest,
    models.EndMatch,
    models.RegisterWebhook,
)
_ANSWERS = (
    answers.Opening,
    answers.LineAnswer,
    answers.RollAnswer,
    answers.ActionAnswer,
    answers.EndAnswer,
    answers.MatchView,
    answers.Page,
    webhook_answers.NewWebhook,
    webhook_answers.Webhook,
    webhook_answers.WebhookList,
    webhook_answers.DeliveryPage,
    webhook_answers.MatchEndedMessage,
    keys.Keys,
    health.Health,
)
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "Why a request was refused (RFC 9457).",
    "required": ["type", "title", "status", "detail", "code"],
    "additionalProperties": False,
    "properties": {
        "type": {"type": "string", "pattern": "^urn:zarf:problem:[a-z-]+$"},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "what was wrong and what to do"},
        "code": {"type": "string", "enum": list(PROBLEMS)},
        "rule": {
            "type": "string",
            "enum": list(MESSAGES),
            "description": "the rule of backgammon, or of this match, that refuses",
        },
        "detail_tr": {"type": "string", "description": "the detail in Turkish, where a rule does"},
        "errors": {
            "type": "array",
            "description": "each field that is wrong",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "additionalProperties": False,
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
_SECURITY = {
    "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "zk_…",
        "description": "An API key of a game server, made by `dice-service api-key create`. "
        "Scopes: `match:write`, `match:read`, `admin` (both). It sees its owner's matches only.",
    },
    "playerToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "zp_…",
        "description": "A player's token, from the answer that opened the match: sends that "
        "player's commitment and seed, and reads the match.",
    },
}

_HEADERS = {
    standard.ID: "the message's: the same at every attempt, and at every webhook of yours",
    standard.TIMESTAMP: "when this attempt was made, in seconds since 1970",
    standard.SIGNATURE: "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`",
}
_MATCH_ENDED = {
    "tags": ["webhooks"],
    "operationId": "matchEnded",
    "summary": "A match has ended, and its secret is revealed",
    "description": "Sent to every webhook that was there when it ended, as Standard Webhooks 1.0.0 "
    "describe. Check the signature before anything else (`verify_webhook` of the SDK, or any "
    "library of theirs), and drop a `webhook-id` that you have had. Not answered by 2xx within 15 "
    "seconds, it is sent again: ten times in three days, later if `Retry-After` says so.",
    "security": [],
    "parameters": [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": text,
            "schema": {"type": "string"},
        }
        for name, text in _HEADERS.items()
    ],
    "requestBody": {
        "required": True,
        "content": {
            documents.JSON: {
                "schema": documents.reference(webhook_answers.MatchEndedMessage),
                "examples": documents.examples_of(webhook_answers.MatchEndedMessage),
            }
        },
    },
    "responses": {
        "2XX": {"description": "It was heard"},
        "410": {"description": "No more of them: the webhook is disabled"},
        "default": {"description": "It is sent again"},
    },
}


def _version() -> str:
    try:
        return version("zarf")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0"


VERSION = _version()


def description() -> str:
    """What the API is, and every code that a problem can have."""
    return f"""Dice that nobody can choose: each side commits to a seed before any is opened.

Every write is a `PUT` to a numbered or named place. The first is answered 201; the same again
200 with the same body, so that a lost answer is asked for again; a different one 409.

What comes back can be checked without trusting this service: `dice-verify`, and
`verifier/PROTOCOL.md`, which says how, byte by byte.

## Limits

Where the operator has set them, requests a minute are limited for an API key, for a player's token
and, without valid credentials, for a client's address (IPv6: its /64); each process of the service
counts for itself. `/livez` and `/readyz` have no limit. Every answer to a limited request says how
it stands, in the fields of draft-ietf-httpapi-ratelimit-headers:
`RateLimit-Policy: "key";q=600;w=60` and `RateLimit: "key";r=599;t=1` (`r` requests are left, all of
them again in `t` seconds). One too many is answered 429 with `Retry-After`.

## Problems

A refusal is `application/problem+json`. Its `code` is stable.

{problems.documented()}
"""


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these routes."""
    found = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        description=app.description,
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": "/"}],
        tags=[
            {"name": "matches", "description": "Opening, state, log, receipt, end."},
            {"name": "players", "description": "What a player's own device sends."},
            {"name": "rolls", "description": "The dice of a dice-only match."},
            {"name": "actions", "description": "The course of a refereed match."},
            {"name": "webhooks", "description": "Being told that a match has ended."},
            {"name": "keys", "description": "The service's public keys."},
            {"name": "health", "description": "For those who run the service."},
        ],
        routes=app.routes,
    )
    _, requests = models_json_schema(
        [(model, "validation") for model in _REQUESTS], ref_template="#/components/schemas/{model}"
    )
    (*_, action), replies = msgspec.json.schema_components(
        (*_ANSWERS, AnyAction), ref_template=_REFERENCE
    )
    found["components"] = {
        "schemas": {
            **requests["$defs"],
            **_plain(replies),
            documents.ACTION: action,
            "Problem": _PROBLEM,
        },
        "examples": documents.examples(),
        "headers": documents.HEADERS,
        "securitySchemes": _SECURITY,
    }
    found["webhooks"] = {"match.ended": {"post": _MATCH_ENDED}}
    return found


def _plain(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Pairs of one type as arrays of that type: the same, and readable by more tools."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _plain(part) for name, part in schema.items()}
    match found.get("prefixItems"):
        case [first, *rest] if all(part == first for part in rest):
            del found["prefixItems"]
            found["items"] = first
    return found


def log_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a match log, from the structs that read and write it."""
    schema = msgspec.json.schema(events.AnyEvent)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:zarf:match-log:1",
        "title": "A line of a zarf/1 match log",
        "description": "Necessary, not sufficient: PROTOCOL.md also fixes the order of the "
        "fields and the one way in which a line is written.",
        **schema,
    }


def install(app: FastAPI) -> None:
    """Serve our document at ``/openapi.json``."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to extend it


def texts() -> dict[str, str]:
    """The generated files by name."""
    from dice_service.app import build_routes

    files = {"openapi.json": build_routes().openapi(), "match-log.schema.json": log_schema()}
    return {
        name: json.dumps(content, indent=2, ensure_ascii=False, sort_keys=False) + "\n"
        for name, content in files.items()
    }


def main(folder: str = "openapi") -> None:
    """Write the files into a folder."""
    for name, text in texts().items():
        (Path(folder) / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
