"""Following a match as server-sent events: every line once, in order, and none too early."""

import asyncio
import gc
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from dice_service import streams
from dice_service.api import events
from dice_service.app import build_app
from dice_service.server import LimitedProtocol
from tests.support.api import Api, opened
from tests.support.leaks import leaks
from tests.support.watching import reading, refused

pytestmark = pytest.mark.anyio


@pytest.fixture
def app(api: Api) -> ASGIApp:
    return build_app(api.service)


@pytest.fixture
async def other(api: Api, tmp_path: Path, database_url: str) -> AsyncIterator[Api]:
    """Another process on the same database."""
    async with opened(tmp_path, database=database_url) as found:
        found.keys = api.keys
        yield found


async def log_of(api: Api, match_id: str) -> list[bytes]:
    answer = await api.send("GET", f"{match_id}/log", await api.key())
    return answer.content.splitlines()


async def rolls(api: Api, match_id: str, first: int, count: int) -> None:
    for index in range(first, first + count):
        assert (await api.put(f"{match_id}/rolls/{index}", {})).status_code == 201


async def end(api: Api, match_id: str) -> None:
    assert (await api.put(f"{match_id}/end", {"reason": "finished"})).status_code == 201


async def test_every_line_is_an_event_with_its_number_its_type_and_its_bytes(
    api: Api, app: ASGIApp
) -> None:
    tokens = await api.ready("m")
    async with reading(app, "m", tokens[0]) as (reader, call):
        await reader.until(7)
        await rolls(api, "m", 0, 3)
        await reader.until(10)
        assert not reader.ended
        await end(api, "m")
        await asyncio.wait_for(asyncio.shield(call), 10)
    log = await log_of(api, "m")
    assert reader.status == 200
    assert reader.headers["content-type"] == "text/event-stream"
    assert reader.headers["cache-control"] == "no-store"
    *told, last = reader.events
    assert [event.data for event in told] == log
    assert [event.id for event in told] == [str(seq) for seq in range(13)]
    assert [event.event for event in told] == [json.loads(line)["type"] for line in log]
    assert (last.id, last.event) == ("", "end")
    assert reader.ended


@pytest.mark.parametrize(
    ("how", "first"),
    [
        ({"last_event_id": "3"}, 4),
        ({"query": "after=3"}, 4),
        ({"query": "after=8", "last_event_id": "3"}, 4),
        ({"query": "after=0"}, 1),
        ({"query": "after=10"}, 11),
    ],
)
async def test_it_goes_on_after_the_last_event_that_came(
    api: Api, app: ASGIApp, how: dict[str, str], first: int
) -> None:
    await api.ended("m")
    log = await log_of(api, "m")
    reader = await refused(app, "m", **how)
    assert reader.lines == log[first:]
    assert reader.events[0].id == str(first)
    assert reader.events[-1].event == "end"


async def test_after_the_last_line_there_is_nothing_and_an_event_source_stops(
    api: Api, app: ASGIApp
) -> None:
    await api.ended("m")
    last = len(await log_of(api, "m")) - 1
    for seq in (last, last + 5):
        reader = await refused(app, "m", last_event_id=str(seq))
        assert (reader.status, reader.body) == (204, b"")


async def test_who_knows_more_lines_than_there_are_is_told(api: Api, app: ASGIApp) -> None:
    tokens = await api.ready("m")
    reader = await refused(app, "m", tokens[1], last_event_id="7")
    assert (reader.status, reader.problem) == (422, "invalid")
    assert b"the log has 7 lines only" in reader.body


@pytest.mark.parametrize("value", ["-1", "01", "1.0", "x", "", "9" * 20])
async def test_what_is_no_line_number_is_refused(api: Api, app: ASGIApp, value: str) -> None:
    tokens = await api.open("m")
    for how in ({"last_event_id": value}, {"query": f"after={value}"}):
        reader = await refused(app, "m", tokens[0], **how)
        assert (reader.status, reader.problem) == (422, "invalid")


async def test_what_another_process_writes_comes_too(api: Api, app: ASGIApp, other: Api) -> None:
    tokens = await api.ready("m")
    async with reading(app, "m", tokens[0]) as (reader, call):
        await reader.until(7)
        for index in range(0, 12, 3):  # in turn: each process writes before what the other has seen
            await rolls(api, "m", index, 1)
            await rolls(other, "m", index + 1, 2)
        await reader.until(19)
        await end(other, "m")
        await asyncio.wait_for(asyncio.shield(call), 10)
    assert reader.lines == await log_of(api, "m")
    assert [event.id for event in reader.events[:-1]] == [str(seq) for seq in range(22)]


async def test_many_who_join_at_any_time_all_get_the_whole_log(
    api: Api, app: ASGIApp, other: Api
) -> None:
    await api.ready("m")
    key = await api.key()

    async def follow(moment: int) -> list[bytes]:
        for _ in range(moment):
            await asyncio.sleep(0.001)
        async with reading(app, "m", key) as (reader, call):
            await asyncio.wait_for(asyncio.shield(call), 60)
        return reader.lines

    async def play() -> None:
        for index in range(0, 150, 3):
            await rolls(api, "m", index, 2)
            await rolls(other, "m", index + 2, 1)
        await end(api, "m")

    *logs, _ = await asyncio.gather(*(follow(moment * 20) for moment in range(20)), play())
    log = await log_of(api, "m")
    assert len(log) == 160 > 2 * streams.CHUNK
    assert all(lines == log for lines in logs)


async def test_no_event_holds_the_seed_before_the_reveal(
    api: Api, app: ASGIApp, log_lines: io.StringIO
) -> None:
    tokens = await api.ready("m")
    async with reading(app, "m", tokens[0]) as (reader, call):
        await rolls(api, "m", 0, 2)
        await reader.until(9)
        before = reader.body
        await end(api, "m")
        await asyncio.wait_for(asyncio.shield(call), 10)
    [reveal] = [event for event in reader.events if event.event == "reveal"]
    seed = bytes.fromhex(json.loads(reveal.data)["server_seed"])
    logged = log_lines.getvalue().encode()
    assert leaks(seed, {"events": before, "logged": logged, "all": reader.body}) == ["all"]
    assert not [token for token in tokens if token.encode() in reader.body + logged]


async def test_it_is_read_by_whoever_may_read_the_log(api: Api, app: ASGIApp) -> None:
    tokens = {name: await getattr(api, name)(name) for name in ("open", "ready", "ended")}
    strangers = await api.open("another")
    callers = [
        None,
        "zk_wrong",
        await api.key(),
        await api.key("rival"),
        await api.key("club", "match:write"),
        await api.key("club", "match:read"),
        strangers[0],
    ]
    for name, own in tokens.items():
        for caller in (*callers, *own):
            log = await api.send("GET", f"{name}/log", caller)
            async with reading(app, name, caller) as (reader, _):
                await reader.text(b"event: match" if log.is_success else b"}")
            assert reader.status == log.status_code
            if not log.is_success:
                assert reader.problem == log.json()["code"]
    assert (await refused(app, "absent")).status == 401


async def test_a_key_revoked_meanwhile_ends_it(
    api: Api, app: ASGIApp, monkeypatch: pytest.MonkeyPatch, log_lines: io.StringIO
) -> None:
    monkeypatch.setattr(events, "SILENCE", 0.05)
    await api.ready("m")
    key = await api.key("club", "match:read")
    async with reading(app, "m", key) as (reader, call):
        await reader.text(b"\n\n:\n\n")  # a comment in the silence
        row = next(r for r in await api.service.storage.api_keys() if r.scopes == ("match:read",))
        assert await api.service.storage.revoke_api_key(row.key_id, "2026-01-01T00:00:00.000Z")
        await asyncio.wait_for(asyncio.shield(call), 10)
    assert reader.ended
    assert reader.events[-1].event == "seed"  # not "end": the log goes on, for others
    assert "not-authenticated" in log_lines.getvalue()


async def test_there_are_so_many_at_a_time_and_no_more(tmp_path: Path) -> None:
    async with opened(tmp_path, stream_limit=2) as api:
        app = build_app(api.service)
        tokens = await api.ready("m")
        async with (
            reading(app, "m", tokens[0]) as (one, _),
            reading(app, "m", tokens[1]) as (two, _),
        ):
            await one.until(7)
            await two.until(7)
            full = await refused(app, "m", tokens[0])
            assert (full.status, full.problem) == (503, "overloaded")
            assert int(full.headers["retry-after"]) > 0
            text = (await api.http.get("/metrics")).text
            assert "dice_event_streams 2.0" in text
        async with reading(app, "m", tokens[0]) as (three, _):
            await three.until(7)


async def test_one_match_cannot_have_all_the_streams(
    api: Api, app: ASGIApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PER_MATCH", 1)
    tokens = await api.open("m")
    others = await api.open("n")
    async with reading(app, "m", tokens[0]) as (one, _), reading(app, "n", others[0]) as (two, _):
        await one.until(2)
        await two.until(2)
        assert (await refused(app, "m", tokens[1])).problem == "overloaded"


async def test_a_reader_who_does_not_read_is_dropped(
    api: Api, app: ASGIApp, monkeypatch: pytest.MonkeyPatch, log_lines: io.StringIO
) -> None:
    monkeypatch.setattr(events, "SLOW", 0.05)
    tokens = await api.ready("m")
    async with reading(app, "m", tokens[0]) as (reader, call):
        await reader.until(7)
        reader.stuck = True
        await rolls(api, "m", 0, 1)
        await asyncio.wait_for(asyncio.shield(call), 10)
    assert reader.dropped
    assert api.service.streams.open == 0
    told = [json.loads(line) for line in log_lines.getvalue().splitlines()]
    assert [line["match_id"] for line in told if "too slow" in line["event"]] == ["m"]
    assert not [line for line in told if line["level"] == "error"]


async def test_a_connection_is_dropped_whatever_its_reader_has_not_read() -> None:
    left = asyncio.Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                async with asyncio.timeout(0.2):
                    body = {"type": "http.response.body", "body": bytes(65536), "more_body": True}
                    await send(body)
        except TimeoutError:
            scope[events.DROP]()
        assert (await receive())["type"] == "http.disconnect"
        left.set()

    protocol = type("Protocol", (LimitedProtocol,), {"head_timeout": 5.0})
    config = uvicorn.Config(endless, http=protocol, ws="none", lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: protocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(b"GET / HTTP/1.1\r\nHost: dice\r\n\r\n")
    async with asyncio.timeout(10):
        await left.wait()
    assert not state.connections
    writer.close()
    server.close()


async def test_nothing_is_left_of_a_reader_who_leaves(api: Api, app: ASGIApp) -> None:
    tokens = await api.ready("m")
    before = asyncio.all_tasks()
    async with reading(app, "m", tokens[0]) as (reader, call):
        await reader.until(7)
        reader.leave()
        await asyncio.wait_for(asyncio.shield(call), 10)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert api.service.streams.open == 0
    gc.collect()
    assert not [thing for thing in gc.get_objects() if isinstance(thing, streams.Stream)]


async def test_at_the_end_of_the_service_they_end_at_once(api: Api, app: ASGIApp) -> None:
    tokens = await api.ready("m")
    async with reading(app, "m", tokens[0]) as (reader, call):
        await reader.until(7)
        api.service.streams.close()
        await asyncio.wait_for(asyncio.shield(call), 10)
    assert reader.ended
    assert len(reader.events) == 7
    assert (await refused(app, "m", tokens[0])).problem == "overloaded"


async def test_it_outlives_the_request_timeout(tmp_path: Path) -> None:
    async with opened(tmp_path, request_timeout=0.3) as api:
        tokens = await api.ready("m")
        async with reading(build_app(api.service), "m", tokens[0]) as (reader, _):
            await reader.until(7)
            await asyncio.sleep(0.5)
            await rolls(api, "m", 0, 1)
            await reader.until(8)


async def test_a_damaged_line_is_not_told_and_ends_the_stream(
    tmp_path: Path, log_lines: io.StringIO
) -> None:
    import sqlite3

    async with opened(tmp_path) as api:
        tokens = await api.ready("m")
        with sqlite3.connect(tmp_path / "dice.db") as db:
            db.execute("DROP TRIGGER lines_never_change")
            db.execute("UPDATE lines SET line = replace(line, 'Bora', 'Cora') WHERE seq = 0")
        db.close()
        async with reading(build_app(api.service), "m", tokens[0]) as (reader, call):
            await asyncio.wait_for(asyncio.shield(call), 10)
        assert (reader.events, reader.ended) == ([], True)
        assert "damaged" in log_lines.getvalue()


async def test_head_has_no_end_to_wait_for(api: Api) -> None:
    tokens = await api.ready("m")
    answer = await api.send("HEAD", "m/events", tokens[0])
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "text/event-stream"
    await api.ended("n")
    answer = await api.send("HEAD", "n/events", headers={"last-event-id": "99"})
    assert answer.status_code == 204
