"""A webhook's signature, against the specification's own libraries and their published example."""

import datetime as dt
import time
from typing import Any

import pytest
from standardwebhooks import Webhook

from dice_service.client import WebhookError, verify_webhook
from dice_service.webhooks import standard

# The example of the specification's own test suites, in every language.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
TIME = 1614265330
PAYLOAD = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

BODY = (
    b'{"type":"match.ended","timestamp":"2026-01-31T18:00:00.000Z","data":{"match_id":"\xc5\x9f"}}'
)


def signed(body: bytes = BODY, **changed: str) -> dict[str, str]:
    headers = {
        "webhook-id": ID,
        "webhook-timestamp": str(TIME),
        "webhook-signature": standard.sign(standard.parse_secret(SECRET), ID, TIME, body),
    }
    return headers | {name.replace("_", "-"): value for name, value in changed.items()}


def test_the_published_example_has_the_published_signature() -> None:
    assert standard.sign(standard.parse_secret(SECRET), ID, TIME, PAYLOAD) == SIGNATURE


def test_their_library_believes_ours_and_ours_theirs() -> None:
    secret = standard.make_secret()
    shown = standard.shown_secret(secret)
    theirs = Webhook(shown)
    now = int(time.time())
    assert theirs.verify(BODY, standard.headers(secret, ID, now, BODY))["data"] == {"match_id": "ş"}
    moment = dt.datetime.fromtimestamp(now, dt.UTC)
    headers = {
        "Webhook-Id": ID,
        "Webhook-Timestamp": str(now),
        "Webhook-Signature": theirs.sign(ID, moment, BODY.decode()),
    }
    message = verify_webhook(headers, BODY, shown)
    assert message == (ID, "match.ended", "2026-01-31T18:00:00.000Z", {"match_id": "ş"})


def test_one_of_several_signatures_is_enough() -> None:
    other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
    right = signed()["webhook-signature"]
    for value in (f"{other} {right}", f"v1a,{other[3:]} {right} {other}", f"{right} \udcff"):
        assert verify_webhook(signed(webhook_signature=value), BODY, SECRET, now=TIME).id == ID


@pytest.mark.parametrize(
    ("headers", "now"),
    [
        (signed(webhook_id="msg_other"), TIME),
        (signed(webhook_id="\udcff"), TIME),
        (signed(webhook_timestamp=str(TIME + 1)), TIME),
        (signed(webhook_timestamp=f"+{TIME}"), TIME),
        (signed(webhook_timestamp=f"{TIME}.0"), TIME),
        (signed(webhook_timestamp="9" * 400), TIME),
        (signed(webhook_timestamp="²"), TIME),
        (signed(), TIME + 301),
        (signed(), TIME - 301),
        (signed(webhook_signature=SIGNATURE), TIME),
        (signed(webhook_signature=""), TIME),
        (signed(webhook_signature=signed()["webhook-signature"].replace("v1,", "v2,")), TIME),
        (signed(webhook_signature=signed()["webhook-signature"][:-1]), TIME),
        *(
            ({name: value for name, value in signed().items() if name != missing}, TIME)
            for missing in signed()
        ),
    ],
)
def test_what_is_not_signed_so_is_not_believed(headers: dict[str, str], now: float) -> None:
    with pytest.raises(WebhookError) as caught:
        verify_webhook(headers, BODY, SECRET, now=now)
    assert caught.value.code == "webhook-unsigned"


def test_five_minutes_are_forgiven() -> None:
    for now in (TIME - 300, TIME + 300):
        assert verify_webhook(signed(), BODY, SECRET, now=now).id == ID


@pytest.mark.parametrize("place", range(0, len(BODY), 7))
def test_a_changed_byte_is_noticed(place: int) -> None:
    changed = BODY[:place] + bytes([BODY[place] ^ 1]) + BODY[place + 1 :]
    with pytest.raises(WebhookError, match="webhook-unsigned"):
        verify_webhook(signed(), changed, SECRET, now=TIME)


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b'{"type":1,"timestamp":"","data":{}}'])
def test_what_is_signed_and_no_message_is_told_as_such(body: bytes) -> None:
    with pytest.raises(WebhookError) as caught:
        verify_webhook(signed(body), body, SECRET, now=TIME)
    assert caught.value.code == "webhook-unreadable"


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_ç", "whsec_A", "whsec_!!!!"])
def test_what_is_no_secret_is_refused_as_such(secret: Any) -> None:
    with pytest.raises(ValueError, match="whsec_ and base64"):
        verify_webhook(signed(), BODY, secret, now=TIME)


def test_a_secret_is_as_long_as_the_specification_asks_and_never_the_same() -> None:
    one, two = standard.make_secret(), standard.make_secret()
    assert 24 <= len(one) <= 64
    assert one != two


def test_an_event_has_one_id_without_a_full_stop() -> None:
    ids = {standard.message_id("match.ended", match_id) for match_id in ("a", "b", "a.b")}
    assert len(ids) == 3
    assert not any("." in found for found in ids)
    assert standard.message_id("match.ended", "a") in ids
