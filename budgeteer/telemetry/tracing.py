"""Traces of requests and of the jobs they ask for, sent by OpenTelemetry's protocol to where settings say.

Without `TRACES_URL` nothing is imported and nothing is done. Sampling and headers are OpenTelemetry's own environment
variables (`OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from django.conf import settings

from budgeteer import __version__
from budgeteer.logs import process_name

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

type SpanRole = Literal["request", "job"]
type Attribute = str | int

#: The one header and the one column that carry a trace on: https://www.w3.org/TR/trace-context/#traceparent-header
TRACE_PARENT: Final = "traceparent"
PARENT_CHARS: Final = 55


class TracedWork:
    """The span of one request or job: what it is called and what is said of it may be known at its end only."""

    def __init__(self, span: Span | None) -> None:
        self._span = span

    def name(self, name: str) -> None:
        """Call it by that name."""
        if self._span is not None:
            self._span.update_name(name)

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Say more of it. Nothing that people uploaded or wrote, no address, no name of a person."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def fail(self) -> None:
        """Say that it failed."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.set_status(StatusCode.ERROR)


@contextmanager
def traced(name: str, *, role: SpanRole, parent: str = "") -> Iterator[TracedWork]:
    """A span around what is done within, under `parent` (a `traceparent`) where that can be read."""
    if not settings.TRACES_URL:
        yield TracedWork(None)
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    kind = SpanKind.SERVER if role == "request" else SpanKind.CONSUMER
    tracer = provider().get_tracer("budgeteer", __version__)
    context = TraceContextTextMapPropagator().extract({TRACE_PARENT: parent}) if parent else None
    with tracer.start_as_current_span(
        name, context=context, kind=kind, record_exception=False, set_status_on_exception=False
    ) as span:
        yield TracedWork(span)


def current_parent() -> str:
    """The `traceparent` of what is traced at the moment, for the jobs that it asks for; "" outside of a trace."""
    if not settings.TRACES_URL:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(TRACE_PARENT, "")[:PARENT_CHARS]


def current_trace_id() -> str:
    """The id of the trace at hand in 32 hexadecimal digits, for the lines of the log; "" outside of one."""
    return current_parent()[3:35]


@cache
def provider() -> TracerProvider:
    """What makes this process's spans and sends them, from a thread of its own, in batches.

    Made with the first span, so that each process that a server forks has its own.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    about = {"service.name": "budgeteer", "service.version": __version__, "budgeteer.process": process_name()}
    made = TracerProvider(resource=Resource.create(about))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{settings.TRACES_URL}/v1/traces")))
    return made
