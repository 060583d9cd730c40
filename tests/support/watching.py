"""A reader of server-sent events that calls the application itself: nothing is in between."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message

PATIENCE = 10.0


class Event(NamedTuple):
    id: str
    event: str
    data: bytes


class Reader:
    """What came so far: ``status``, ``headers``, and ``body`` byte for byte."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.dropped = False
        self.stuck = False  # it no longer takes what is sent
        self._came = asyncio.Event()
        self._gone = asyncio.Event()
        self._given = 0
        self.ended = False

    async def receive(self) -> Message:
        if self._given == 0:
            self._given = 1
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if self.stuck:
            await self._gone.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {n.decode(): v.decode() for n, v in message["headers"]}
        else:
            self.body += message["body"]
            self.ended = not message.get("more_body", False)
        self._came.set()

    def leave(self) -> None:
        self._gone.set()

    def drop(self) -> None:
        self.dropped = True
        self.leave()

    @property
    def events(self) -> list[Event]:
        """The complete ones, without comments and the field ``retry``."""
        blocks = self.body.split(b"\n\n")[:-1]
        found = []
        for block in blocks:
            fields = dict(re.findall(rb"^(id|event|data): (.*)$", block, re.MULTILINE))
            if fields:
                where = fields.get(b"id", b"").decode()
                found.append(Event(where, fields[b"event"].decode(), fields[b"data"]))
        return found

    @property
    def lines(self) -> list[bytes]:
        return [event.data for event in self.events if event.event != "end"]

    @property
    def problem(self) -> str:
        code: str = json.loads(self.body)["code"]
        return code

    async def until(self, count: int) -> list[Event]:
        """The first ``count`` events, when they are there."""
        async with asyncio.timeout(PATIENCE):
            while len(self.events) < count:
                self._came.clear()
                await self._came.wait()
        return self.events[:count]

    async def text(self, wanted: bytes) -> None:
        async with asyncio.timeout(PATIENCE):
            while wanted not in self.body:
                self._came.clear()
                await self._came.wait()


@asynccontextmanager
async def reading(
    app: ASGIApp,
    match_id: str,
    bearer: str | None = None,
    *,
    query: str = "",
    last_event_id: str | None = None,
) -> AsyncIterator[tuple[Reader, asyncio.Task[None]]]:
    """A reader of a match's events, and the call that serves it; it leaves at the end."""
    reader = Reader()
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    if last_event_id is not None:
        headers["last-event-id"] = last_event_id
    path = f"/v1/matches/{match_id}/events"
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("203.0.113.9", 4711),
        "server": ("dice.test", 80),
        "zarf.drop": reader.drop,
    }

    async def serve() -> None:
        await app(scope, reader.receive, reader.send)

    call = asyncio.create_task(serve())
    try:
        yield reader, call
    finally:
        reader.leave()
        await asyncio.wait_for(call, PATIENCE)


async def refused(app: ASGIApp, match_id: str, bearer: str | None = None, **how: Any) -> Reader:
    """The whole answer, where it is one that ends."""
    async with reading(app, match_id, bearer, **how) as (reader, call):
        await asyncio.wait_for(asyncio.shield(call), PATIENCE)
    return reader
