"""Spans to an OpenTelemetry collector, by OTLP over HTTP. Loaded only where one is configured."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags

from shared.tracing.spans import Span, TraceContext

SERVICE = "aurora-notes"
SENDING_SECONDS = 5
"""Longest wait for the collector, in a thread that nobody waits for."""


class OtelRecorder:
    """`tracing.spans.Recorder` for a collector's base address, like http://localhost:4318. Spans leave in batches."""

    def __init__(self, endpoint: str) -> None:
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=SENDING_SECONDS)
        self._processor = BatchSpanProcessor(exporter)
        self._resource = Resource.create({"service.name": SERVICE})

    def record(self, span: Span) -> None:
        parent = None if span.context.parent_id is None else _span_context(span.context, span.context.parent_id)
        self._processor.on_end(
            ReadableSpan(
                span.name,
                context=_span_context(span.context, span.context.span_id),
                parent=parent,
                resource=self._resource,
                attributes=span.attributes,
                kind=SpanKind.INTERNAL,
                start_time=span.started,
                end_time=span.ended,
            )
        )

    def flush(self) -> None:
        """Send what has gathered, and wait for it."""
        self._processor.force_flush()

    def close(self) -> None:
        self._processor.shutdown()  # type: ignore[no-untyped-call]


def _span_context(context: TraceContext, span_id: str) -> SpanContext:
    sampled = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(int(context.trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=sampled)
