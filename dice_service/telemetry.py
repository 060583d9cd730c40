"""OpenTelemetry, where ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set and the extra ``otel`` is installed.

A span for each request and one for each batch that the storage writes. A span holds what a log
line may hold, and nothing else: the path's template, never the path; no header, no body, no
text of an error. Without the variable its SDK is not imported (FastAPI imports its empty API).
"""

import os
import time
from collections.abc import Mapping
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dice_service.api.metrics import UNKNOWN
from dice_service.api.places import Places
from dice_service.errors import SetupError
from dice_service.logs import safe_id
from dice_service.storage.batcher import Batch

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
# FastAPI has its own since 0.165, which would tell queries, wrong values and texts of errors to any
# provider that the process has.
NONE_OF_FASTAPIS: Final = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
CLOSE: Final = 3.0  # seconds that spans may still be sent at the stop


def start(environment: Mapping[str, str] = os.environ) -> "Telemetry | None":
    """What sends spans to the endpoint, or None where there is none.

    Raises :class:`SetupError` ``extra-missing``.
    """
    if not environment.get(ENDPOINT) or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    wanted = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter")
    if not all(map(_is_there, wanted)):
        raise SetupError(
            "extra-missing", f"{ENDPOINT} is set, which needs: pip install 'zarf[otel]'"
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return Telemetry(BatchSpanProcessor(OTLPSpanExporter()))


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


class Telemetry:
    """Makes spans and hands them to a processor, which is closed with :meth:`close`."""

    def __init__(self, processor: "SpanProcessor") -> None:
        from opentelemetry.context import Context
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.trace import SpanKind, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        resource = Resource.create()
        if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: "zarf"}))  # OTEL_… names no other
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("dice_service")
        self._extract = TraceContextTextMapPropagator().extract
        self._root = Context()
        self._server, self._client, self._error = SpanKind.SERVER, SpanKind.CLIENT, StatusCode.ERROR

    def batch(self, batch: Batch) -> None:
        """A span for a batch that was written: a trace of its own, as many requests share it."""
        span = self._tracer.start_span(
            "storage.append", self._root, self._client, start_time=batch.began
        )
        span.set_attribute("zarf.batch.appends", len(batch.appends))
        span.set_attribute("zarf.batch.lines", sum(len(a.lines) for a in batch.appends))
        if not batch.won:
            span.set_status(self._error)
        span.end(batch.ended)

    def requests(self, app: ASGIApp, places: Places) -> ASGIApp:
        """``app`` with a span for each request, in the trace that its ``traceparent`` names."""

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began = time.time_ns()
            found: list[Message] = []

            async def marked(message: Message) -> None:
                if message["type"] == "http.response.start":
                    found.append(message)
                await send(message)

            try:
                await app(scope, receive, marked)
            finally:
                span = self._tracer.start_span(
                    "request", self._parent(scope), self._server, start_time=began
                )
                self._describe(span, scope, found[0] if found else None, places)
                span.end()

        return traced

    def _parent(self, scope: Scope) -> "Context":
        # Not "tracestate": it would be sent on, and may hold anything.
        sent = [value for name, value in scope["headers"] if name == b"traceparent"]
        carrier = {"traceparent": sent[0].decode("latin-1")} if len(sent) == 1 else {}
        return self._extract(carrier, self._root)

    def _describe(self, span: "Span", scope: Scope, start: Message | None, places: Places) -> None:
        place, match_id = places.find(scope["path"]) or (None, None)
        known = place is not None and scope["method"] in place.methods
        route = place.template if place else UNKNOWN
        method = scope["method"] if known else UNKNOWN
        span.update_name(f"{method} {route}")
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.route", route)
        if match_id and (shown := safe_id(match_id)):
            span.set_attribute("zarf.match_id", shown)
        status = start["status"] if start else 0
        span.set_attribute("http.response.status_code", status)
        for name, value in start["headers"] if start else ():
            if name == b"x-request-id":
                span.set_attribute("zarf.request_id", value.decode("ascii"))
        if status >= 500 or not status:
            span.set_status(self._error)

    def close(self) -> None:
        """Send what is left, unless the endpoint takes too long."""
        closing = Thread(target=self._provider.shutdown, name="dice-otel", daemon=True)
        closing.start()
        closing.join(CLOSE)
