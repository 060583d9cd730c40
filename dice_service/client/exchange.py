"""One HTTP call with its retries, told once for sync and async.

A *flow* is a generator that yields what it wants done (a :class:`Request` to send, a
:class:`Pause` to wait) and is sent what came of it. It holds all the logic and does no I/O; the
two drivers in :mod:`dice_service.client` hold the I/O and no logic.
"""

import email.utils
import random
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
import msgspec

from dice_service.client.errors import RefusedError, UnexpectedAnswerError, UnreachableError
from verifier.events import Match

T = TypeVar("T")

# Every write is a PUT to a numbered place, so any call may be sent again (protocol.md). Besides
# the service's own 503, the answers of a proxy in front of it that say "not now" are retried.
RETRIED = frozenset({429, 502, 503, 504})
_random = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request to send. ``path`` begins with a slash; ``body`` is JSON or nothing."""

    method: str
    path: str
    body: bytes | None = None
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait, in seconds."""

    seconds: float


Flow = Generator[Request | Pause, httpx.Response | httpx.RequestError | None, T]


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a call is repeated.

    ``attempts`` is the most times that it is sent. The wait before the n-th repeat is drawn
    evenly from 0 to ``first * 2**n`` seconds ("full jitter"), at most ``longest``. A
    ``Retry-After`` of the service is waited out instead; if it is over ``patience`` seconds the
    refusal is raised at once.
    """

    attempts: int = 6
    first: float = 0.1
    longest: float = 5.0
    patience: float = 30.0

    def wait(self, repeat: int, reply: httpx.Response | httpx.RequestError | None) -> float:
        """Seconds to wait before repeat number ``repeat`` (from 0)."""
        jitter = _random.uniform(0.0, min(self.longest, self.first * 2.0**repeat))
        asked = retry_after(reply) if isinstance(reply, httpx.Response) else None
        return jitter if asked is None else asked + jitter


@dataclass(slots=True)
class Session:
    """What a client knows between calls.

    ``pinned`` are the public keys that the user names (empty: the match's own key is believed,
    as its first line has it). ``known`` are the first lines of the matches seen, signature
    checked; a match leaves it when it ends.
    """

    retries: Retries = field(default_factory=Retries)
    pinned: frozenset[str] = frozenset()
    known: dict[str, Match] = field(default_factory=dict)


def retry_after(response: httpx.Response) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110, 10.2.3); None: none, or not one."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError):
        return None
    return max(0.0, until - time.time())


def exchange(session: Session, request: Request) -> Flow[httpx.Response]:
    """Send a request until it is answered, and return the answer if it is a 2xx.

    Raises :class:`RefusedError`, :class:`UnexpectedAnswerError` or, when every try is used up,
    :class:`UnreachableError`.
    """
    retries = session.retries
    for repeat in range(max(1, retries.attempts)):
        reply = yield request
        assert reply is not None  # a driver answers a Request
        if isinstance(reply, httpx.Response) and reply.status_code not in RETRIED:
            break
        wait = retries.wait(repeat, reply)
        if repeat + 1 == retries.attempts or wait > retries.patience:
            break
        yield Pause(wait)
    if isinstance(reply, httpx.Response):
        if reply.is_success:
            return reply
        raise refusal(reply)
    where = f"{request.method} {request.path}"
    reason = str(reply) or type(reply).__name__
    raise UnreachableError("unreachable", f"no answer to {where} in {repeat + 1} tries ({reason})")


class _Problem(msgspec.Struct, frozen=True):
    """A problem answer (RFC 9457) as the service writes it."""

    code: str
    title: str
    detail: str
    status: int
    rule: str = ""
    detail_tr: str = ""


def refusal(response: httpx.Response) -> RefusedError | UnexpectedAnswerError:
    """The error for an answer that is a refusal."""
    if media_type(response) == "application/problem+json":
        try:
            problem = msgspec.json.decode(response.content, type=_Problem)
            return RefusedError(
                problem.code,
                problem.detail or problem.title,
                response.status_code,
                problem.rule,
                problem.detail_tr,
            )
        except (msgspec.MsgspecError, UnicodeError):
            pass  # not a problem of ours: an unexpected answer like any other
    return unexpected(response, "a problem answer")


def decoded(response: httpx.Response, answer: type[T]) -> T:
    """A JSON answer of the given type; raises :class:`UnexpectedAnswerError` for anything else."""
    if media_type(response) == "application/json":
        try:
            return msgspec.json.decode(response.content, type=answer)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise unexpected(response, f"a {answer.__name__} ({error})") from None
    raise unexpected(response, "JSON")


def unexpected(response: httpx.Response, wanted: str) -> UnexpectedAnswerError:
    """The error for an answer that is not ``wanted``, saying what came instead."""
    request = response.request
    came = media_type(response) or "nothing that says what it is"
    return UnexpectedAnswerError(
        "unexpected-answer",
        f"{request.method} {request.url.path} must be answered with {wanted}; "
        f"{response.status_code} and {came} came. Is this the dice service's address?",
        response.status_code,
    )


def media_type(response: httpx.Response) -> str:
    """The media type without its parameters, in lower case; "" if the answer has none."""
    value: str = response.headers.get("content-type", "")
    return value.partition(";")[0].strip().lower()
