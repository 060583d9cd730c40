"""What is told to whom, how often and until when."""

import asyncio
import hashlib
import json
import threading
from datetime import datetime

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from dice_service.clock import at
from dice_service.sealing import SealingRing
from dice_service.storage.databases import open_storage
from dice_service.webhooks.sending import Sender
from tests.integration.webhooks.conftest import World
from tests.support.receiver import Receiver, receiver

pytestmark = pytest.mark.anyio

# The specification's own example of a schedule, in seconds after the attempt before.
SCHEDULE = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)


def seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def holds(secret: str, headers: dict[str, str], body: bytes) -> bool:
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


async def test_an_end_is_told_once_signed_for_any_library_and_holds_the_reveal(
    world: World, there: Receiver
) -> None:
    secret = await world.hook(there.url)
    world.start()
    await world.end("cup.7-a")
    assert await world.came() == ["delivered"]
    ((path, headers, body),) = there.requests
    assert path == "/hook"
    assert headers["content-type"] == "application/json"
    assert headers["host"] == f"127.0.0.1:{there.port}"
    assert "." not in headers["webhook-id"]  # which would blur what is signed
    told = Webhook(secret).verify(body, headers)
    data = told["data"]
    log = await world.storage.lines("cup.7-a")
    assert told["type"] == "match.ended"
    assert told["timestamp"] == json.loads(log[-1])["time"]
    assert (data["match_id"], data["reason"], data["winner"]) == ("cup.7-a", "abort", None)
    assert (data["seq"], data["head"]) == (len(log) - 1, hashlib.sha256(log[-1]).hexdigest())
    seed = bytes.fromhex(data["server_seed"])
    assert hashlib.sha256(seed).hexdigest() == json.loads(log[0])["commitment"]
    assert data["log"] == "/v1/matches/cup.7-a/log"
    row = await world.row()
    assert (row.state, [attempt.status for attempt in row.attempts]) == ("delivered", [200])
    world.now += 10 * 86_400
    await world.end("next")
    assert await world.came() == ["delivered"]
    assert there.told == ["cup.7-a", "next"]


async def test_it_is_sent_again_as_the_specification_says_and_then_given_up(
    world: World, there: Receiver
) -> None:
    await world.hook(there.url)
    there.answers = [500, 404, 429, 502, 301, 503, 400, 504, 500, 500, 200]
    world.start()
    await world.end("m")
    for delay in SCHEDULE:
        assert await world.came() == ["again"]
        row = await world.row()
        assert row.state == "pending"
        due = seconds(row.due_at)
        assert delay - 0.01 <= due - world.now <= 1.1 * delay + 0.01
        assert await world.storage.webhooks.claim(at(due - 0.01), at(due), 1) == []
        world.now = due + 0.001
    assert await world.came() == ["failed"]
    row = await world.row()
    assert row.state == "failed"
    assert [attempt.status for attempt in row.attempts] == [
        *(500, 404, 429, 502, 301, 503, 400, 504, 500, 500)
    ]
    assert await world.storage.webhooks.pending() == 0
    assert list(there.ids.values()) == [10]
    times = [int(headers["webhook-timestamp"]) for _, headers, _ in there.requests]
    assert times == [int(seconds(attempt.time)) for attempt in row.attempts]
    assert len({body for _, _, body in there.requests}) == 1


async def test_a_receiver_that_is_down_is_told_when_it_is_up(world: World) -> None:
    with receiver() as gone:
        port = gone.port
    await world.hook(gone.url)
    world.start(delays=(5,))
    await world.end("m")
    assert await world.came() == ["again"]
    with receiver(port=port) as back:
        world.now += 6
        assert await world.came() == ["delivered"]
        assert back.told == ["m"]
    errors = [(attempt.status, attempt.error) for attempt in (await world.row()).attempts]
    assert errors == [(None, "connection"), (200, None)]


async def test_a_receiver_that_asks_for_time_gets_it_but_not_for_ever(
    world: World, there: Receiver
) -> None:
    await world.hook(there.url)
    there.answers = [
        (503, {"retry-after": "1000"}),
        (429, {"retry-after": "999999999999"}),
        (429, {"retry-after": "soon"}),
    ]
    world.start()
    for match_id, wait in (("one", 1_000), ("two", 86_400), ("three", 5)):
        await world.end(match_id)
        assert await world.came() == ["again"]
        rows = await world.storage.webhooks.deliveries("club", "hook")
        due = next(seconds(row.due_at) for row in rows if row.match_id == match_id)
        assert wait - 0.01 <= due - world.now <= wait * 1.1 + 0.01


async def test_gone_is_believed(world: World, there: Receiver) -> None:
    await world.hook(there.url)
    there.answers = [500, 410]
    world.start()
    await world.end("first")
    assert await world.came() == ["again"]
    await world.end("second")
    assert await world.came() == ["gone"]
    assert (await world.webhooks.get("club", "hook")).state == "disabled"
    await world.end("third")
    world.now += 6
    assert await world.came() == ["dropped"]  # "first"
    page = await world.webhooks.deliveries("club", "hook")
    assert {one.match_id: (one.state, len(one.attempts)) for one in page.deliveries} == {
        "first": ("failed", 1),
        "second": ("failed", 1),
    }
    assert there.told == ["first", "second"]


async def test_no_redirect_is_followed(world: World, there: Receiver) -> None:
    with receiver() as elsewhere:
        await world.hook(there.url)
        there.answers = [(307, {"location": elsewhere.url})]
        world.start()
        await world.end("m")
        assert await world.came() == ["again"]
        assert elsewhere.requests == []


async def test_a_receiver_that_does_not_answer_is_not_waited_for(
    world: World, there: Receiver
) -> None:
    go_on = threading.Event()
    there.before_answer = go_on.wait
    await world.hook(there.url)
    world.start(Sender("local", timeout=0.2))
    await world.end("m")
    assert await world.came() == ["again"]
    go_on.set()
    (attempt,) = (await world.row()).attempts
    assert (attempt.status, attempt.error) == (None, "timeout")


async def test_a_receiver_that_hangs_does_not_hold_up_the_others(
    world: World, there: Receiver
) -> None:
    go_on = threading.Event()
    there.before_answer = go_on.wait
    await world.hook(there.url, "slow")
    await world.end(*(f"m-{n}" for n in range(30)))
    world.start()
    await there.has(4)
    with receiver() as quick:
        await world.hook(quick.url, "quick", "rival")
        await world.end("r-1", "r-2", owner="rival")
        assert await world.came(2) == ["delivered"] * 2
        assert sorted(quick.told) == ["r-1", "r-2"]
    assert len(there.requests) < 8
    go_on.set()
    assert await world.came(30) == ["delivered"] * 30
    assert set(there.ids.values()) == {1}


async def test_what_a_process_began_and_did_not_end_is_taken_over_after_its_lease(
    world: World, there: Receiver
) -> None:
    await world.hook(there.url)
    await world.end("m")
    hang = threading.Event()
    there.before_answer = hang.wait
    dead = world.start(lease=60)
    await there.has(1)
    await dead.close(0)
    hang.set()
    world.now += 59
    world.start()
    await world.end("other")
    assert await world.came() == ["delivered"]
    assert there.told == ["m", "other"]
    world.now += 2
    assert await world.came() == ["delivered"]
    assert there.told == ["m", "other", "m"]
    assert sorted(there.ids.values()) == [1, 2]  # the double has the id of the first


async def test_two_processes_tell_each_end_once(world: World, there: Receiver) -> None:
    await world.hook(there.url)
    another = open_storage(world.url)
    try:
        one, two = world.start(), world.start(storage=another)
        match_ids = [f"m-{n}" for n in range(40)]
        await asyncio.gather(*map(world.end, match_ids))
        assert await world.came(40) == ["delivered"] * 40
        assert sorted(there.told) == sorted(match_ids)
        await one.close(0)
        await two.close(0)
    finally:
        await another.close()


async def test_a_deleted_webhook_is_told_nothing_more(world: World, there: Receiver) -> None:
    await world.hook(there.url, "old")
    await world.hook(there.url, "new")
    await world.end("m")
    await world.webhooks.delete("club", "old")
    world.start()
    assert sorted(await world.came(2)) == ["delivered", "dropped"]
    assert there.told == ["m"]


async def test_a_secret_changes_without_a_gap_by_a_second_webhook(
    world: World, there: Receiver
) -> None:
    old, new = await world.hook(there.url, "old"), await world.hook(there.url, "new")
    assert old != new
    world.start()
    await world.end("m")
    assert await world.came(2) == ["delivered"] * 2
    assert list(there.ids.values()) == [2]  # so the receiver drops the second
    for secret in (old, new):
        held = [holds(secret, headers, body) for _, headers, body in there.requests]
        assert sorted(held) == [False, True]


async def test_without_the_sealing_key_nothing_is_sent_unsigned(
    world: World, there: Receiver
) -> None:
    await world.hook(there.url)
    world.start(sealing=SealingRing({"other": bytes(32)}, "other"))
    await world.end("m")
    assert await world.came() == ["again"]
    assert [attempt.error for attempt in (await world.row()).attempts] == ["key-missing"]
    assert there.requests == []
