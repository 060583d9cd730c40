"""A service's whole data from one database to another, every log checked by its head.

Copying again takes what was written since: once while the service runs, which may take long, and
once more when it is stopped, which does not. What stands in the target is never replaced.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

import msgspec

from dice_service.errors import ServiceError
from dice_service.storage import Append, MatchRow, Storage, StorageError
from dice_service.storage.webhooks import Database, DeliveryRow, WebhookStorage

PAGE: Final = 200  # matches that are copied together


class CopyError(ServiceError):
    """The two databases do not agree. Matches copied before this one stay copied."""

    code = "copy-differs"


class Copied(NamedTuple):
    """How much was compared, and what of it was new to the target."""

    matches: int
    new_matches: int
    new_lines: int
    new_keys: int
    new_webhooks: int


async def copy(source: Database, target: Database) -> Copied:
    """Copy what the target has not. Raises :class:`CopyError` and :class:`StorageError`."""
    matches = new_matches = new_lines = 0
    async for page in _pages(source):
        plans = await asyncio.gather(*(_plan(source, target, row) for row in page))
        appends = [plan.append for plan in plans if plan.append is not None]
        await target.append(appends)
        await asyncio.gather(*(_check(target, plan) for plan in plans))
        matches += len(plans)
        new_matches += sum(plan.stored is None for plan in plans)
        new_lines += sum(len(append.lines) for append in appends)
    if (copied_at := await source.restored.mark()) is not None:
        await target.restored.set_mark(copied_at)
    for match_id, why in (await source.restored.all_aside()).items():
        await target.restored.set_aside(match_id, why)
    keys = await _copy_keys(source, target)
    webhooks = await _copy_webhooks(source.webhooks, target.webhooks)
    return Copied(matches, new_matches, new_lines, keys, webhooks)


class _Head(NamedTuple):
    lines: int
    sha256: str


class _Plan(NamedTuple):
    """A match of the source, its row in the target if there is one, and what is to be written."""

    row: MatchRow
    head: _Head
    stored: MatchRow | None
    append: Append | None


class _Linked(msgspec.Struct):
    prev: str | None = None


async def _pages(source: Storage) -> AsyncIterator[list[MatchRow]]:
    before: tuple[str, str] | None = None
    while page := await source.list_matches(before=before, limit=PAGE):
        yield page
        before = (page[-1].opened_at, page[-1].match_id)


async def _plan(source: Storage, target: Storage, listed: MatchRow) -> _Plan:
    match_id = listed.match_id
    row, lines = await _settled(source, listed)
    stored = await target.match(match_id)
    there = [] if stored is None else await target.lines(match_id)
    if there != lines[: len(there)]:
        raise CopyError(
            f"match {match_id} is another one in the target, or was played on there;"
            " nothing of it was copied"
        )
    new = tuple(lines[len(there) :])
    append: Append | None = None
    if stored is None:
        append = Append(match_id, 0, new, opening=row)
    elif new:
        phase = row.phase if row.phase != stored.phase else None
        append = Append(match_id, len(there), new, phase=phase, ended_at=row.ended_at)
    return _Plan(row, _head(match_id, lines), stored, append)


async def _settled(source: Storage, row: MatchRow) -> tuple[MatchRow, list[bytes]]:
    """A row and the lines that belong to it: what changes the row comes with lines."""
    while True:
        lines = await source.lines(row.match_id)
        again = await source.match(row.match_id)
        if again == row:
            return row, lines
        if again is None:
            raise StorageError(f"Match {row.match_id} is gone.")
        row = again


async def _check(target: Storage, plan: _Plan) -> None:
    """Ask the target itself."""
    row, stored = plan.row, plan.stored
    if stored is not None and stored.sealed != row.sealed:  # sealed anew since the last copy
        await target.reseal(stored, row.sealed, row.sealing_key_id)
    found = _head(row.match_id, await target.lines(row.match_id))
    if found != plan.head or await target.match(row.match_id) != row:
        raise CopyError(
            f"match {row.match_id} ends in {found} in the target, in {plan.head} in the source"
        )


async def _copy_keys(source: Storage, target: Storage) -> int:
    added = 0
    for key in await source.api_keys():
        there = await target.api_key(key.key_id)
        if there is None:
            added += await target.add_api_key(key)
        elif there.hash != key.hash:
            raise CopyError(f"API key {key.key_id} is another one in the target")
        elif key.revoked_at is not None and there.revoked_at is None:
            await target.revoke_api_key(key.key_id, key.revoked_at)
    return added


async def _copy_webhooks(source: WebhookStorage, target: WebhookStorage) -> int:
    """Webhooks as they are by now, and what became of every message to them."""
    added = 0
    for row in await source.webhooks():
        there = await target.webhook(row.owner, row.webhook_id)
        if there is not None and there.created_at > row.created_at:
            raise CopyError(
                f"the webhook {row.webhook_id} of {row.owner} was made anew in the target"
            )
        if there != row:
            await target.put_webhook(row)
            added += there is None
    last: DeliveryRow | None = None
    while page := await source.all_deliveries(last, PAGE):
        await target.put_deliveries(page)
        last = page[-1]
    return added


def _head(match_id: str, lines: Sequence[bytes]) -> _Head:
    """The head of a log whose every line holds the hash of the one before (PROTOCOL.md, L3).

    Raises :class:`StorageError` for a log that is damaged: it is not to be copied as if it were
    not.
    """
    head = None
    for seq, line in enumerate(lines):
        try:
            prev = msgspec.json.decode(line, type=_Linked).prev
        except msgspec.DecodeError:
            prev = "unreadable"
        if prev != head:
            raise StorageError(f"Line {seq} of the stored log of {match_id} is damaged.")
        head = hashlib.sha256(line).hexdigest()
    if head is None:
        raise StorageError(f"The stored log of {match_id} is empty.")
    return _Head(len(lines), head)
