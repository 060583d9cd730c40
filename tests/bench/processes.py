"""Starting servers and load generators, on cores of their own where there are two."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from typing import IO

from tests.bench.load import Load

_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")


@contextmanager
def server_cores() -> Iterator[None]:
    """What is started inside runs beside the load generator, not on its core."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def load_core() -> Iterator[None]:
    """What is started inside runs on the load generator's core."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[-1:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def baseline_server(module: str, *arguments: str) -> Iterator[int]:
    """A baseline's process; gives its port."""
    with baseline_process(module, *arguments) as (port, _):
        yield port


@contextmanager
def baseline_process(module: str, *arguments: str) -> Iterator[tuple[int, int]]:
    """A baseline's process; gives its port and its id."""
    with server_cores():
        command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        listening = _LISTENING.search(_line(process))
        assert listening, f"{module} did not start"
        yield int(listening[1]), process.pid
    finally:
        process.terminate()
        process.communicate()


class LoadProcess:
    """A :mod:`tests.bench.load` process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def play(self, warm_up: float, seconds: float) -> tuple[int, float]:
        """One round: the requests answered and the seconds they took."""
        _tell(self._process, f"{warm_up} {seconds}")
        requests, took = _line(self._process).split()
        return int(requests), float(took)

    def latencies(self, warm_up: float, seconds: float, pace: float) -> tuple[float, float]:
        """One round at a pace in requests a second: the median and the 99th percentile."""
        _tell(self._process, f"{warm_up} {seconds} {pace}")
        _, _, median, p99 = map(float, _line(self._process).split())
        return median, p99

    def rate(self, warm_up: float, seconds: float) -> float:
        """One round: requests a second."""
        requests, took = self.play(warm_up, seconds)
        return requests / took


@contextmanager
def load_process(load: Load, *, pinned: bool = True) -> Iterator[LoadProcess]:
    """A load generator; on its core unless told otherwise."""
    with load_core() if pinned else nullcontext():
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        _tell(process, json.dumps(asdict(load)))
        yield LoadProcess(process)
    finally:
        process.terminate()
        process.communicate()


def _tell(process: subprocess.Popen[str], line: str) -> None:
    stream = _stream(process.stdin)
    stream.write(line + "\n")
    stream.flush()


def _line(process: subprocess.Popen[str]) -> str:
    line = _stream(process.stdout).readline()
    if not line:
        raise RuntimeError("a process of the benchmark ended; what it said stands above")
    return line


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
