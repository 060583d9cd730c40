"""A process that asks any server for rolls or actions over HTTP as fast as it is answered.

Standard input: first a line of JSON, :class:`Load`'s fields; then for each round a line with the
seconds to warm up and the seconds to measure, answered with requests and seconds. Each connection
plays its own matches, one request after the other; a wrong answer ends the process.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import uvloop

BODY = '{"purpose":"turn","player":0}'


@dataclass
class Load:
    """What to ask for, at ``/v1/matches/{id}/{place}/{number}``; the answer says the ``number``.

    ``matches``: for each connection the ids of its matches, played one after the other. A match
    in ``bodies`` takes these bodies, one a request. Any other takes ``rolls`` rolls, and a
    connection's last one goes on for as long as it has to.
    """

    port: int
    key: str
    matches: list[list[str]]
    rolls: int = 0
    place: str = "rolls"
    number: str = "index"
    bodies: dict[str, list[str]] = field(default_factory=dict)


class WrongAnswerError(Exception):
    """What came back is not what was asked for."""


class Seat:
    """One connection's place in its matches, kept from round to round."""

    def __init__(self, load: Load, matches: list[str]) -> None:
        self._load = load
        self._left = matches[::-1]
        self._said = f'"{load.number}":'.encode("ascii")
        self.answered = 0
        self._next_match()

    def _next_match(self) -> None:
        load, match_id = self._load, self._left.pop()
        bodies = load.bodies.get(match_id)
        self._head = f"PUT /v1/matches/{match_id}/{load.place}/".encode("ascii")
        self._tails = [self._tail(body) for body in bodies or [BODY]]
        self._length = len(bodies) if bodies else load.rolls
        self._number = 0

    def _tail(self, body: str) -> bytes:
        return (
            f" HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {self._load.key}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        ).encode("ascii")

    def request(self) -> bytes:
        tail = self._tails[self._number % len(self._tails)]
        return b"%b%d%b" % (self._head, self._number, tail)

    def take(self, answer: bytes, body: int) -> None:
        """Check an answer whose body begins at ``body``, and go on to the next number."""
        said = b"%b%d" % (self._said, self._number)
        right = answer.find(said + b",", body) >= 0 or answer.find(said + b"}", body) >= 0
        if not right or not answer.startswith(b"HTTP/1.1 201 "):
            asked = self.request().decode()
            raise WrongAnswerError(f"{asked}\n\nwas answered:\n\n{answer.decode()}")
        self.answered += 1
        self._number += 1
        if self._number >= self._length:
            if self._left:
                self._next_match()
            elif self._load.bodies:
                raise WrongAnswerError("no match is left to play: more have to be prepared")


class Connection(asyncio.Protocol):
    """Sends a request, takes the answer, sends the next, until ``stop`` is set."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._data = b""
        self._transport: Any = None
        self.stop = False
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._transport.write(self._seat.request())

    def data_received(self, data: bytes) -> None:
        data = self._data + data if self._data else data
        body = data.find(b"\r\n\r\n") + 4
        length = data.find(b"content-length: ", 0, body) + 16
        if body < 4 or len(data) < body + int(data[length : data.find(b"\r", length)]):
            self._data = data
            return
        self._data = b""
        try:
            self._seat.take(data, body)
        except WrongAnswerError as error:
            self.closed.set_exception(error)
            self._transport.close()
            return
        if self.stop:
            self._transport.close()
        else:
            self._transport.write(self._seat.request())

    def connection_lost(self, _: Exception | None) -> None:
        if not self.closed.done():
            if self.stop:
                self.closed.set_result(None)
            else:
                self.closed.set_exception(WrongAnswerError("the server closed a connection"))


async def play(load: Load, seats: list[Seat], warm_up: float, seconds: float) -> tuple[int, float]:
    """One round; every request begun is answered before it ends. Requests and seconds."""
    loop = asyncio.get_running_loop()
    connections = []
    for seat in seats:
        make = partial(Connection, seat)
        connections.append((await loop.create_connection(make, "127.0.0.1", load.port))[1])
    await asyncio.sleep(warm_up)
    begin, before = time.perf_counter(), sum(seat.answered for seat in seats)
    await asyncio.sleep(seconds)
    end, after = time.perf_counter(), sum(seat.answered for seat in seats)
    for connection in connections:
        connection.stop = True
    await asyncio.gather(*(connection.closed for connection in connections))
    return after - before, end - begin


def main() -> None:
    load = Load(**json.loads(sys.stdin.readline()))
    seats = [Seat(load, matches) for matches in load.matches]
    for line in sys.stdin:
        warm_up, seconds = map(float, line.split())
        requests, took = uvloop.run(play(load, seats, warm_up, seconds))
        sys.stdout.write(f"{requests} {took}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
