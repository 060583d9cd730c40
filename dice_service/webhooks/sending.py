"""One POST to an address that an owner chose, and to nowhere that an owner may not reach.

The host is resolved here, every address that it has is judged, and the connection is made to one of
those judged: a name that means another host the next moment is of no use. Redirects are not
followed, no proxy is asked, no connection is kept, and of the answer only the status is read.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, Literal, NamedTuple

import httpx

TIMEOUT: Final = 15.0  # seconds, from the look-up of the name to the status
MAX_WAIT: Final = 86_400.0  # seconds that a Retry-After may ask for

Targets = Literal["public", "local"]
Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]

_NAT64 = IPv6Network("64:ff9b::/96")


class Outcome(NamedTuple):
    """The status that answered, or what went wrong instead; how long the receiver asks to wait."""

    status: int | None
    error: str | None = None
    wait: float = 0.0


class Sender:
    """Posts to receivers. ``targets``: see :func:`allowed`.

    ``resolve`` gives the addresses of a host and port; ``context`` is how certificates are
    checked, as everywhere unless given.
    """

    def __init__(
        self,
        targets: Targets,
        *,
        timeout: float = TIMEOUT,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._targets: Targets = targets
        self._timeout = timeout
        self._resolve = resolve or _resolve
        self._context = context
        self._transport: httpx.AsyncHTTPTransport | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Post a JSON body. Whatever goes wrong is the outcome; nothing is raised."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._post(httpx.URL(url), headers, body)
        except TimeoutError:
            return Outcome(None, "timeout")
        except (socket.gaierror, UnicodeError):
            return Outcome(None, "name-not-found")
        except httpx.InvalidURL:
            return Outcome(None, "address-refused")
        except (httpx.TransportError, OSError) as error:
            return Outcome(None, "tls" if _is_tls(error) else "connection")

    async def close(self) -> None:
        """Close what is open."""
        if self._transport is not None:
            await self._transport.aclose()

    async def _post(self, url: httpx.URL, headers: Mapping[str, str], body: bytes) -> Outcome:
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await self._resolve(url.raw_host.decode("ascii"), port)
        if not all(allowed(ip_address(one), url.scheme, self._targets) for one in addresses):
            return Outcome(None, "address-refused")
        for left, address in enumerate(addresses, 1 - len(addresses)):
            try:
                return await self._post_to(address, url, headers, body)
            except httpx.ConnectError as error:
                if left == 0 or _is_tls(error):
                    raise
        return Outcome(None, "name-not-found")

    async def _post_to(
        self, address: str, url: httpx.URL, headers: Mapping[str, str], body: bytes
    ) -> Outcome:
        if self._transport is None:
            self._transport = httpx.AsyncHTTPTransport(
                verify=self._context or httpx.create_ssl_context(),
                trust_env=False,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        request = httpx.Request(
            "POST",
            url.copy_with(host=address),
            headers={
                "host": url.netloc.decode("ascii"),
                "user-agent": "zarf",
                "content-type": "application/json",
                **headers,
            },
            content=body,
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        response = await self._transport.handle_async_request(request)
        try:
            return Outcome(response.status_code, wait=_wait(response))
        finally:
            await response.aclose()


def allowed(address: Address, scheme: str, targets: Targets) -> bool:
    """Whether an owner may have this address posted to.

    ``public``: https to addresses of the internet. ``local``: private and loopback addresses too,
    and those over http as well. Never: link-local (where clouds keep credentials), multicast,
    unspecified and reserved ones, nor what only wraps such an address.
    """
    address = _unwrapped(address)
    if address.is_multicast or address.is_unspecified or address.is_link_local:
        return False
    if address.is_loopback:
        return targets == "local"
    if address.is_reserved or (isinstance(address, IPv6Address) and address.is_site_local):
        return False
    if address.is_global:
        return scheme == "https"
    return targets == "local"


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 address leads to, where it does."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


async def _resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _wait(response: httpx.Response) -> float:
    """The seconds of a Retry-After; what is no plain number of them says nothing."""
    text = response.headers.get("retry-after", "")
    return min(float(text), MAX_WAIT) if text.isascii() and text.isdigit() else 0.0


def _is_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
