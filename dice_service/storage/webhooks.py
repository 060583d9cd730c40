"""Webhooks and their deliveries in a database: the same SQL for SQLite and PostgreSQL.

A trigger (``0002_webhooks.*.sql``) makes a delivery in the transaction that ends its match, so
that there is one exactly if the end is durable. Who is to make an attempt *claims* the delivery:
its ``due_at`` moves to the time from which on another process may take it over.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Literal, Protocol

import msgspec

from dice_service.storage import Storage
from verifier.events import Time

Event = Literal["match.ended"]
WebhookState = Literal["active", "disabled", "deleted"]
DeliveryState = Literal["pending", "delivered", "failed"]


@dataclass(frozen=True, slots=True)
class WebhookRow:
    """A webhook. ``sealed`` is its secret, nothing where it is deleted."""

    owner: str
    webhook_id: str
    url: str = field(repr=False)  # it may hold a token of the receiver's
    events: tuple[str, ...]
    state: WebhookState
    created_at: str
    sealed: bytes = field(repr=False)
    sealing_key_id: str


class Attempt(msgspec.Struct, frozen=True):
    """An attempt to deliver: when, and the status that answered it or what went wrong instead."""

    time: Time
    status: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """What a webhook is to be told, or was. ``created_at`` is when the match ended."""

    owner: str
    webhook_id: str
    match_id: str
    event: str
    created_at: str
    state: DeliveryState
    due_at: str
    attempts: tuple[Attempt, ...]


class WebhookStorage(Protocol):
    """The webhooks of a database. Every method raises ``StorageError`` when it is not done."""

    async def add(self, row: WebhookRow) -> bool:
        """Add a webhook, or one again that was deleted; false if the id is taken."""

    async def webhook(self, owner: str, webhook_id: str) -> WebhookRow | None:
        """The webhook of that id, in whatever state."""

    async def webhooks(self, owner: str | None = None) -> list[WebhookRow]:
        """The owner's, or everyone's for None, by id, in whatever state."""

    async def set_state(self, row: WebhookRow, state: WebhookState) -> bool:
        """Change the state of this very webhook, unless it is deleted. That wipes its secret."""

    async def reseal_webhook(self, old: WebhookRow, sealed: bytes, key_id: str) -> bool:
        """Replace a webhook's sealed secret if it still is the old one."""

    async def deliveries(
        self, owner: str, webhook_id: str, before: tuple[str, str] | None = None, limit: int = 50
    ) -> list[DeliveryRow]:
        """From the newest to the oldest, below ``before``, a (created_at, match_id)."""

    async def claim(
        self, now: str, until: str, limit: int, skip: Collection[tuple[str, str]] = ()
    ) -> list[DeliveryRow]:
        """Take up to ``limit`` that are due ``now``: nobody else is given them before ``until``.

        ``skip`` are the (owner, webhook_id) of webhooks that are not to be told now.
        """

    async def settle(
        self, claimed: DeliveryRow, state: DeliveryState, due_at: str, attempts: Sequence[Attempt]
    ) -> bool:
        """Write down what came of a claimed delivery.

        False, and nothing written, if it was settled or claimed anew since; but what was
        delivered was.
        """

    async def pending(self) -> int:
        """How many deliveries are not settled for good."""

    async def put_webhook(self, row: WebhookRow) -> None:
        """Write a webhook as it is, whatever stands there (for copying)."""

    async def all_deliveries(self, after: DeliveryRow | None, limit: int) -> list[DeliveryRow]:
        """Deliveries of everyone in the order of their keys (for copying)."""

    async def put_deliveries(self, rows: Sequence[DeliveryRow]) -> None:
        """Write deliveries, but over none that is settled for good (for copying)."""


class Database(Storage, Protocol):
    """A storage with its webhooks."""

    @property
    def webhooks(self) -> WebhookStorage:
        """The webhooks and their deliveries."""


_WEBHOOK = [column.name for column in fields(WebhookRow)]
_DELIVERY = [column.name for column in fields(DeliveryRow)]
_WEBHOOKS = ", ".join(_WEBHOOK)
_DELIVERIES = ", ".join(_DELIVERY)
_KEY = "owner, webhook_id, match_id, event"

_webhook_values = attrgetter(*_WEBHOOK)
_key_of = attrgetter(*_KEY.split(", "))

_decode_attempts = msgspec.json.Decoder(tuple[Attempt, ...]).decode
_encoder = msgspec.json.Encoder()

Run = Callable[[str, Sequence[Any]], Awaitable[list[tuple[Any, ...]]]]


class SqlWebhooks:
    """A :class:`WebhookStorage` over a way to read and a way to write.

    Both run one statement, whose places are ``?``, by itself and give its rows. ``lock`` is what
    the database adds to a SELECT so that two of them at once find different rows.
    """

    def __init__(self, read: Run, write: Run, *, lock: str = "") -> None:
        self._read = read
        self._write = write
        self._lock = lock

    async def add(self, row: WebhookRow) -> bool:
        """Add a webhook."""
        sql = f"{_INSERT_WEBHOOK} WHERE webhooks.state = 'deleted' RETURNING 1"
        return bool(await self._write(sql, _stored_webhook(row)))

    async def webhook(self, owner: str, webhook_id: str) -> WebhookRow | None:
        """The webhook of that id."""
        sql = f"SELECT {_WEBHOOKS} FROM webhooks WHERE owner = ? AND webhook_id = ?"  # noqa: S608 - constant text, as below
        rows = await self._read(sql, (owner, webhook_id))
        return _webhook_of(rows[0]) if rows else None

    async def webhooks(self, owner: str | None = None) -> list[WebhookRow]:
        """The owner's, or everyone's."""
        where, values = ("true", ()) if owner is None else ("owner = ?", (owner,))
        sql = f"SELECT {_WEBHOOKS} FROM webhooks WHERE {where} ORDER BY owner, webhook_id"  # noqa: S608
        return [_webhook_of(row) for row in await self._read(sql, values)]

    async def set_state(self, row: WebhookRow, state: WebhookState) -> bool:
        """Change the state."""
        sql = (
            "UPDATE webhooks SET state = ?, sealed = CASE WHEN ? THEN ? ELSE sealed END"
            " WHERE owner = ? AND webhook_id = ? AND created_at = ? AND state <> 'deleted'"
            " RETURNING 1"
        )
        key = (row.owner, row.webhook_id, row.created_at)
        return bool(await self._write(sql, (state, state == "deleted", b"", *key)))

    async def reseal_webhook(self, old: WebhookRow, sealed: bytes, key_id: str) -> bool:
        """Replace a sealed secret."""
        sql = (
            "UPDATE webhooks SET sealed = ?, sealing_key_id = ?"
            " WHERE owner = ? AND webhook_id = ? AND sealed = ? RETURNING 1"
        )
        values = (sealed, key_id, old.owner, old.webhook_id, old.sealed)
        return bool(await self._write(sql, values))

    async def deliveries(
        self, owner: str, webhook_id: str, before: tuple[str, str] | None = None, limit: int = 50
    ) -> list[DeliveryRow]:
        """From the newest to the oldest."""
        below = "" if before is None else " AND (created_at, match_id) < (?, ?)"
        sql = (
            f"SELECT {_DELIVERIES} FROM webhook_deliveries"  # noqa: S608
            f" WHERE owner = ? AND webhook_id = ?{below}"
            " ORDER BY created_at DESC, match_id DESC, event DESC LIMIT ?"
        )
        rows = await self._read(sql, (owner, webhook_id, *(before or ()), limit))
        return [_delivery_of(row) for row in rows]

    async def claim(
        self, now: str, until: str, limit: int, skip: Collection[tuple[str, str]] = ()
    ) -> list[DeliveryRow]:
        """Take what is due."""
        # Looked at before anything is locked: most of the time nothing is due.
        wanted = "state = 'pending' AND due_at <= ?" + len(skip) * (
            " AND NOT (owner = ? AND webhook_id = ?)"
        )
        values = (now, *(part for key in skip for part in key))
        look = f"SELECT 1 FROM webhook_deliveries WHERE {wanted} LIMIT 1"  # noqa: S608
        if not await self._read(look, values):
            return []
        # Materialized: planned into the join, the LIMIT could count anew for each row.
        sql = (
            "WITH due AS MATERIALIZED ("  # noqa: S608
            "SELECT owner AS o, webhook_id AS w, match_id AS m, event AS e FROM webhook_deliveries"
            f" WHERE {wanted} ORDER BY due_at LIMIT ?{self._lock})"
            " UPDATE webhook_deliveries SET due_at = ? FROM due"
            " WHERE owner = o AND webhook_id = w AND match_id = m AND event = e"
            f" RETURNING {_DELIVERIES}"
        )
        return [_delivery_of(row) for row in await self._write(sql, (*values, limit, until))]

    async def settle(
        self, claimed: DeliveryRow, state: DeliveryState, due_at: str, attempts: Sequence[Attempt]
    ) -> bool:
        """Write down what came of it."""
        sql = (
            "UPDATE webhook_deliveries SET state = ?, due_at = ?, attempts = ?"
            " WHERE owner = ? AND webhook_id = ? AND match_id = ? AND event = ?"
            " AND state = 'pending' AND (due_at = ? OR ?) RETURNING 1"
        )
        values = (state, due_at, _encoder.encode(attempts).decode(), *_key_of(claimed))
        return bool(await self._write(sql, (*values, claimed.due_at, state == "delivered")))

    async def pending(self) -> int:
        """How many are pending."""
        sql = "SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'"
        ((count,),) = await self._read(sql, ())
        return int(count)

    async def put_webhook(self, row: WebhookRow) -> None:
        """Write a webhook as it is."""
        await self._write(f"{_INSERT_WEBHOOK} RETURNING 1", _stored_webhook(row))

    async def all_deliveries(self, after: DeliveryRow | None, limit: int) -> list[DeliveryRow]:
        """Deliveries of everyone."""
        where = "true" if after is None else f"({_KEY}) > (?, ?, ?, ?)"
        sql = f"SELECT {_DELIVERIES} FROM webhook_deliveries WHERE {where} ORDER BY {_KEY} LIMIT ?"  # noqa: S608
        key = () if after is None else _key_of(after)
        return [_delivery_of(row) for row in await self._read(sql, (*key, limit))]

    async def put_deliveries(self, rows: Sequence[DeliveryRow]) -> None:
        """Write deliveries."""
        if not rows:
            return
        places = ", ".join([_places(_DELIVERY)] * len(rows))
        sql = (
            f"INSERT INTO webhook_deliveries ({_DELIVERIES}) VALUES {places}"  # noqa: S608
            f" ON CONFLICT ({_KEY}) DO UPDATE SET state = excluded.state,"
            " due_at = excluded.due_at, attempts = excluded.attempts"
            " WHERE webhook_deliveries.state = 'pending' RETURNING 1"
        )
        values: list[Any] = []
        for row in rows:
            attempts = _encoder.encode(row.attempts).decode()
            values += (*_key_of(row), row.created_at, row.state, row.due_at, attempts)
        await self._write(sql, values)


def _places(columns: Sequence[str]) -> str:
    return f"({', '.join('?' * len(columns))})"


_CHANGED = ", ".join(f"{name} = excluded.{name}" for name in _WEBHOOK[2:])
_INSERT_WEBHOOK = (
    f"INSERT INTO webhooks ({_WEBHOOKS}) VALUES {_places(_WEBHOOK)}"  # noqa: S608
    f" ON CONFLICT (owner, webhook_id) DO UPDATE SET {_CHANGED}"
)


def _stored_webhook(row: WebhookRow) -> tuple[Any, ...]:
    return tuple(
        " ".join(value) if isinstance(value, tuple) else value for value in _webhook_values(row)
    )


def _webhook_of(values: tuple[Any, ...]) -> WebhookRow:
    owner, webhook_id, url, events, *rest = values
    return WebhookRow(owner, webhook_id, url, tuple(events.split()), *rest)


def _delivery_of(values: tuple[Any, ...]) -> DeliveryRow:
    return DeliveryRow(*(*values[:-1], _decode_attempts(values[-1])))
