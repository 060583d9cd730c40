"""A game site between two players' browsers and the dice service, and a service that cheats.

The site serves ``game.html`` with ``zarf-device.js`` in it, hands on what the devices send, and
asks the service for what the players do. It is told nothing that a real site is not told.
"""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from dice_service.actions import AnyAction, PlayAction, RollAction
from dice_service.answers import ActionAnswer
from dice_service.client import DiceClient
from tests.e2e.play import PATIENT, PLAYERS, fresh_id
from verifier.page.build import DEVICE
from verifier.receipts import encode_receipt

GAME = Path(__file__).with_name("game.html")
WAIT = 60.0
BOTH: tuple[Literal[0, 1], Literal[0, 1]] = (0, 1)


class Site:
    """One match. Every request of a device is a method, called in a thread of its own."""

    def __init__(self, service: str, api_key: str) -> None:
        self.service, self.match_id = service, fresh_id()
        self._dice = DiceClient(service, api_key, retries=PATIENT)
        opening = self._dice.open_match(
            self.match_id, players=PLAYERS, rules="oyna-tavla", length=1
        )
        self.devices = [DiceClient(service, token, retries=PATIENT) for token in opening.tokens]
        self._turn = threading.Condition()
        self._sealed = self._opened = 0
        self._receipts: list[str] = []
        self._answer: ActionAnswer | None = None

    def commit(self, player: Literal[0, 1], commitment: str) -> None:
        self.devices[player].commit(self.match_id, player=player, commitment=commitment)
        with self._turn:
            self._sealed += 1
            self._turn.notify_all()

    def receipt(self, player: Literal[0, 1], _: None) -> str:
        with self._turn:
            assert self._turn.wait_for(lambda: self._sealed == len(BOTH), WAIT)
        return self.devices[player].receipt(self.match_id).decode()

    def seed(self, player: Literal[0, 1], seed: str) -> None:
        self.devices[player].open_seed(self.match_id, player=player, seed=seed)
        with self._turn:
            self._opened += 1
            if self._opened == len(BOTH):
                self._take(RollAction(player=None))

    def news(self, player: Literal[0, 1], seen: int) -> dict[str, Any]:
        """The receipts that a device has not seen, and what it is to do."""
        with self._turn:
            assert self._turn.wait_for(
                lambda: len(self._receipts) > seen or self._due()[1] == player, WAIT
            )
            assert self._answer is not None
            what, whose = self._due()
            legal = self._answer.legal if isinstance(self._answer.legal, tuple) else ()
            return {
                "receipts": self._receipts[seen:],
                "due": what if whose == player else None,
                "plays": [play.moves for play in legal],
                "over": what == "nothing",
            }

    def act(self, player: Literal[0, 1], moves: str | None) -> None:
        with self._turn:
            if moves is None:
                self._take(RollAction(player=player))
            else:
                self._take(PlayAction(player=player, moves=moves, then_roll=True))

    def _due(self) -> tuple[str, int | None]:
        if self._answer is None:
            return "start", None
        return self._answer.table.due.what, self._answer.table.due.player

    def _take(self, action: AnyAction) -> None:
        while True:
            number = 0 if self._answer is None else self._answer.next_action
            self._answer = self._dice.action(self.match_id, number, action, legal=True)
            self._receipts.append(encode_receipt(self._answer.receipt).decode() + "\n")
            if self._due()[0] != "opening_roll":
                break
            action = RollAction(player=None)
        self._turn.notify_all()

    def close(self) -> None:
        for each in (self._dice, *self.devices):
            each.close()


def _handler(site: Site) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(_Quiet):
        def do_GET(self) -> None:
            if self.path == f"/{DEVICE.name}":
                self.give(DEVICE.read_bytes(), "text/javascript")
            else:
                self.give(GAME.read_bytes(), "text/html")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = getattr(site, self.path[1:])(asked["player"], asked["body"])
            self.give(json.dumps(answer).encode(), "application/json")

    return Handler


def _proxy(
    service: str, alter: Callable[[bytes], bytes]
) -> type[http.server.SimpleHTTPRequestHandler]:
    class Handler(_Quiet):
        def do_GET(self) -> None:
            answer = httpx.get(service + self.path, trust_env=False)
            data = answer.content
            if urlsplit(self.path).path.endswith("/log"):
                data = alter(data)
            self.give(data, answer.headers["content-type"], answer.status_code)

    return Handler


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def give(self, data: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """The site's address, while it serves."""
    with _serving(_handler(site)) as url:
        yield url
    site.close()


@contextmanager
def cheating(service: str, alter: Callable[[bytes], bytes]) -> Iterator[str]:
    """A service in front of the real one that serves other logs: as ``alter`` makes them."""
    with _serving(_proxy(service, alter)) as url:
        yield url
