"""``dice-service copy``: a service moves to another database, and nothing is lost or changed."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dice_service.cli import main
from dice_service.storage import Append, MatchRow
from dice_service.storage.databases import open_storage
from dice_service.storage.webhooks import Attempt, WebhookRow
from tests.support.api import Api, opened
from verifier import Verdict, verify_log

pytestmark = pytest.mark.anyio

Url = Callable[[str], str]


def copied(capsys: pytest.CaptureFixture[str], source: str, target: str, status: int = 0) -> str:
    assert main(["copy", "--from", source, "--to", target]) == status
    said = capsys.readouterr()
    return (said.err if status else said.out).splitlines(keepends=True)[-1]  # above it, logs


async def rolls(api: Api, match_id: str, first: int, end: int) -> list[bytes]:
    """The receipts of these rolls."""
    found = []
    for index in range(first, end):
        answer = await api.put(f"{match_id}/rolls/{index}", {})
        assert answer.status_code == 201
        found.append(answer.json()["receipt"]["line"].encode())
    return found


@pytest.mark.parametrize(("source", "target"), [("sqlite", "postgres"), ("postgres", "sqlite")])
async def test_a_service_moves_while_it_runs_and_goes_on_elsewhere(
    tmp_path: Path,
    database_of: Url,
    capsys: pytest.CaptureFixture[str],
    source: str,
    target: str,
) -> None:
    old, new = database_of(source), database_of(target)
    async with opened(tmp_path, database=old) as api:
        await api.ended("ended")
        await api.open("open")
        tokens = await api.ready("going")
        lines = await rolls(api, "going", 0, 3)
        key, revoked = await api.key(), await api.key("rival")
        log = (await api.send("GET", "ended/log")).content
        out = await asyncio.to_thread(copied, capsys, old, new)
        # ended: 5 lines of opening, 2 seeds, 2 rolls, end, reveal, signature; open: 2; going: 7 + 3
        assert out == (
            "3 matches compared by head; new: 3 matches, 24 lines, 2 API keys, 0 webhooks\n"
        )
        lines += await rolls(api, "going", 3, 5)
        assert (await api.put("open/end", {"reason": "abort"})).status_code == 201
        await api.open("late")
        assert await api.service.storage.revoke_api_key(revoked[3:11], "t2")
        out = await asyncio.to_thread(copied, capsys, old, new)
        assert out.startswith("4 matches compared by head; new: 1 matches, ")
    assert "new: 0 matches, 0 lines, 0 API keys, 0 webhooks" in await asyncio.to_thread(
        copied, capsys, old, new
    )
    async with opened(tmp_path, database=new) as api:
        api.keys[("club", "match:write", "match:read")] = key
        lines += await rolls(api, "going", 5, 7)
        assert (await api.put("going/end", {"reason": "finished"})).status_code == 201
        assert (await api.send("GET", "going", tokens[0])).status_code == 200
        found = (await api.send("GET", "going/log")).content
        assert verify_log(found).verdict is Verdict.CONSISTENT
        assert [line for line in found.splitlines() if b'"type":"roll"' in line] == lines
        assert (await api.send("GET", "ended/log")).content == log
        assert (await api.send("GET", "open", key)).json()["phase"] == "ended"
        assert (await api.send("GET", "late", key)).json()["phase"] == "commitments"
        assert (await api.send("GET", "/v1/matches", revoked)).status_code == 401
    assert "was played on there" in await asyncio.to_thread(copied, capsys, old, new, 1)


@pytest.mark.parametrize(("source", "target"), [("sqlite", "postgres"), ("postgres", "sqlite")])
async def test_webhooks_move_with_what_they_were_told_and_are_told_nothing_twice(
    database_of: Url, capsys: pytest.CaptureFixture[str], source: str, target: str
) -> None:
    old, new = database_of(source), database_of(target)
    hook = WebhookRow("o", "h", "https://a.test/?é", ("match.ended",), "active", "t", b"\0s", "k")
    dead = replace(hook, webhook_id="dead", created_at="t0")
    tried = (Attempt("2026-01-31T18:00:00.000Z", 503, None),)
    end: dict[str, Any] = {"phase": "ended", "ended_at": "t5"}
    there = open_storage(old)
    await there.append([opening(n) for n in range(3)])
    for row in (hook, dead):
        await there.webhooks.add(row)
    await there.append([Append("m-0", 1, (SECOND,), **end)])
    assert "2 webhooks\n" in await asyncio.to_thread(copied, capsys, old, new)
    await there.append([Append(f"m-{n}", 1, (SECOND,), **end) for n in (1, 2)])
    await there.webhooks.set_state(dead, "deleted")
    for due in await there.webhooks.claim("t6", "t7", 9):
        if due.match_id != "m-2":
            await there.webhooks.settle(due, "delivered", "t6", tried)
        elif due.webhook_id == "h":
            await there.webhooks.settle(due, "pending", "t8", tried)
    found = await there.webhooks.all_deliveries(None, 9)
    assert len(found) == 6
    assert "0 webhooks\n" in await asyncio.to_thread(copied, capsys, old, new)
    here = open_storage(new)
    assert await here.webhooks.all_deliveries(None, 9) == found
    assert await here.webhooks.webhooks() == await there.webhooks.webhooks()
    assert await here.webhooks.webhook("o", "h") == hook
    assert [due.match_id for due in await here.webhooks.claim("t8", "t9", 9)] == ["m-2", "m-2"]
    await here.webhooks.set_state(hook, "deleted")
    await here.webhooks.add(replace(hook, created_at="t9"))
    said = await asyncio.to_thread(copied, capsys, old, new, 1)
    assert "the webhook h of o was made anew in the target" in said
    for storage in (here, there):
        await storage.close()


def opening(number: int) -> Append:
    row = replace(ROW, match_id=f"m-{number}")
    return Append(row.match_id, 0, (FIRST,), opening=row)


ROW = MatchRow("m", "o", "direct", None, "t", None, "seeds", b"", "k", "s")
FIRST, SECOND = b"{}", b'{"prev":"%b"}' % hashlib.sha256(b"{}").hexdigest().encode()


async def store(url: str, *lines: bytes) -> None:
    storage = open_storage(url)
    assert await storage.append([Append("m", 0, lines, opening=ROW)]) == [True]
    await storage.close()


async def stored(url: str) -> list[bytes]:
    storage = open_storage(url)
    lines = await storage.lines("m")
    await storage.close()
    return lines


@pytest.mark.parametrize(
    ("mine", "theirs", "said"),
    [
        ((FIRST, SECOND), (SECOND,), "match m is another one in the target"),
        ((FIRST,), (FIRST, SECOND), "was played on there"),
        ((FIRST, FIRST), (), "Line 1 of the stored log of m is damaged"),
        ((FIRST, b"no JSON"), (), "Line 1 of the stored log of m is damaged"),
    ],
)
async def test_what_does_not_agree_or_is_damaged_is_refused_and_left_as_it_is(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    mine: tuple[bytes, ...],
    theirs: tuple[bytes, ...],
    said: str,
) -> None:
    source, target = f"sqlite:///{tmp_path / 'a.db'}", f"sqlite:///{tmp_path / 'b.db'}"
    await store(source, *mine)
    if theirs:
        await store(target, *theirs)
    err = await asyncio.to_thread(copied, capsys, source, target, 1)
    assert said in err
    assert err.count("\n") == 1
    assert await stored(target) == list(theirs)


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("sqlite:///none.db", "sqlite:///b.db", "there is no sqlite:///none.db"),
        ("sqlite:///b.db", "sqlite:///b.db", "are the same database"),
        ("mysql://a:s3cret@b", "sqlite:///b.db", "mysql://a@b is no database's URL"),
    ],
)
def test_a_wrong_url_is_refused_before_anything_is_made(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    target: str,
    said: str,
) -> None:
    with chdir(tmp_path):
        assert said in copied(capsys, source, target, 2)
    assert not list(tmp_path.iterdir())
