"""A process that asks any server for rolls or actions over HTTP as fast as it is answered.

Standard input: first a line of JSON, :class:`Load`'s fields; then for each round a line with the
seconds to warm up and the seconds to measure, answered with requests and seconds. Each connection
plays its own matches, one request after the other; a wrong answer ends the process.

A third number is a pace, in requests a second over all connections. Then what is measured are
latencies, answered as their median and 99th percentile in seconds besides. Each counts from when
its request was due, even where it could not be sent yet: a pause of the server is felt by all
that were due in it.
"""

import asyncio
import json
import random
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
    connection's last one goes on for as long as it has to. Connections are dealt to ``port`` and
    ``more_ports`` in turn.
    """

    port: int
    key: str
    matches: list[list[str]]
    rolls: int = 0
    place: str = "rolls"
    number: str = "index"
    bodies: dict[str, list[str]] = field(default_factory=dict)
    more_ports: list[int] = field(default_factory=list)


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
    """Sends a request, takes the answer, sends the next, until ``stop`` is set.

    With a ``period``, a request is due once in so many seconds; the first at a random moment.
    """

    def __init__(self, seat: Seat, period: float = 0.0) -> None:
        self._seat = seat
        self._data = b""
        self._transport: Any = None
        self._loop = asyncio.get_running_loop()
        self._period = period
        self._due = 0.0
        self.latencies: list[float] = []
        self.stop = False
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._due = self._loop.time() + self._period * random.random()
        self._next()

    def _next(self) -> None:
        if self.stop:
            self._transport.close()
        elif self._due > self._loop.time():
            self._loop.call_at(self._due, self._next)
        else:
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
        if self._period:
            self.latencies.append(self._loop.time() - self._due)
            self._due += self._period
        self._next()

    def connection_lost(self, _: Exception | None) -> None:
        if not self.closed.done():
            if self.stop:
                self.closed.set_result(None)
            else:
                self.closed.set_exception(WrongAnswerError("the server closed a connection"))


async def play(
    load: Load, seats: list[Seat], warm_up: float, seconds: float, pace: float = 0.0
) -> tuple[float, ...]:
    """One round; every request begun is answered before it ends. What the process answers."""
    loop = asyncio.get_running_loop()
    ports = [load.port, *load.more_ports]
    period = len(seats) / pace if pace else 0.0
    connections: list[Connection] = []
    for number, seat in enumerate(seats):
        make = partial(Connection, seat, period)
        port = ports[number % len(ports)]
        connections.append((await loop.create_connection(make, "127.0.0.1", port))[1])
    await asyncio.sleep(warm_up)
    for connection in connections:
        connection.latencies.clear()
    begin, before = time.perf_counter(), sum(seat.answered for seat in seats)
    await asyncio.sleep(seconds)
    end, after = time.perf_counter(), sum(seat.answered for seat in seats)
    for connection in connections:
        connection.stop = True
    await asyncio.gather(*(connection.closed for connection in connections))
    if not pace:
        return after - before, end - begin
    found = sorted(one for connection in connections for one in connection.latencies)
    return after - before, end - begin, found[len(found) // 2], found[len(found) * 99 // 100]


def main() -> None:
    load = Load(**json.loads(sys.stdin.readline()))
    seats = [Seat(load, matches) for matches in load.matches]
    for line in sys.stdin:
        found = uvloop.run(play(load, seats, *map(float, line.split())))
        sys.stdout.write(" ".join(map(str, found)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
