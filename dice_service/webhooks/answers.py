"""What the service answers about webhooks, and what it tells a receiver."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dice_service.answers import Revealed
from dice_service.storage.webhooks import Attempt, DeliveryState, Event
from verifier.events import Count, EndReason, Hex32, MatchId, Player, Time

Secret = Annotated[str, Meta(extra_json_schema={"pattern": "^whsec_[A-Za-z0-9+/]+=*$"})]
MessageId = Annotated[str, Meta(extra_json_schema={"pattern": "^msg_[0-9a-f]{32}$"})]


class NewWebhook(Struct, frozen=True):
    """A webhook registered. ``secret`` is what its messages are signed with: keep it."""

    webhook_id: str
    url: str
    events: tuple[Event, ...]
    created_at: Time
    secret: Secret

    def __repr__(self) -> str:
        return f"NewWebhook(webhook_id={self.webhook_id!r})"


class Webhook(Struct, frozen=True):
    """A webhook. It is ``disabled`` once its receiver has answered 410."""

    webhook_id: str
    url: str
    events: tuple[Event, ...]
    created_at: Time
    state: Literal["active", "disabled"]


class WebhookList(Struct, frozen=True):
    """Every webhook of an owner, by id."""

    webhooks: tuple[Webhook, ...]


class Delivery(Struct, frozen=True):
    """What became of a message to a webhook.

    ``next_attempt`` is null once the message was ``delivered`` or given up as ``failed``. While an
    attempt is made, it is the time from which on it counts as lost.
    """

    message_id: MessageId
    event: Event
    match_id: MatchId
    created_at: Time
    state: DeliveryState
    attempts: tuple[Attempt, ...]
    next_attempt: Time | None


class DeliveryPage(Struct, frozen=True):
    """Deliveries from the newest to the oldest; ``next`` is the cursor of the next page, if any."""

    deliveries: tuple[Delivery, ...]
    next: str | None


class MatchEnded(Struct, frozen=True):
    """A match that has ended, revealed; ``seq`` and ``head`` are of the log's last line.

    ``log`` is the path at which the service has the log.
    """

    match_id: MatchId
    reason: EndReason
    winner: Player | None
    server_seed: Revealed
    seq: Count
    head: Hex32
    log: str


class MatchEndedMessage(Struct, frozen=True):
    """The body of ``match.ended``. ``timestamp`` is when the match ended."""

    type: Literal["match.ended"]
    timestamp: Time
    data: MatchEnded
