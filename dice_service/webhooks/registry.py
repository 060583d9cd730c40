"""The webhooks of owners: registered, listed, deleted, and what became of their messages."""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Final, cast

import httpx

from dice_service import clock as real_clock
from dice_service.answers import Outcome
from dice_service.errors import Refusal
from dice_service.sealing import SealingRing
from dice_service.storage.webhooks import DeliveryRow, Event, WebhookRow, WebhookStorage
from dice_service.views import cursor_after, parse_cursor
from dice_service.webhooks import standard
from dice_service.webhooks.answers import Delivery, DeliveryPage, NewWebhook, Webhook, WebhookList
from dice_service.webhooks.sending import Targets, allowed

LIMIT: Final = 10  # webhooks of one owner: each match's end is a row for every one of them


class Webhooks:
    """All webhooks of a storage. Every method may raise :class:`dice_service.errors.Refusal`.

    ``targets`` says which receivers are let in: see :mod:`dice_service.webhooks.sending`.
    """

    def __init__(
        self,
        storage: WebhookStorage,
        sealing: SealingRing,
        targets: Targets,
        *,
        clock: Callable[[], str] = real_clock.now,
    ) -> None:
        self._storage = storage
        self._sealing = sealing
        self._targets: Targets = targets
        self._clock = clock

    async def register(
        self, owner: str, webhook_id: str, *, url: str, events: Sequence[Event]
    ) -> Outcome[NewWebhook]:
        """Make a webhook and its secret; a repeat gives the same secret again."""
        self._need_reachable(url)
        wanted = tuple(sorted(set(events)))
        stored = await self._find(owner, webhook_id)
        created = False
        if stored is None:
            if len(await self._of(owner)) >= LIMIT:
                raise Refusal("webhook-limit", f"An owner has at most {LIMIT}; delete one first.")
            key_id, sealed = seal(self._sealing, owner, webhook_id, standard.make_secret())
            row = WebhookRow(
                owner, webhook_id, url, wanted, "active", self._clock(), sealed, key_id
            )
            created = await self._storage.add(row)
            stored = row if created else await self._get(owner, webhook_id)
        if (stored.url, stored.events) != (url, wanted):
            raise Refusal(
                "webhook-differs",
                f"The webhook {webhook_id} is another one. Delete it first, or take a new id.",
            )
        secret = standard.shown_secret(opened(self._sealing, stored))
        new = NewWebhook(webhook_id, url, _events(stored), stored.created_at, secret)
        return Outcome(created, new)

    async def get(self, owner: str, webhook_id: str) -> Webhook:
        """A webhook, without its secret."""
        return _view(await self._get(owner, webhook_id))

    async def list(self, owner: str) -> WebhookList:
        """Every webhook of the owner."""
        return WebhookList(tuple(map(_view, await self._of(owner))))

    async def delete(self, owner: str, webhook_id: str) -> None:
        """Delete a webhook, or see that it is deleted. Its messages that wait are not sent."""
        row = await self._storage.webhook(owner, webhook_id)
        if row is None:
            raise _not_found()
        await self._storage.set_state(row, "deleted")

    async def deliveries(
        self, owner: str, webhook_id: str, *, after: str | None = None, limit: int = 50
    ) -> DeliveryPage:
        """What became of its messages, from the newest to the oldest."""
        webhook = await self._get(owner, webhook_id)
        before = None if after is None else parse_cursor(after)
        rows = await self._storage.deliveries(owner, webhook_id, before, limit + 1)
        more = len(rows) > limit
        rows = rows[:limit]
        found = tuple(_delivery(row, active=webhook.state == "active") for row in rows)
        last = cursor_after(rows[-1].created_at, rows[-1].match_id) if more else None
        return DeliveryPage(found, last)

    async def _find(self, owner: str, webhook_id: str) -> WebhookRow | None:
        row = await self._storage.webhook(owner, webhook_id)
        return None if row is None or row.state == "deleted" else row

    async def _get(self, owner: str, webhook_id: str) -> WebhookRow:
        row = await self._find(owner, webhook_id)
        if row is None:
            raise _not_found()
        return row

    async def _of(self, owner: str) -> Sequence[WebhookRow]:
        return [row for row in await self._storage.webhooks(owner) if row.state != "deleted"]

    def _need_reachable(self, url: str) -> None:
        """Refuse what no attempt would be made to; names are looked up at each attempt only."""
        try:
            parts = httpx.URL(url)
        except httpx.InvalidURL:
            raise _bad_url("It cannot be read.") from None
        if parts.scheme != "https" and self._targets == "public":
            raise _bad_url("It must begin with https://.")
        try:
            address = ip_address(parts.raw_host.decode("ascii"))
        except ValueError:
            return
        if not allowed(address, parts.scheme, self._targets):
            raise _bad_url("This service posts to no such address.")


def seal(ring: SealingRing, owner: str, webhook_id: str, secret: bytes) -> tuple[str, bytes]:
    """A webhook's secret, sealed: the key's id and the seal."""
    return ring.seal_bytes(_bound(owner, webhook_id), secret)


def opened(ring: SealingRing, row: WebhookRow) -> bytes:
    """A webhook's secret. Raises :class:`Refusal` as :meth:`SealingRing.open`."""
    bound = _bound(row.owner, row.webhook_id)
    return ring.open_bytes(bound, row.sealing_key_id, row.sealed, "webhook")


async def reseal(storage: WebhookStorage, ring: SealingRing) -> int:
    """Seal every secret anew that is sealed under another key than the active one; how many.

    Raises :class:`Refusal` at the first that does not open; those before it are done.
    """
    done = 0
    for row in await storage.webhooks():
        if row.state != "deleted" and row.sealing_key_id != ring.active:
            key_id, sealed = seal(ring, row.owner, row.webhook_id, opened(ring, row))
            done += await storage.reseal_webhook(row, sealed, key_id)
    return done


def _bound(owner: str, webhook_id: str) -> bytes:
    return f"zarf/1:webhook:{owner}:{webhook_id}".encode("ascii")


def _not_found() -> Refusal:
    return Refusal("not-found", "There is no such webhook that you may see.")


def _bad_url(message: str) -> Refusal:
    return Refusal("invalid", f"url: {message}", (("url", message),))


def _events(row: WebhookRow) -> tuple[Event, ...]:
    return cast("tuple[Event, ...]", row.events)


def _view(row: WebhookRow) -> Webhook:
    assert row.state != "deleted"
    return Webhook(row.webhook_id, row.url, _events(row), row.created_at, row.state)


def _delivery(row: DeliveryRow, *, active: bool) -> Delivery:
    return Delivery(
        message_id=standard.message_id(row.event, row.match_id),
        event=cast("Event", row.event),
        match_id=row.match_id,
        created_at=row.created_at,
        state=row.state,
        attempts=row.attempts,
        next_attempt=row.due_at if row.state == "pending" and active else None,
    )
