"""Rate limits: so many requests a minute for an API key, a player's token, a client's address.

An address is charged only for requests that prove no right credentials, and a limit of an address
never stands before right ones: a game server behind the same proxy as an attacker goes on. Limits
are about load, not about guessing: keys and tokens have 256 random bits.

Each process counts for itself and forgets at its stop. What is kept is one number for each key,
for at most ``2 * SIZE`` keys of a kind.
"""

import math
import time
from collections.abc import Callable, Hashable
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service.api.problems import problem_response
from dice_service.errors import Refusal
from dice_service.settings import Settings
from verifier.events import Player

WINDOW: Final = 60  # seconds
SIZE: Final = 50_000
TICKET: Final = "zarf.ticket"  # where in a request's scope its ticket is

_FREE: Final = frozenset({"/livez", "/readyz"})  # a load balancer's own questions
_LONGEST_ADDRESS: Final = 45
_KEY_ID: Final = slice(len(b"Bearer zk_"), len(b"Bearer zk_") + 8)

Headers = list[tuple[bytes, bytes]]


class Limit:
    """``quota`` requests a minute for each key, all at once or spread (GCRA, a leaky bucket).

    ``name`` is told to clients. Of a key is kept the time at which its whole quota is free again.
    """

    def __init__(
        self, name: str, quota: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self.policy = f'"{name}";q={quota};w={WINDOW}'.encode("ascii")
        self._quota = quota
        self._cost = WINDOW / quota
        self._clock = clock
        self._young: dict[Hashable, float] = {}
        self._old: dict[Hashable, float] = {}
        self._turn = clock() + WINDOW

    def wait(self, key: Hashable) -> float:
        """The seconds until the key's next request may come; 0.0: now."""
        return self._wait(self._free_at(key) - self._clock())

    def charge(self, key: Hashable) -> None:
        """Count a request, whether it may come or not."""
        now = self._clock()
        free_at = max(self._free_at(key), now) + self._cost
        # What stood in the older half is spent after a window: no sweep, and no end of memory.
        if now >= self._turn or len(self._young) >= SIZE:
            self._old, self._young = self._young, {}
            self._turn = now + WINDOW
        self._young[key] = free_at

    def take(self, key: Hashable) -> float:
        """Count a request if it may come; the seconds to wait if not, else 0.0."""
        wait = self.wait(key)
        if not wait:
            self.charge(key)
        return wait

    def headers(self, key: Hashable) -> Headers:
        """``RateLimit-Policy`` and ``RateLimit``, and ``Retry-After`` when all is used.

        As draft-ietf-httpapi-ratelimit-headers has them.
        """
        used = self._free_at(key) - self._clock()
        wait = self._wait(used)
        left = 0 if wait else min(self._quota, int((WINDOW - max(used, 0.0)) / self._cost + 1e-6))
        until = math.ceil(wait or max(used, 0.0))
        state = f'"{self.name}";r={left};t={until}'.encode("ascii")
        return [(b"ratelimit-policy", self.policy), (b"ratelimit", state)]

    def _free_at(self, key: Hashable) -> float:
        found = self._young.get(key)
        return self._old.get(key, 0.0) if found is None else found

    def _wait(self, used: float) -> float:
        wait = used + self._cost - WINDOW
        return wait if wait > 1e-6 else 0.0


class Rates:
    """The limits of one process; None for a kind that has none."""

    def __init__(self, settings: Settings) -> None:
        self.keys = _limit("key", settings.rate_per_key)
        self.tokens = _limit("token", settings.rate_per_token)
        self.addresses = _limit("address", settings.rate_per_address)


def _limit(name: str, quota: int) -> Limit | None:
    return Limit(name, quota) if quota else None


class Ticket:
    """One request and the limit that it counts in: its address's until it proves whose it is."""

    def __init__(self, rates: Rates, address: str) -> None:
        self._rates = rates
        self._address = address
        self._limit: Limit | None = None
        self._key: Hashable = None
        self.wait = 0.0
        self.counted = False

    def prove_key(self, key_id: str) -> None:
        """It came with this valid API key. Raises :class:`Refusal` ``rate-limited``."""
        if self._count(self._rates.keys, key_id.encode("ascii")):
            raise self.refusal()

    def prove_token(self, match_id: str, player: Player) -> None:
        """It came with this player's token. Raises :class:`Refusal` ``rate-limited``."""
        if self._count(self._rates.tokens, (match_id, player)):
            raise self.refusal()

    def prove_nothing(self) -> bool:
        """It came without valid credentials: whether its address sent too many such requests."""
        return self._count(self._rates.addresses, self._address)

    def _count(self, limit: Limit | None, key: Hashable) -> bool:
        self.counted, self._limit, self._key = True, limit, key
        if limit is not None:
            self.wait = limit.take(key)
        return self.wait > 0

    def refusal(self) -> Refusal:
        """What answers one too many."""
        assert self._limit is not None
        seconds = f"{self.retry_after} s"
        whose = {"key": "with this API key", "token": "with this token"}.get(
            self._limit.name, "without valid credentials from this address"
        )
        return Refusal("rate-limited", f"Too many requests {whose}. Wait {seconds}.")

    @property
    def retry_after(self) -> int:
        """Whole seconds to wait."""
        return math.ceil(self.wait)

    def headers(self) -> Headers:
        """What the answer says of the limit, if it has one."""
        if self._limit is None:
            return []
        found = self._limit.headers(self._key)
        if self.wait:
            found.append((b"retry-after", b"%d" % self.retry_after))
        return found


class RateLimited:
    """ASGI middleware: gives each request its ticket, and answers 429 to one too many.

    A request without credentials is answered at once; one with credentials is looked at first,
    and where they prove wrong, 429 takes the place of its answer.
    """

    def __init__(self, app: ASGIApp, rates: Rates) -> None:
        self._app = app
        self._rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (ASGI)."""
        if scope["type"] != "http" or scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        ticket = scope[TICKET] = Ticket(self._rates, address_group(client[0] if client else ""))
        names = {name for name, _ in scope["headers"]}
        refused = False

        async def marked(message: Message) -> None:
            nonlocal refused
            if refused:
                return
            if message["type"] == "http.response.start":
                if not ticket.counted and ticket.prove_nothing():
                    refused = True
                    await _refuse(ticket, (scope, receive, send), close=False)
                    return
                message["headers"] = [*message.get("headers", ()), *ticket.headers()]
            await send(message)

        async def watched() -> Message:
            return {"type": "http.disconnect"} if refused else await receive()

        if b"authorization" not in names and ticket.prove_nothing():
            unread = not names.isdisjoint((b"content-length", b"transfer-encoding"))
            await _refuse(ticket, (scope, receive, send), close=unread)
        else:
            await self._app(scope, watched, marked)


async def _refuse(ticket: Ticket, call: tuple[Scope, Receive, Send], *, close: bool) -> None:
    headers = {name.decode(): value.decode() for name, value in ticket.headers()}
    await problem_response(ticket.refusal(), headers, close=close)(*call)


def hot_counter(limit: Limit) -> Callable[[Headers], Headers]:
    """What the hot path tells of each of its answers; gives the headers to add to it."""

    def count(headers: Headers) -> Headers:
        for name, value in headers:
            if name == b"authorization":
                key = value[_KEY_ID]
                limit.charge(key)
                return limit.headers(key)
        return []

    return count


def hot_owner(
    limit: Limit, known_owner: Callable[[bytes], str | None]
) -> Callable[[bytes], str | None]:
    """``known_owner``, but None also for a key that has used up its limit."""

    def owner_of(authorization: bytes) -> str | None:
        owner = known_owner(authorization)
        return None if owner is None or limit.wait(authorization[_KEY_ID]) else owner

    return owner_of


def address_group(host: str) -> str:
    """What an address is counted as: IPv6 by its /64, which is one customer's."""
    return _group(host) if len(host) <= _LONGEST_ADDRESS else "unknown"


@lru_cache(maxsize=4096)
def _group(host: str) -> str:
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(IPv6Network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
