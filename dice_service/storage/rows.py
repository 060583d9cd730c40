"""Rows of the tables as both databases give and take them: the columns in the types' order."""

from dataclasses import fields
from operator import attrgetter
from typing import Any

from dice_service.storage import ApiKeyRow, MatchRow, OpenMatch

_MATCH = [field.name for field in fields(MatchRow)]
_KEY = [field.name for field in fields(ApiKeyRow)]

# By an index that holds all it asks for, in its order.
COUNT_OPEN = (
    "SELECT phase, count(*) FROM (SELECT phase FROM matches WHERE phase <> 'ended'"
    " ORDER BY opened_at, match_id LIMIT {}) AS open GROUP BY phase"
)
MATCH_COLUMNS = ", ".join(_MATCH)
KEY_COLUMNS = ", ".join(_KEY)

_match_values = attrgetter(*_MATCH)


def match_values(row: MatchRow) -> tuple[Any, ...]:
    """What is stored of a match."""
    values: tuple[Any, ...] = _match_values(row)
    return values


def key_values(row: ApiKeyRow) -> tuple[Any, ...]:
    """What is stored of an API key."""
    return (row.key_id, row.owner, " ".join(row.scopes), row.hash, row.created_at, row.revoked_at)


def key_of(values: tuple[Any, ...]) -> ApiKeyRow:
    """The API key of a stored row."""
    key_id, owner, scopes, *rest = values
    return ApiKeyRow(key_id, owner, tuple(scopes.split()), *rest)


def open_match_of(values: tuple[Any, ...]) -> OpenMatch:
    """The open match of a row with its last line."""
    match_id, opened_at, phase, seq, line = values
    return OpenMatch(match_id, opened_at, phase, seq, line.encode())
