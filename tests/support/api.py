"""The whole application over a real service in a folder, and a match driven through it."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service import apikeys, sealing, signing
from dice_service.app import build_app
from dice_service.service import Service, open_service
from dice_service.settings import Settings

SEEDS = tuple(hashlib.sha256(name).hexdigest() for name in (b"player 0", b"player 1"))
COMMITMENTS = tuple(hashlib.sha256(bytes.fromhex(seed)).hexdigest() for seed in SEEDS)
NOW = "2026-01-01T00:00:00.000Z"
PLAYERS = {"players": ["Ayşe", "Bora"]}
SECURITY_HEADERS = {  # of every answer
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}


def settings_in(folder: Path, **values: Any) -> Settings:
    """Settings whose files are in ``folder``, the database too unless another is given.

    The keys are made if they are not there.
    """
    keys = folder / "keys"
    if not signing.has_key(keys):
        signing.make_key(keys)
        sealing.make_key(keys)
    values.setdefault("database", f"sqlite:///{folder / 'dice.db'}")
    for limit in ("rate_per_token", "rate_per_address"):
        values.setdefault(limit, 0)  # a test asks for more than any honest client
    return Settings(keys=keys, **values)


@dataclass
class Api:
    """A client of the application; ``keys`` are the API keys made, by owner and scopes."""

    service: Service
    http: httpx.AsyncClient
    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    tokens: dict[str, list[str]] = field(default_factory=dict)

    async def key(self, owner: str = "club", *scopes: str) -> str:
        """An API key of that owner; the scopes are those of a game server unless given."""
        wanted = scopes or (apikeys.WRITE, apikeys.READ)
        name = (owner, *wanted)
        if name not in self.keys:
            text, row = apikeys.make(owner, wanted, NOW)
            assert await self.service.storage.add_api_key(row)
            self.keys[name] = text
        return self.keys[name]

    async def send(
        self, method: str, path: str, bearer: str | None = None, **options: Any
    ) -> httpx.Response:
        """A request; ``path`` without the leading slash is below ``/v1/matches/``."""
        headers = dict(options.pop("headers", {}))
        if bearer is not None:
            headers["authorization"] = f"Bearer {bearer}"
        url = path if path.startswith("/") else f"/v1/matches/{path}"
        return await self.http.request(method, url, headers=headers, **options)

    async def put(
        self, path: str, body: Any = None, bearer: str | None = None, **options: Any
    ) -> httpx.Response:
        """A ``PUT`` of JSON, as the owner ``club`` unless told otherwise."""
        bearer = bearer or await self.key()
        return await self.send("PUT", path, bearer, json=body, **options)

    async def open(self, match_id: str, **body: Any) -> list[str]:
        """Open a match of the owner ``club``; its tokens."""
        answer = await self.put(match_id, PLAYERS | body)
        assert answer.is_success, answer.text
        tokens: list[str] = answer.json()["tokens"]
        self.tokens[match_id] = tokens
        return tokens

    async def ready(self, match_id: str) -> list[str]:
        """A match whose rolls are due; its tokens."""
        tokens = await self.open(match_id)
        for kind, values in (("commitment", COMMITMENTS), ("seed", SEEDS)):
            for player, value in enumerate(values):
                place = f"{match_id}/players/{player}/{kind}"
                answer = await self.put(place, {kind: value}, tokens[player])
                assert answer.status_code == 201, answer.text
        return tokens

    async def ended(self, match_id: str) -> list[str]:
        """A match with two rolls that has ended; its tokens."""
        tokens = await self.ready(match_id)
        for index in range(2):
            assert (await self.put(f"{match_id}/rolls/{index}", {})).status_code == 201
        answer = await self.put(f"{match_id}/end", {"reason": "finished", "winner": 0})
        assert answer.status_code == 201, answer.text
        return tokens


def in_one_message(app: ASGIApp) -> ASGIApp:
    """``app`` given bodies in one message, as uvicorn gives short ones; httpx would in two."""

    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def once() -> Message:
            return messages.pop() if messages else await receive()

        await app(scope, once, send)

    return whole


@asynccontextmanager
async def opened(folder: Path, *, hot: bool = True, **values: Any) -> AsyncIterator[Api]:
    """The application, with its files in ``folder``."""
    async with open_service(settings_in(folder, **values)) as service:
        transport = httpx.ASGITransport(app=in_one_message(build_app(service, hot=hot)))
        async with httpx.AsyncClient(transport=transport, base_url="http://dice.test") as http:
            yield Api(service, http)
