"""Following a log: whatever breaks, no line is lost, doubled or believed for nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest

from dice_service.client import (
    AsyncDiceClient,
    ClientError,
    DiceClient,
    DishonestError,
    LogLine,
    RefusedError,
    Retries,
    UnexpectedAnswerError,
    UnreachableError,
)
from tests.unit.client.peer import Peer, problem

QUICK = Retries(attempts=4, first=0.0, longest=0.0)
STREAM = {"content-type": "text/event-stream"}


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Bytes in two pieces, and then the connection breaks, or ends in order."""

    def __init__(self, data: bytes, cut: int, *, breaks: bool) -> None:
        self._pieces = (data[:cut], data[cut:])
        self._breaks = breaks

    def _next(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._breaks:
            raise httpx.ReadError("connection reset")

    def __iter__(self) -> Iterator[bytes]:
        return self._next()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._next():
            yield piece


def played() -> Peer:
    """A short match that has ended, with a label that some readers would take for two lines."""
    peer = Peer()
    peer.players = ["Ay\u2028şe", "Bo\u2029ra"]
    peer.open()
    for player, seed in ((0, "0123456789abcdef" * 4), (1, "fedcba9876543210" * 4)):
        peer.seeds[player] = seed
        peer.add("seed", player=player, seed=seed)
    peer.roll(0)
    peer.put(["end"], {})
    return peer


def events(lines: list[bytes], first: int = 0, *, end: bool = True) -> bytes:
    told = [b"retry: 1234\n\n:\n\n"]
    for seq, line in list(enumerate(lines))[first:]:
        kind = line.split(b'"')[3]
        told.append(b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind, line))
    return b"".join(told) + (b"event: end\ndata: {}\n\n" if end else b"")


class Server:
    """Gives a log's events; ``answers`` are given first, one a request."""

    def __init__(self, lines: list[bytes], *answers: httpx.Response | Exception | int) -> None:
        self.lines = lines
        self.answers = list(answers)
        self.asked: list[str | None] = []
        self.headers: list[httpx.Headers] = []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/matches/m-1/events"
        assert not request.url.query
        known = request.headers.get("last-event-id")
        self.asked.append(known)
        self.headers.append(request.headers)
        first = 0 if known is None else int(known) + 1
        if first == len(self.lines):
            return httpx.Response(204)
        text = events(self.lines, first)
        match self.answers.pop(0) if self.answers else None:
            case None:
                return httpx.Response(200, headers=STREAM, stream=Body(text, 7, breaks=False))
            case int() as cut:
                stream = Body(text[:cut], cut // 2, breaks=True)
                return httpx.Response(200, headers=STREAM, stream=stream)
            case httpx.Response() as given:
                return given
            case error:
                raise error

    def read(self, **how: Any) -> list[LogLine]:
        with DiceClient(
            "http://dice.test", "zp_t", retries=QUICK, transport=self.transport
        ) as dice:
            return list(dice.events("m-1", **how))

    def read_async(self, **how: Any) -> list[LogLine]:
        async def read() -> list[LogLine]:
            async with AsyncDiceClient(
                "http://dice.test", "zp_t", retries=QUICK, transport=self.transport
            ) as dice:
                return [line async for line in dice.events("m-1", **how)]

        return asyncio.run(read())


LOG = played().lines
READ = pytest.mark.parametrize("read", [Server.read, Server.read_async])


@READ
def test_the_lines_come_with_their_bytes_and_what_they_say(read: Any) -> None:
    server = Server(LOG)
    lines = read(server)
    assert [line.data for line in lines] == LOG
    assert [line.seq for line in lines] == list(range(len(LOG)))
    assert lines[0].event.players == ("Ay\u2028şe", "Bo\u2029ra")
    assert lines[-2].event.server_seed
    assert server.asked == [None]
    assert server.headers[0]["authorization"] == "Bearer zp_t"
    assert server.headers[0]["accept"] == "text/event-stream"


def test_a_connection_cut_after_any_byte_loses_and_doubles_nothing() -> None:
    for cut in range(len(events(LOG))):
        server = Server(LOG, cut)
        assert [line.data for line in server.read()] == LOG, cut
        assert len(server.asked) == 2, cut


@READ
def test_it_goes_on_after_the_last_line_that_came(read: Any) -> None:
    two = len(events(LOG[:2], end=False))
    server = Server(LOG, two, httpx.ConnectError("refused"), problem("overloaded", 503), two + 20)
    assert [line.data for line in read(server)] == LOG
    assert server.asked[:4] == [None, "1", "1", "1"]


@READ
def test_a_stream_that_ends_before_the_log_does_is_asked_for_again(read: Any) -> None:
    stopped = httpx.Response(200, headers=STREAM, content=events(LOG[:4], end=False))
    server = Server(LOG, stopped)
    assert [line.data for line in read(server)] == LOG
    assert server.asked == [None, "3"]


@READ
def test_what_is_known_already_does_not_come_again(read: Any) -> None:
    assert [line.seq for line in read(Server(LOG), after=4)] == list(range(5, len(LOG)))
    assert read(Server(LOG), after=len(LOG) - 1) == []


@READ
def test_it_gives_up_after_so_many_tries_without_a_line(read: Any) -> None:
    server = Server(LOG, *[httpx.ConnectError("refused")] * 9)
    with pytest.raises(UnreachableError, match="4 tries without a line"):
        read(server)
    assert len(server.asked) == 4
    with pytest.raises(RefusedError) as caught:
        read(Server(LOG, *(problem("overloaded", 503) for _ in range(9))))
    assert caught.value.code == "overloaded"


def test_each_line_that_comes_gives_it_new_patience() -> None:
    broken: list[Exception | int] = [httpx.ReadTimeout("silent"), httpx.ReadTimeout("silent")]
    server = Server(LOG, *[*broken, 900] * len(LOG))  # a line or two each third time
    assert [line.data for line in server.read()] == LOG
    assert len(server.asked) > 2 * QUICK.attempts


@READ
@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (lambda: problem("not-found", 404), RefusedError, "not-found"),
        (lambda: problem("not-authenticated", 401), RefusedError, "not-authenticated"),
        (lambda: problem("invalid", 422), RefusedError, "invalid"),
        (lambda: httpx.Response(200, html="<p>hello"), UnexpectedAnswerError, "unexpected-answer"),
        (lambda: httpx.Response(302), UnexpectedAnswerError, "unexpected-answer"),
    ],
)
def test_what_will_not_change_is_not_asked_again(
    read: Any, answer: Callable[[], httpx.Response], error: type[ClientError], code: str
) -> None:
    server = Server(LOG, answer())
    with pytest.raises(error) as caught:
        read(server)
    assert caught.value.code == code
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"id: 3\n", b"id: 4\n"),  # a line left out
        (b"id: 3\n", b"id: 2\n"),  # a line twice
        (b"id: 3\n", b""),
        (b"id: 3\n", b"id: 03\n"),
        (b"data: ", b"data: {}\ndata: "),
    ],
)
def test_events_that_are_not_numbered_as_the_lines_are_refused(before: bytes, after: bytes) -> None:
    text = events(LOG)
    at = text.index(before)
    changed = text[:at] + text[at:].replace(before, after, 1)
    server = Server(LOG, httpx.Response(200, headers=STREAM, content=changed))
    with pytest.raises(UnexpectedAnswerError):
        server.read()


@pytest.mark.parametrize("seq", range(len(LOG) - 1))
def test_a_line_that_does_not_follow_from_the_one_before_is_not_believed(seq: int) -> None:
    another = played().lines
    lines = [*LOG[: seq + 1], *another[seq + 1 :]]
    got: list[LogLine] = []

    def read(dice: DiceClient) -> None:
        for line in dice.events("m-1"):
            got.append(line)  # noqa: PERF402 - those before the error count

    dice = DiceClient("http://dice.test", "zp_t", transport=Server(lines).transport)
    with dice, pytest.raises(DishonestError) as caught:
        read(dice)
    assert caught.value.code == "log-broken"
    assert [line.data for line in got] == LOG[: seq + 1]


def test_a_changed_byte_is_not_believed_over_a_new_connection_either() -> None:
    another = played().lines
    first = httpx.Response(200, headers=STREAM, content=events(LOG[:5], end=False))
    server = Server([*LOG[:5], *another[5:]], first)
    with pytest.raises(DishonestError):
        server.read()
    assert server.asked == [None, "4"]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    endless = httpx.Response(200, headers=STREAM, content=b"data: " + b"x" * 100_000)
    with pytest.raises(UnexpectedAnswerError):
        Server(LOG, endless).read()


def test_leaving_early_closes_the_connection() -> None:
    closed: list[bool] = []

    class Watched(Body):
        def close(self) -> None:
            closed.append(True)

    stream = Watched(events(LOG), 200, breaks=False)
    server = Server(LOG, httpx.Response(200, headers=STREAM, stream=stream))
    with DiceClient("http://dice.test", "zp_t", transport=server.transport) as dice:
        lines = dice.events("m-1")
        assert next(lines).data == LOG[0]
        lines.close()  # type: ignore[attr-defined] # it is a generator
        assert closed == [True]


def test_a_path_of_another_place_is_not_asked_for() -> None:
    with DiceClient("http://dice.test", "zp_t") as dice, pytest.raises(ClientError):
        next(dice.events("../keys"))
