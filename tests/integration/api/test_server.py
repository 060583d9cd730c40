"""The service as a process: limits, slow callers, signals, its start and its stop."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dice_service.subprocesses import ServiceProcess
from tests.support.api import SECURITY_HEADERS

TIMEOUT = 0.5
SECURITY_LINES = [f"{name}: {value}".encode() for name, value in SECURITY_HEADERS.items()]


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    folder = tmp_path_factory.mktemp("server")
    with ServiceProcess(folder, DICE_REQUEST_TIMEOUT=str(TIMEOUT), DICE_MAX_BODY="5000") as found:
        yield found


def conversation(process: ServiceProcess, *parts: bytes, pause: float = 0.01) -> bytes:
    """What comes back until the connection is closed, when ``parts`` are sent up to an answer."""
    with socket.create_connection(("127.0.0.1", process.port), timeout=5) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                if select.select([connection], [], [], pause)[0]:
                    break
        except (BrokenPipeError, ConnectionResetError):
            pass
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def answer_on(connection: socket.socket) -> bytes:
    """One answer, up to the end of its JSON, which ends no sooner than its object does."""
    received = b""
    while not received.endswith(b"}"):
        received += connection.recv(65536)
    return received


def code_of(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    head += b"\r\n"
    assert b"content-type: application/problem+json" in head
    for line in (b"connection: close", b"cache-control: no-store", *SECURITY_LINES):
        assert head.count(b"\r\n" + line + b"\r\n") == 1
    return int(head.split(b" ")[1]), json.loads(body)["code"]


HEAD = b"PUT /v1/matches/m-1 HTTP/1.1\r\nhost: dice\r\ncontent-type: application/json\r\n"


def test_a_head_sent_a_byte_at_a_time_is_cut_off(process: ServiceProcess) -> None:
    begin = time.monotonic()
    answer = conversation(process, *(bytes([byte]) for byte in HEAD), pause=TIMEOUT / 5)
    assert code_of(answer) == (408, "request-timeout")
    assert time.monotonic() - begin < 4 * TIMEOUT


def test_a_connection_that_says_nothing_is_closed(process: ServiceProcess) -> None:
    begin = time.monotonic()
    assert code_of(conversation(process)) == (408, "request-timeout")
    assert time.monotonic() - begin < 4 * TIMEOUT


def test_a_body_sent_a_byte_at_a_time_is_cut_off(process: ServiceProcess) -> None:
    head = HEAD + b"content-length: 1000\r\n\r\n"
    begin = time.monotonic()
    answer = conversation(process, head, *[b" "] * 50, pause=TIMEOUT / 5)
    assert code_of(answer) == (408, "request-timeout")
    assert time.monotonic() - begin < 12 * TIMEOUT


def test_a_slow_caller_on_the_path_of_rolls_is_cut_off_too(process: ServiceProcess) -> None:
    key = process.command("api-key", "create", "--owner", "slow")
    head = (
        b"PUT /v1/matches/m-1/rolls/0 HTTP/1.1\r\nhost: dice\r\ncontent-length: 9\r\n"
        b"content-type: application/json\r\nauthorization: Bearer " + key.encode() + b"\r\n\r\n"
    )
    httpx.get(f"{process.url}/v1/matches", headers={"authorization": f"Bearer {key}"})
    assert code_of(conversation(process, head, b"{")) == (408, "request-timeout")


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"content-length: 5001\r\n\r\n",
        HEAD + b"content-length: 999999999\r\n\r\n",
        HEAD + b"transfer-encoding: chunked\r\n\r\n" + b"3e8\r\n" + b" " * 1000 + b"\r\n",
    ],
)
def test_a_large_body_is_refused_before_it_was_all_sent(
    process: ServiceProcess, head: bytes
) -> None:
    chunks = [b"3e8\r\n" + b" " * 1000 + b"\r\n"] * 5 if b"chunked" in head else []
    with socket.create_connection(("127.0.0.1", process.port), timeout=5) as connection:
        connection.sendall(head + b"".join(chunks))
        answer = answer_on(connection)  # a body waited for in vain would be 408
    assert code_of(answer) == (413, "too-large")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_caller_who_sends_a_large_body_whole_sees_the_refusal(
    process: ServiceProcess, chunked: bool
) -> None:
    body = b" " * 200_000
    content: Any = iter([body[:50_000]] * 4) if chunked else body
    answer = httpx.put(f"{process.url}/v1/matches/m-1", content=content)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_a_body_of_the_largest_size_is_read(process: ServiceProcess) -> None:
    answer = httpx.put(f"{process.url}/v1/matches/m-1", content=b" " * 5000)
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "endless", [b"GET /" + b"a" * 20_000, b"GET / HTTP/1.1\r\n" + b"x-a: b\r\n" * 3000]
)
def test_a_head_without_end_is_refused(process: ServiceProcess, endless: bytes) -> None:
    answer = conversation(process, *(endless[at : at + 1000] for at in range(0, 24_000, 1000)))
    assert code_of(answer) == (431, "head-too-large")


def test_what_is_no_http_is_a_problem(process: ServiceProcess) -> None:
    assert code_of(conversation(process, b"\x16\x03\x01 hello\r\n\r\n")) == (400, "bad-request")


def test_a_kept_connection_may_wait_between_requests_and_has_limits_anew(
    process: ServiceProcess,
) -> None:
    request = b"GET /livez HTTP/1.1\r\nhost: dice\r\n\r\n"
    with socket.create_connection(("127.0.0.1", process.port), timeout=5) as connection:
        for _ in range(2):
            connection.sendall(request)
            assert answer_on(connection).startswith(b"HTTP/1.1 200")
            time.sleep(TIMEOUT * 1.5)
        connection.sendall(request[:10])
        assert code_of(answer_on(connection)) == (408, "request-timeout")


def test_two_requests_in_one_packet_are_both_answered(process: ServiceProcess) -> None:
    one = b"GET /livez HTTP/1.1\r\nhost: dice\r\n\r\n"
    last = one.replace(b"host", b"connection: close\r\nhost")
    assert conversation(process, one + last).count(b"HTTP/1.1 200") == 2


def test_no_answer_names_the_server_software(process: ServiceProcess) -> None:
    headers = httpx.get(f"{process.url}/livez").headers
    assert "server" not in headers
    assert not re.search("uvicorn|python|starlette|fastapi", str(headers), re.IGNORECASE)


def test_a_revoked_key_stops_within_two_seconds(process: ServiceProcess) -> None:
    key = process.command("api-key", "create", "--owner", "club")
    headers = {"authorization": f"Bearer {key}"}
    assert httpx.get(f"{process.url}/v1/matches", headers=headers).status_code == 200
    process.command("api-key", "revoke", key.split("_")[1])
    time.sleep(2.1)
    assert httpx.get(f"{process.url}/v1/matches", headers=headers).status_code == 401


def test_every_log_line_is_json_with_a_request_id(process: ServiceProcess) -> None:
    request_id = httpx.get(f"{process.url}/v1/matches").headers["x-request-id"]
    until = time.monotonic() + 5  # a request is logged after it was answered
    while request_id not in (text := process.log_file.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    lines = [json.loads(line) for line in text.splitlines()[1:]]
    told = [line for line in lines if line.get("request_id") == request_id]
    assert [(line["status"], line["route"]) for line in told] == [(401, "/v1/matches")]


class Serving:
    """A ``dice-service serve`` whose output is read here."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("DICE_")}
        self.environment |= {
            "DICE_DATABASE": f"sqlite:///{folder / 'dice.db'}",
            "DICE_KEYS": str(folder / "keys"),
            "DICE_PORT": "0",
            **settings,
        }
        self.run("init")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dice_service.cli", "serve"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()
        self.url = self.first_line.split()[-1]

    def run(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "dice_service.cli", *arguments]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=15)
        return self.process.returncode, errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_service_cleanly(tmp_path: Path, number: int) -> None:
    serving = Serving(tmp_path)
    assert re.fullmatch(r"dice-service: listening on http://127\.0\.0\.1:\d+\n", serving.first_line)
    assert httpx.get(f"{serving.url}/readyz").status_code == 200
    status, errors = serving.end(number)
    assert status == 0
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("dice.db-wal")) or not (tmp_path / "dice.db-wal").stat().st_size


def test_a_request_under_way_is_answered_before_the_service_stops(tmp_path: Path) -> None:
    serving = Serving(tmp_path)
    port = int(serving.url.rsplit(":", 1)[1])
    key = serving.run("api-key", "create", "--owner", "club")
    body = json.dumps({"players": ["Ayşe", "Bora"]}).encode()
    head = HEAD + b"authorization: Bearer %b\r\ncontent-length: %d\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(head % (key.encode(), len(body)) + body[:5])
        time.sleep(0.3)
        ending = threading.Thread(target=serving.process.send_signal, args=(signal.SIGTERM,))
        ending.start()
        time.sleep(0.3)
        connection.sendall(body[5:])
        assert connection.recv(65536).startswith(b"HTTP/1.1 201")
    ending.join()
    serving.process.communicate(timeout=15)
    assert serving.process.returncode == 0
