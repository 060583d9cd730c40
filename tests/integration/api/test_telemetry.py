"""Spans of requests and batches, without a secret; without an endpoint nothing is imported."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from dice_service import telemetry
from dice_service.errors import SetupError
from dice_service.storage import StorageError
from tests.support.api import SEEDS, opened
from tests.support.leaks import leaks

pytestmark = pytest.mark.anyio

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    found = InMemorySpanExporter()
    traces = telemetry.Telemetry(SimpleSpanProcessor(found))
    monkeypatch.setattr(telemetry, "start", lambda: traces)
    return found


def attributes(spans: Sequence[ReadableSpan], name: str) -> list[dict[str, Any]]:
    return [dict(span.attributes or {}) for span in spans if span.name == name]


@pytest.mark.parametrize("hot", [True, False])
async def test_a_request_is_a_span_in_the_trace_of_who_asked(
    tmp_path: Path, exporter: InMemorySpanExporter, hot: bool
) -> None:
    async with opened(tmp_path, hot=hot) as api:
        await api.ready("m-1")
        await api.key()
        exporter.clear()
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "a=secret"}
        answer = await api.put("m-1/rolls/0", {}, headers=headers)
        await api.put("m-1/rolls/9", {})
        await api.http.request("BREW", "/zk_secret?token=zp_x")
        spans = exporter.get_finished_spans()
    roll = "PUT /v1/matches/{match_id}/rolls/{index}"
    first, second = [span for span in spans if span.name == roll]
    assert first.context is not None
    assert first.parent is not None
    assert f"{first.context.trace_id:032x}" == TRACE
    assert f"{first.parent.span_id:016x}" == PARENT
    assert second.parent is None
    assert first.kind is SpanKind.SERVER
    assert attributes(spans, roll) == [
        {
            "http.request.method": "PUT",
            "http.route": "/v1/matches/{match_id}/rolls/{index}",
            "http.response.status_code": status,
            "zarf.match_id": "m-1",
            "zarf.request_id": request_id,
        }
        for status, request_id in [
            (201, answer.headers["x-request-id"]),
            (409, attributes(spans, roll)[1]["zarf.request_id"]),
        ]
    ]
    assert attributes(spans, "(unknown) (unknown)")[0]["http.response.status_code"] == 404
    everything = "".join(span.to_json() for span in spans)
    assert "secret" not in everything
    assert "BREW" not in everything
    assert "zp_x" not in everything


async def test_a_batch_is_a_span_with_its_size_and_a_failed_one_is_an_error(
    tmp_path: Path, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> list[bool]:
        raise StorageError("disk full of 5eed")

    async with opened(tmp_path) as api:
        await api.open("m-1")
        with monkeypatch.context() as patched:
            patched.setattr(type(api.service.storage), "append", full)
            assert (await api.put("m-2", {"players": ["a", "b"]})).status_code == 503
    spans = exporter.get_finished_spans()
    batches = [span for span in spans if span.name == "storage.append"]
    assert attributes(spans, "storage.append") == [
        {"zarf.batch.appends": 1, "zarf.batch.lines": 2},
        {"zarf.batch.appends": 1, "zarf.batch.lines": 2},
    ]
    codes = [span.status.status_code for span in batches]
    assert codes == [StatusCode.UNSET, StatusCode.ERROR]
    requests = [span for span in spans if span.name == "PUT /v1/matches/{match_id}"]
    assert [span.status.status_code for span in requests] == codes
    assert "5eed" not in "".join(span.to_json() for span in spans)
    for span in batches:
        assert 0 <= (span.end_time or 0) - (span.start_time or 0) < 60e9


async def test_no_span_holds_a_seed_a_token_or_a_key(
    tmp_path: Path, exporter: InMemorySpanExporter
) -> None:
    async with opened(tmp_path) as api:
        tokens = await api.ended("m-1")
        key = await api.key()
        await api.send("GET", "m-1/log", tokens[0])
        row = await api.service.storage.match("m-1")
        assert row
        await api.http.get(f"/v1/matches/{tokens[0]}?token={key}")
        await api.http.get(f"/v1/matches/{SEEDS[0]}")
    places = {"spans": "".join(s.to_json() for s in exporter.get_finished_spans()).encode()}
    assert places["spans"].count(b"/v1/matches/{match_id}") > 8
    for secret in [*tokens, key]:
        assert secret.encode() not in places["spans"]
        assert not leaks(secret.encode(), places)
    for seed in SEEDS:
        assert not leaks(bytes.fromhex(seed), places)
    assert not leaks(row.sealed, places)
    assert "Ayşe" not in places["spans"].decode()


SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from dice_service import telemetry
from tests.support.api import opened

async def work():
    async with opened(Path(sys.argv[1])) as api:
        await api.ended("m-1")

asyncio.run(work())
heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "requests", "google.protobuf")
print(json.dumps(sorted(n for n in sys.modules if n in heavy)))
"""

GLOBAL = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
"""


def said(folder: Path, script: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env={k: v for k, v in os.environ.items() if not k.startswith("OTEL_")} | environment,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if "[info" not in line]


def imported(folder: Path, **environment: str) -> list[str]:
    found: list[str] = json.loads(said(folder, SCRIPT, **environment)[-1])
    return found


def test_fastapis_own_spans_are_off_even_where_the_process_has_a_provider(tmp_path: Path) -> None:
    lines = said(tmp_path, GLOBAL + SCRIPT, FASTAPI_OTEL_AUTO_CONFIGURE="true")
    assert not [line for line in lines if '"trace_id"' in line or '"name"' in line]


def test_without_an_endpoint_the_sdk_is_not_imported(tmp_path: Path) -> None:
    assert imported(tmp_path) == []
    nowhere = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    assert imported(tmp_path / "a", OTEL_SDK_DISABLED="true", **nowhere) == []
    assert "opentelemetry.sdk" in imported(tmp_path / "b", **nowhere)


def test_an_endpoint_without_the_extra_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "find_spec", lambda _: None)
    with pytest.raises(SetupError, match=r"needs: pip install 'zarf\[otel\]'$"):
        telemetry.start({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})
