"""``/v1/matches`` and what a match has but its rolls: opening, state, log, receipt, end."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from dice_service.answers import EndAnswer, MatchView, Opening, Page
from dice_service.api import documents, models
from dice_service.api.body import json_body
from dice_service.api.context import IfNoneMatch, MatchIdPath, ServiceDep, json_answer, put_answer
from dice_service.api.guards import OwnMatch, Readable, ReadingOwner, WritingOwner
from dice_service.api.places import MATCH

router = APIRouter(tags=["matches"])

_READ = ("not-authenticated", "forbidden", "not-found", "invalid", "storage-failed")
_ETAG = {
    "ETag": {"description": "the head, quoted", "schema": {"type": "string"}},
    "Cache-Control": {"description": "ask again before use", "schema": {"type": "string"}},
}


@router.get(
    "/v1/matches",
    operation_id="listMatches",
    summary="List your matches, the newest first",
    responses=documents.get(
        Page, "A page of them", "not-authenticated", "forbidden", "invalid", "storage-failed"
    ),
    openapi_extra=documents.operation(documents.LISTER),
)
async def list_matches(
    service: ServiceDep, owner: ReadingOwner, query: Annotated[models.ListQuery, Query()]
) -> Response:
    """Matches opened by the owner of this API key, which needs `match:read`."""
    page = await service.matches.list(owner.name, **query.model_dump())
    return json_answer(page)


@router.put(
    MATCH,
    operation_id="openMatch",
    summary="Open a match: the service seals its seed and signs its commitment",
    responses=documents.put(
        Opening,
        "not-authenticated",
        "forbidden",
        "invalid",
        "rules-unknown",
        "rules-inconsistent",
        "seeding-unsupported",
        "match-exists-differently",
        "storage-failed",
        "key-missing",
    ),
    openapi_extra=documents.operation(documents.WRITER, models.OpenMatch),
)
async def open_match(
    service: ServiceDep,
    owner: WritingOwner,
    match_id: MatchIdPath,
    body: Annotated[models.OpenMatch, Depends(json_body(models.OpenMatch))],
) -> Response:
    """Needs `match:write`. Give each player its own token; a repeat returns the same ones."""
    outcome = await service.matches.open(
        owner.name,
        match_id,
        seeding=body.seeding,
        rules=body.rules,
        length=body.length,
        options=body.options,
        players=body.players,
    )
    return put_answer(outcome)


@router.get(
    MATCH,
    operation_id="getMatch",
    summary="The state of a match",
    responses=documents.get(MatchView, "Its state", *_READ, "key-missing"),
    openapi_extra=documents.operation(documents.READER),
)
async def get_match(service: ServiceDep, match_id: Readable) -> Response:
    """For its owner (`match:read`) and its players; once it has ended, by default for anyone."""
    return json_answer((await service.matches.view(match_id)).view)


@router.put(
    MATCH + "/end",
    operation_id="endMatch",
    summary="End the match: the service reveals its seed",
    responses=documents.put(
        EndAnswer,
        *_READ,
        "not-due",
        "set-aside",
        "end-differs",
        "refereed-match",
        "key-missing",
        "match-ended",
        "set-aside",
    ),
    openapi_extra=documents.operation(documents.WRITER, models.EndMatch),
)
async def end_match(
    service: ServiceDep,
    match_id: OwnMatch,
    body: Annotated[models.EndMatch, Depends(json_body(models.EndMatch))],
) -> Response:
    """Needs `match:write`. `abort` may come at any time, others once both seeds are open.

    A refereed match ends by its score; here it can be ended early: by `abort` or `abandon`
    without a winner, or by anything but `abort` and `finished` with one.
    """
    outcome = await service.matches.end(match_id, reason=body.reason, winner=body.winner)
    return put_answer(outcome)


@router.get(
    MATCH + "/log",
    operation_id="getLog",
    summary="The log, as far as it goes",
    responses=documents.lines("The lines, the first first", *_READ, headers=_ETAG)
    | {304: {"description": "Nothing has come since the ETag that was sent", "headers": _ETAG}},
    openapi_extra=documents.operation(documents.READER),
)
async def get_log(
    service: ServiceDep, match_id: Readable, if_none_match: IfNoneMatch = None
) -> Response:
    """What `dice-verify` reads, byte for byte. It holds the service's seed only once ended."""
    log = await service.matches.log(match_id)
    etag = f'"{log.head}"'
    headers = {"etag": etag, "cache-control": "no-cache", "vary": "Authorization"}
    if if_none_match is not None and _names(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    headers["content-disposition"] = f'inline; filename="{match_id}.zarf.jsonl"'
    return Response(log.data, headers=headers, media_type=documents.JSON_LINES)


@router.get(
    MATCH + "/receipt",
    operation_id="getReceipt",
    summary="The opening receipt",
    responses=documents.lines("The log up to its opening signature", *_READ, "receipt-not-ready"),
    openapi_extra=documents.operation(documents.READER),
)
async def get_receipt(service: ServiceDep, match_id: Readable) -> Response:
    """Check its signature, and that your own commitment stands in it, before you open your seed."""
    data = await service.matches.receipt(match_id)
    return Response(data, 200, {"cache-control": "no-store"}, documents.JSON_LINES)


def _names(if_none_match: str, etag: str) -> bool:
    """Whether an If-None-Match header names the tag (RFC 9110, 13.1.2: weak comparison)."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags
