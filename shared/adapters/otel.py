"""Spans to an OpenTelemetry collector, by OTLP over HTTP. Loaded only where one is configured."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

SERVICE = "aurora-notes"
SENDING_SECONDS = 5
"""Longest wait for the collector, in a background thread."""


def tracer_provider(endpoint: str) -> TracerProvider:
    """Makes tracers whose spans leave in batches for a collector's base address, like http://localhost:4318.

    Each request is sampled: Cloud Run's front end marks most of its spans as not sampled.
    """
    traces = f"{endpoint.rstrip('/')}/v1/traces"
    exporter = OTLPSpanExporter(endpoint=traces, timeout=SENDING_SECONDS)
    resource = Resource.create({"service.name": SERVICE})
    provider = TracerProvider(sampler=ALWAYS_ON, resource=resource)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
