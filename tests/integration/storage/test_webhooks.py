"""What every database must do for webhooks: a delivery for each end, given to one at a time."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from dice_service.storage import Append, MatchRow
from dice_service.storage.webhooks import Attempt, Database, DeliveryRow, WebhookRow

pytestmark = pytest.mark.anyio

Open = Callable[[], Database]
HOOK = WebhookRow("club", "hook", "https://a.test/", ("match.ended",), "active", "t0", b"s", "k")


def opening(match_id: str, owner: str = "club") -> Append:
    row = MatchRow(match_id, owner, "direct", None, "t1", None, "seeds", b"", "k", "s")
    return Append(match_id, 0, (b"{}",), opening=row)


def end(match_id: str, ended_at: str = "t3") -> Append:
    return Append(match_id, 1, (b"end", b"reveal"), phase="ended", ended_at=ended_at)


async def told(storage: Database, webhook_id: str = "hook", owner: str = "club") -> list[str]:
    return [row.match_id for row in await storage.webhooks.deliveries(owner, webhook_id)]


async def test_webhooks_come_back_as_they_were_written(storage: Database) -> None:
    hooks = storage.webhooks
    assert await hooks.webhook("club", "hook") is None
    assert await hooks.add(HOOK)
    assert not await hooks.add(replace(HOOK, url="https://b.test/"))
    rival = replace(HOOK, owner="rival", webhook_id="a", sealed=b"\0\xff", url="https://b.test/?")
    assert await hooks.add(rival)
    assert await hooks.webhook("club", "hook") == HOOK
    assert await hooks.webhook("rival", "hook") is None
    assert await hooks.webhooks("rival") == [rival]
    assert await hooks.webhooks() == [HOOK, rival]


async def test_a_deleted_webhook_forgets_its_secret_and_its_id_is_free(storage: Database) -> None:
    hooks = storage.webhooks
    await hooks.add(HOOK)
    assert await hooks.set_state(HOOK, "disabled")
    assert await hooks.webhook("club", "hook") == replace(HOOK, state="disabled")
    assert await hooks.set_state(HOOK, "deleted")
    assert await hooks.webhook("club", "hook") == replace(HOOK, state="deleted", sealed=b"")
    assert not await hooks.set_state(HOOK, "active")
    again = replace(HOOK, created_at="t5", sealed=b"other")
    assert await hooks.add(again)
    assert not await hooks.set_state(HOOK, "disabled")  # an answer to the one that was deleted
    assert await hooks.webhook("club", "hook") == again


async def test_a_secret_is_sealed_anew_only_where_the_old_one_stands(storage: Database) -> None:
    hooks = storage.webhooks
    await hooks.add(HOOK)
    assert await hooks.reseal_webhook(HOOK, b"new", "k2")
    assert not await hooks.reseal_webhook(HOOK, b"newer", "k3")
    assert await hooks.webhook("club", "hook") == replace(HOOK, sealed=b"new", sealing_key_id="k2")


async def test_every_end_is_told_to_the_owners_active_webhooks_and_to_no_other(
    storage: Database,
) -> None:
    second, off = replace(HOOK, webhook_id="second"), replace(HOOK, webhook_id="off")
    for hook in (HOOK, second, off, replace(HOOK, owner="rival")):
        await storage.webhooks.add(hook)
    await storage.webhooks.set_state(off, "disabled")
    await storage.append([opening("m-1"), opening("m-2"), opening("m-3", "rival")])
    await storage.append([Append("m-2", 1, (b"x",), phase="rolling")])
    assert await told(storage) == []
    ends = [end("m-1"), Append("m-2", 2, (b"end",), phase="ended", ended_at="t4"), end("m-3")]
    assert await storage.append(ends) == [True] * 3
    assert await told(storage) == ["m-2", "m-1"]
    assert await told(storage, "second") == ["m-2", "m-1"]
    assert await told(storage, "off") == []
    assert await told(storage, owner="rival") == ["m-3"]
    born = DeliveryRow("club", "hook", "m-1", "match.ended", "t3", "pending", "t3", ())
    assert await storage.webhooks.deliveries("club", "hook", ("t4", "m-2")) == [born]
    assert await storage.webhooks.pending() == 5


async def test_an_end_that_was_not_written_is_told_to_nobody(open_storage: Open) -> None:
    one, two = open_storage(), open_storage()
    await one.webhooks.add(HOOK)
    await one.append([opening(f"m-{n}") for n in range(20)])
    lost = Append("m-0", 1, (b"end", b"reveal", b"more"), phase="ended", ended_at="t9")
    assert await one.append([end("m-0"), lost]) == [True, False]
    for n in range(1, 20):
        results = await asyncio.gather(
            one.append([end(f"m-{n}", "t5")]), two.append([end(f"m-{n}", "t5")])
        )
        assert sorted(results) == [[False], [True]]
    rows = await one.webhooks.deliveries("club", "hook")
    assert sorted(row.match_id for row in rows) == sorted(f"m-{n}" for n in range(20))
    assert await one.webhooks.pending() == 20


async def test_pages_of_deliveries_hold_each_once(storage: Database) -> None:
    await storage.webhooks.add(HOOK)
    ids = [f"m-{n:02}" for n in range(25)]
    await storage.append([opening(match_id) for match_id in ids])
    await storage.append([end(match_id, f"t{n // 10 + 3}") for n, match_id in enumerate(ids)])
    found: list[str] = []
    before = None
    while page := await storage.webhooks.deliveries("club", "hook", before, 4):
        found += [row.match_id for row in page]
        before = (page[-1].created_at, page[-1].match_id)
    assert found == ids[::-1]


async def test_what_is_claimed_is_nobody_elses_until_the_lease_is_over(
    open_storage: Open,
) -> None:
    one, two = open_storage(), open_storage()
    await one.webhooks.add(HOOK)
    await one.append([opening(f"m-{n}") for n in range(30)])
    await one.append([end(f"m-{n}") for n in range(30)])
    assert await one.webhooks.claim("t2", "t6", 10) == []  # before they are due
    claims = await asyncio.gather(
        *((one, two)[n % 2].webhooks.claim("t4", "t6", 7) for n in range(6))
    )
    assert all(len(rows) <= 7 for rows in claims)
    claimed = [row.match_id for rows in claims for row in rows]
    while rest := await two.webhooks.claim("t4", "t6", 7):  # what the races left
        claimed += [row.match_id for row in rest]
    assert sorted(claimed) == sorted(f"m-{n}" for n in range(30))
    assert await one.webhooks.claim("t5", "t7", 10) == []
    again = await two.webhooks.claim("t6", "t8", 100)
    assert len(again) == 30
    assert {row.due_at for row in again} == {"t8"}


async def test_webhooks_to_be_skipped_are_skipped(storage: Database) -> None:
    await storage.webhooks.add(HOOK)
    await storage.webhooks.add(replace(HOOK, webhook_id="second"))
    await storage.append([opening("m-1")])
    await storage.append([end("m-1")])
    (row,) = await storage.webhooks.claim("t4", "t6", 9, [("club", "hook"), ("club", "x")])
    assert row.webhook_id == "second"
    (row,) = await storage.webhooks.claim("t4", "t6", 9)
    assert row.webhook_id == "hook"


async def test_an_attempt_is_written_down_by_who_holds_the_claim(storage: Database) -> None:
    hooks = storage.webhooks
    await hooks.add(HOOK)
    await storage.append([opening("m-1")])
    await storage.append([end("m-1")])
    (late,) = await hooks.claim("t4", "t5", 1)
    (row,) = await hooks.claim("t5", "t6", 1)
    failed = Attempt("2026-01-31T18:00:00.000Z", None, "timeout")
    assert not await hooks.settle(late, "pending", "t9", [failed])
    assert await hooks.settle(row, "pending", "t7", [failed])
    (seen,) = await hooks.deliveries("club", "hook")
    assert (seen.state, seen.due_at, seen.attempts) == ("pending", "t7", (failed,))
    assert await hooks.claim("t6", "t9", 1) == []
    (row,) = await hooks.claim("t7", "t8", 1)
    heard = Attempt("2026-01-31T18:00:05.000Z", 204, None)
    # It was heard, whoever holds the claim by now.
    assert await hooks.settle(late, "delivered", "t7", [failed, heard])
    assert not await hooks.settle(row, "failed", "t9", [failed])
    (seen,) = await hooks.deliveries("club", "hook")
    assert (seen.state, seen.attempts) == ("delivered", (failed, heard))
    assert await hooks.pending() == 0
    assert await hooks.claim("t9", "t99", 1) == []
