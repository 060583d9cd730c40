"""The receiver's side of webhooks: whether a message is from the service, and what it says."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from dice_service.client.errors import ClientError
from dice_service.webhooks import standard


class WebhookError(ClientError):
    """The message is not to be believed: answer 400 and do nothing of what it says."""


class WebhookMessage(NamedTuple):
    """A message of the service. The same ``id`` again is the same event: do nothing twice."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]


class _Body(msgspec.Struct):
    type: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(
    headers: Mapping[str, str], body: bytes, secret: str, *, now: float | None = None
) -> WebhookMessage:
    """The message in a request's ``headers`` and ``body``, as it came, byte for byte.

    ``secret`` is what registering the webhook returned. Raises :class:`WebhookError`
    ``webhook-unsigned`` unless it was signed with it within five minutes of ``now`` (seconds since
    1970; the machine's clock unless given), ``webhook-unreadable`` for what is no message, and
    :class:`ValueError` for what is no secret.
    """
    key = standard.parse_secret(secret)
    try:
        message = standard.verify(key, headers, body, time.time() if now is None else now)
    except standard.NotSignedError as error:
        raise WebhookError("webhook-unsigned", str(error)) from None
    try:
        read = msgspec.json.decode(body, type=_Body)
    except msgspec.MsgspecError as error:
        raise WebhookError("webhook-unreadable", f"The body is no message: {error}.") from None
    return WebhookMessage(message, read.type, read.timestamp, read.data)
