"""The SDK for game servers: :class:`DiceClient`; :class:`AsyncDiceClient`, the same awaited.

    with DiceClient("https://dice.example", api_key) as dice:
        opening = dice.open_match("cup-7.game-3", players=("Ayşe", "Bora"))
        ...                                   # each player's device commits, keeps, opens
        answer = dice.roll("cup-7.game-3", 0) # checked; hand answer.receipt to both devices
        dice.end("cup-7.game-3")

In a refereed match (``rules=…``) rolls, plays and the cube are actions instead:

        opened = dice.action("cup-7.game-4", 0, RollAction(player=None), legal=True)
        played = PlayAction(player=0, moves="24/18 13/11", then_roll=True)
        answer = dice.action("cup-7.game-4", opened.next_action, played)

A server that registered a webhook asks ``verify_webhook`` whether a message is the service's.

Who only watches reads the log's lines as they come:

        for line in dice.events("cup-7.game-3"):
            ...

Every call may be repeated: it answers the same. Lost connections, timeouts and 503 are retried.
What comes back is checked against the match's signing key. Errors are :class:`ClientError`.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, closing
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import httpx

from dice_service.client import calls
from dice_service.client.errors import (
    ClientError,
    ContradictionError,
    DeviceError,
    DishonestError,
    RefusedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from dice_service.client.events import SILENCE, Follower, LogLine
from dice_service.client.exchange import Flow, Pause, Request, Retries, Session
from dice_service.client.webhooks import WebhookError, WebhookMessage, verify_webhook

__all__ = [
    "AsyncDiceClient",
    "ClientError",
    "ContradictionError",
    "DeviceError",
    "DiceClient",
    "DishonestError",
    "LogLine",
    "RefusedError",
    "Retries",
    "UnexpectedAnswerError",
    "UnreachableError",
    "WebhookError",
    "WebhookMessage",
    "verify_webhook",
]

P = ParamSpec("P")
T = TypeVar("T")
TIMEOUT = 10.0  # seconds for each try: to connect, to send, to be answered


class _Call(Generic[P, T]):
    """A method made of a flow: run by a :class:`DiceClient`, awaited on an asynchronous one."""

    def __init__(self, flow: Callable[Concatenate[Session, P], Flow[T]]) -> None:
        self.flow = flow
        self.__doc__ = flow.__doc__

    @overload
    def __get__(self, client: "DiceClient", owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: "AsyncDiceClient", owner: type
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    def __get__(self, client: "DiceClient | AsyncDiceClient | None", owner: type) -> Any:
        if client is None:
            return self

        def call(*args: P.args, **kwargs: P.kwargs) -> T | Coroutine[Any, Any, T]:
            return client.run(self.flow(client.session, *args, **kwargs))

        call.__doc__ = self.__doc__
        return call


class _Calls:
    """What a client of the service can ask for."""

    open_match = _Call(calls.open_match)
    commit = _Call(calls.commit)
    open_seed = _Call(calls.open_seed)
    roll = _Call(calls.roll)
    action = _Call(calls.action)
    end = _Call(calls.end)
    state = _Call(calls.state)
    log = _Call(calls.log)
    receipt = _Call(calls.receipt)
    matches = _Call(calls.matches)
    keys = _Call(calls.keys)


class DiceClient(_Calls):
    """A client of the dice service, for one thread at a time.

    ``base_url`` is the service's address, ``credential`` an API key (``zk_…``) or a player's
    token (``zp_…``), ``public_keys`` the signing keys to believe (64 hex digits each; none: the
    one in each match's first line). ``transport`` is httpx's, for tests and special networks.
    """

    def __init__(
        self,
        base_url: str,
        credential: str,
        *,
        public_keys: tuple[str, ...] = (),
        retries: Retries = Retries(),  # noqa: B008 - frozen
        timeout: float = TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.session = Session(retries, frozenset(public_keys))
        self._http = httpx.Client(
            base_url=_address(base_url),
            headers=_headers(credential),
            timeout=timeout,
            transport=transport,
        )

    def run(self, flow: Flow[T]) -> T:
        """Do what a flow asks for until it returns."""
        reply: httpx.Response | httpx.RequestError | None = None
        while True:
            try:
                step = flow.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                reply = None
                continue
            try:
                reply = self._http.send(_built(self._http, step))
            except httpx.RequestError as error:
                reply = error

    def events(self, match_id: str, *, after: int | None = None) -> Iterator[LogLine]:
        """The lines of a match's log as they come, until its last.

        ``after`` is the last one that is known already. A connection that is lost is made again:
        no line is left out, none comes twice, and each is held to the one before it. While nothing
        comes it waits. Raises :class:`ClientError`.
        """
        follower = Follower(calls.path_of(match_id) + "/events", after, self.session.retries)
        while not follower.is_whole():
            came: httpx.Response | httpx.RequestError | None = None
            try:
                reply = self._http.send(_streamed(self._http, follower.request()), stream=True)
                with closing(reply):
                    if reply.status_code != 200:
                        reply.read()
                    if follower.begin(reply):
                        for chunk in reply.iter_bytes():
                            yield from follower.feed(chunk)
                            if follower.is_whole():
                                return
                    else:
                        came = reply
            except httpx.RequestError as error:
                came = error
            if not follower.is_whole():
                time.sleep(follower.lost(came))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncDiceClient(_Calls):
    """:class:`DiceClient` with every call awaited, for any number of asyncio tasks."""

    def __init__(
        self,
        base_url: str,
        credential: str,
        *,
        public_keys: tuple[str, ...] = (),
        retries: Retries = Retries(),  # noqa: B008 - frozen
        timeout: float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.session = Session(retries, frozenset(public_keys))
        self._http = httpx.AsyncClient(
            base_url=_address(base_url),
            headers=_headers(credential),
            timeout=timeout,
            transport=transport,
        )

    async def run(self, flow: Flow[T]) -> T:
        """Do what a flow asks for until it returns."""
        reply: httpx.Response | httpx.RequestError | None = None
        while True:
            try:
                step = flow.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                reply = None
                continue
            try:
                reply = await self._http.send(_built(self._http, step))
            except httpx.RequestError as error:
                reply = error

    async def events(self, match_id: str, *, after: int | None = None) -> AsyncIterator[LogLine]:
        """As :meth:`DiceClient.events`, with ``async for``."""
        follower = Follower(calls.path_of(match_id) + "/events", after, self.session.retries)
        while not follower.is_whole():
            came: httpx.Response | httpx.RequestError | None = None
            try:
                request = _streamed(self._http, follower.request())
                reply = await self._http.send(request, stream=True)
                async with aclosing(reply):
                    if reply.status_code != 200:
                        await reply.aread()
                    if follower.begin(reply):
                        async for chunk in reply.aiter_bytes():
                            for line in follower.feed(chunk):
                                yield line
                            if follower.is_whole():
                                return
                    else:
                        came = reply
            except httpx.RequestError as error:
                came = error
            if not follower.is_whole():
                await asyncio.sleep(follower.lost(came))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _address(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ClientError("invalid", f"{base_url!r} is no address: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ClientError("invalid", f"{base_url!r} is no http:// or https:// address")
    return url


def _headers(credential: str) -> dict[str, str]:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", credential):
        raise ClientError("invalid", "a credential is letters, digits, - and _ (zk_… or zp_…)")
    return {"authorization": f"Bearer {credential}", "user-agent": "zarf-client"}


def _built(http: httpx.Client | httpx.AsyncClient, step: Request) -> httpx.Request:
    json = {} if step.body is None else {"content-type": "application/json"}
    headers = {**json, **step.headers}
    return http.build_request(
        step.method, step.path, content=step.body, params=step.query or None, headers=headers
    )


def _streamed(http: httpx.Client | httpx.AsyncClient, step: Request) -> httpx.Request:
    request = _built(http, step)
    request.extensions["timeout"] = {**request.extensions["timeout"], "read": SILENCE}
    return request
