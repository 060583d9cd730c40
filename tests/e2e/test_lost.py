"""Answers that get lost on the way, and a service that dies: no roll is made twice or differs."""

import re
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dice_service.client import DiceClient
from dice_service.device import PlayerDevice
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import PATIENT, finished, fresh_id, opened, rolled


class LosingProxy(socketserver.ThreadingTCPServer):
    """Passes requests on to a service and throws away every second answer that it gets."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.upstream = ("127.0.0.1", port)
        self.answers = 0
        super().__init__(("127.0.0.1", 0), _Connection)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Connection(socketserver.BaseRequestHandler):
    server: LosingProxy

    def handle(self) -> None:
        with socket.create_connection(self.server.upstream) as upstream, suppress(OSError):
            while request := message(self.request):
                upstream.sendall(request)
                answer = message(upstream)  # so the service has handled the request
                self.server.answers += 1
                if self.server.answers % 2:
                    return
                self.request.sendall(answer)


def message(connection: socket.socket) -> bytes:
    """One whole HTTP message, head and body; b"" when the other side has gone."""
    data = b""
    while b"\r\n\r\n" not in data or len(data) < whole(data):
        chunk = connection.recv(65536)
        if not chunk:
            return b""
        data += chunk
    return data


def whole(data: bytes) -> int:
    """The length of a message of which at least the head is there."""
    head, _, _ = data.partition(b"\r\n\r\n")
    length = re.search(rb"\ncontent-length: (\d+)", head.lower())
    return len(head) + 4 + (int(length[1]) if length else 0)


@pytest.fixture
def proxy(service: ServiceProcess) -> Iterator[LosingProxy]:
    with LosingProxy(service.port) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()


def test_a_lost_answer_asked_for_again_is_the_same_roll(
    proxy: LosingProxy, service: ServiceProcess, api_key: str, tmp_path: Path
) -> None:
    match_id = fresh_id()
    with (
        DiceClient(proxy.url, api_key, retries=PATIENT) as through,
        DiceClient(service.url, api_key) as direct,
    ):
        devices = opened(through, proxy.url, tmp_path, match_id)
        dice = [rolled(through, devices, match_id, index) for index in range(20)]
        assert proxy.answers >= 2 * 20  # each roll was asked for twice
        assert [direct.roll(match_id, index).dice for index in range(20)] == dice
        assert direct.log(match_id).data.count(b'"type":"roll"') == 20
        finished(through, devices, match_id, 20)


def test_a_match_goes_on_over_a_service_killed_at_any_moment(
    own_service: ServiceProcess, tmp_path: Path
) -> None:
    key = own_service.command("api-key", "create", "--owner", "e2e")
    match_id = fresh_id()
    over = threading.Event()
    killed: list[float] = []

    def kill_and_restart() -> None:
        while not over.wait(0.15) and len(killed) < 3:
            own_service.kill()
            killed.append(time.monotonic())
            own_service.start()

    with DiceClient(own_service.url, key, retries=PATIENT) as dice:
        devices: tuple[PlayerDevice, PlayerDevice] = opened(
            dice, own_service.url, tmp_path, match_id
        )
        killer = threading.Thread(target=kill_and_restart)
        killer.start()
        index = 0
        try:
            while killer.is_alive() or index < 10:
                rolled(dice, devices, match_id, index)
                index += 1
                time.sleep(0.01)
        finally:
            over.set()
            killer.join()
        assert len(killed) == 3
        finished(dice, devices, match_id, index)
