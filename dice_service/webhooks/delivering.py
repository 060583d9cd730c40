"""The task that tells webhooks what is due, in every process of the service.

A delivery that is claimed is nobody else's for :data:`LEASE` seconds; a process that died in them
is taken over then. So a message is sent at least once, and twice only if a process dies, or loses
its database, between an answer and its being written down: both have the same ``webhook-id``.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec
import structlog

from dice_service.answers import OwnedView
from dice_service.clock import at
from dice_service.crash import crash_point
from dice_service.errors import Refusal
from dice_service.sealing import SealingRing
from dice_service.storage import StorageError
from dice_service.storage.webhooks import Attempt, DeliveryRow, WebhookRow, WebhookStorage
from dice_service.webhooks import standard
from dice_service.webhooks.answers import MatchEnded, MatchEndedMessage
from dice_service.webhooks.registry import opened
from dice_service.webhooks.sending import TIMEOUT, Outcome, Sender

# Seconds between the attempts, as the specification has them: ten in three days.
DELAYS: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
JITTER: Final = 0.1  # of a delay, at most, is added to it
LEASE: Final = 4 * TIMEOUT
POLL: Final = 1.0  # seconds between two looks at what is due
SLOTS: Final = 16  # attempts that are made at once
PER_WEBHOOK: Final = 4  # of them to one webhook, so that a slow one leaves room for the others

_log = structlog.get_logger()


class Deliverer:
    """Tells webhooks. ``view`` gives the state of a match; ``clock`` the seconds since 1970.

    ``on_attempt`` is told what came of each: ``delivered``, ``again``, ``failed`` (given up),
    ``gone`` (the receiver wants no more) or ``dropped`` (not made: the webhook is no more).
    """

    def __init__(
        self,
        storage: WebhookStorage,
        sealing: SealingRing,
        sender: Sender,
        view: Callable[[str], Awaitable[OwnedView]],
        *,
        on_attempt: Callable[[str], object] = bool,
        delays: Sequence[float] = DELAYS,
        lease: float = LEASE,
        poll: float = POLL,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._storage = storage
        self._sealing = sealing
        self._sender = sender
        self._view = view
        self._on_attempt = on_attempt
        self._delays = delays
        self._lease = lease
        self._poll = poll
        self._clock = clock
        self._running: dict[asyncio.Task[None], tuple[str, str]] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Deliver from now on, until :meth:`close`."""
        self._task = asyncio.create_task(self._run())

    async def close(self, grace: float) -> None:
        """Begin no more; attempts under way have ``grace`` seconds, and are repeated after."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        running = list(self._running)
        if running:
            await asyncio.wait(running, timeout=grace)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._sender.close()

    async def _run(self) -> None:
        while True:
            free = min(SLOTS - len(self._running), PER_WEBHOOK)
            claimed = await self._claim(free) if free else []
            for row in claimed:
                task = asyncio.create_task(self._deliver(row))
                self._running[task] = (row.owner, row.webhook_id)
                task.add_done_callback(self._running.pop)
            if len(claimed) < PER_WEBHOOK:
                await self._pause()

    async def _claim(self, limit: int) -> list[DeliveryRow]:
        busy = [key for key, n in Counter(self._running.values()).items() if n >= PER_WEBHOOK]
        now = self._clock()
        try:
            return await self._storage.claim(at(now), at(now + self._lease), limit, busy)
        except StorageError as error:
            _log.warning("webhooks: the storage did not say what is due", reason=error.detail)
        except Exception:  # noqa: BLE001 - as long as the service runs, this does
            _log.exception("webhooks: nothing could be claimed")
        return []

    async def _pause(self) -> None:
        if self._running:
            await asyncio.wait(
                self._running, timeout=self._poll, return_when=asyncio.FIRST_COMPLETED
            )
        else:
            await asyncio.sleep(self._poll)

    async def _deliver(self, row: DeliveryRow) -> None:
        try:
            webhook = await self._storage.webhook(row.owner, row.webhook_id)
            if webhook is None or webhook.state != "active":
                await self._storage.settle(row, "failed", at(self._clock()), row.attempts)
                self._on_attempt("dropped")
            else:
                await self._settle(webhook, row, self._clock())
        except StorageError as error:
            _log.warning("webhook: to be repeated", match_id=row.match_id, reason=error.detail)
        except Exception:  # noqa: BLE001 - one message may not stop the others
            _log.exception("webhook: to be repeated", match_id=row.match_id)

    async def _settle(self, webhook: WebhookRow, row: DeliveryRow, begin: float) -> None:
        outcome = await self._attempt(webhook, row, int(begin))
        # A crash here: it was sent, and nobody knows. It is sent again once the lease is over.
        crash_point("webhook-sent")
        attempts = (*row.attempts, Attempt(at(begin), outcome.status, outcome.error))
        now = self._clock()
        gone = outcome.status == 410
        if outcome.status is not None and 200 <= outcome.status < 300:
            came = "delivered"
            await self._storage.settle(row, "delivered", at(now), attempts)
        elif gone or len(attempts) > len(self._delays):
            came = "gone" if gone else "failed"
            if gone:
                await self._storage.set_state(webhook, "disabled")
            await self._storage.settle(row, "failed", at(now), attempts)
        else:
            came = "again"
            delay = self._delays[len(attempts) - 1] * (1 + JITTER * random.random())  # noqa: S311 - no secret
            due = at(now + max(delay, outcome.wait))
            await self._storage.settle(row, "pending", due, attempts)
        self._on_attempt(came)
        _log.info(
            "webhook",
            owner=row.owner,
            webhook_id=row.webhook_id,
            match_id=row.match_id,
            attempt=len(attempts),
            status=outcome.status,
            error=outcome.error,
            came_of_it=came,
        )

    async def _attempt(self, webhook: WebhookRow, row: DeliveryRow, timestamp: int) -> Outcome:
        try:
            secret = opened(self._sealing, webhook)
            view = (await self._view(row.match_id)).view
        except Refusal as refusal:
            return Outcome(None, refusal.code)
        assert view.reason is not None
        assert view.server_seed is not None
        assert view.ended_at is not None
        ended = MatchEnded(
            match_id=row.match_id,
            reason=view.reason,
            winner=view.winner,
            server_seed=view.server_seed,
            seq=view.lines - 1,
            head=view.head,
            log=f"/v1/matches/{row.match_id}/log",
        )
        message = MatchEndedMessage("match.ended", view.ended_at, ended)
        body = msgspec.json.encode(message)
        message_id = standard.message_id(row.event, row.match_id)
        headers = standard.headers(secret, message_id, timestamp, body)
        return await self._sender.post(webhook.url, headers, body)
