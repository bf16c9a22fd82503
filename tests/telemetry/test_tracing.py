"""Traces: a request and the job it asked for are one, and no span holds a word, an address or a token."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from budgeteer.jobs import services
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.telemetry import tracing
from budgeteer.telemetry.middleware import RequestTraceMiddleware
from tests.jobs import probes
from tests.telemetry.receiver import Received, watching_service

pytestmark = pytest.mark.django_db(transaction=True)

PROXYS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def received(settings: Any) -> Iterator[Received]:
    assert probes.count
    with watching_service() as service:
        settings.TRACES_URL = service.address
        tracing.provider.cache_clear()
        yield service
        tracing.provider().shutdown()
        tracing.provider.cache_clear()


def sent(received: Received) -> list[Span]:
    assert tracing.provider().force_flush()
    return received.spans


def attributes(span: Span) -> dict[str, str]:
    return {one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes}


def answer(request: HttpRequest) -> HttpResponse:
    """A view that asks for work."""
    services.enqueue("probe.count", arguments={"steps": 1}, owner=None, subject="probe:1")
    return HttpResponse("done")


def test_a_job_is_traced_under_the_request_that_asked_for_it(received: Received) -> None:
    RequestTraceMiddleware(answer)(RequestFactory().get("/somewhere/"))
    job = Job.objects.get()
    execute(job.id, 1)
    request, work = sorted(sent(received), key=lambda span: span.start_time_unix_nano)
    assert work.trace_id == request.trace_id
    assert work.parent_span_id == request.span_id
    assert job.trace_parent.startswith(f"00-{request.trace_id.hex()}-{request.span_id.hex()}-")
    assert (request.kind, work.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CONSUMER)
    assert work.name == "probe.count"
    assert attributes(work)["budgeteer.state"] == "succeeded"
    assert attributes(work)["budgeteer.job"] == str(job.id)


def test_a_job_that_failed_says_so_and_not_in_whose_words(received: Received) -> None:
    assert probes.refuse
    job = services.enqueue("probe.refuse", arguments={}, owner=None, subject="")
    execute(job.id, 1)
    [span] = sent(received)
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert not span.parent_span_id
    for word in (b"session.jsonl", b"not JSON", b"bad lines"):
        assert word not in received.raw


def test_a_span_names_the_page_and_neither_address_nor_token(received: Received, client: Client) -> None:
    client.get("/r/a-secret-token-of-a-report/?q=words-of-somebody", headers={"traceparent": PROXYS})
    [span] = sent(received)
    assert span.name == "GET /r/<str:token>/"
    assert attributes(span)["http.response.status_code"] == "404"
    assert b"secret-token" not in received.raw
    assert b"words-of-somebody" not in received.raw
    assert span.trace_id.hex() not in PROXYS  # nobody's header is believed


def test_behind_a_proxy_of_ours_its_trace_goes_on(received: Received, client: Client, settings: Any) -> None:
    settings.TRUST_PROXY = True
    client.get("/health/", headers={"traceparent": PROXYS})
    client.get("/health/", headers={"traceparent": "x" * 3_000})
    first, second = sent(received)
    assert f"00-{first.trace_id.hex()}-{first.parent_span_id.hex()}-01" == PROXYS
    assert not second.parent_span_id


def test_lines_of_the_log_name_the_trace(
    received: Received, client: Client, settings: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    from budgeteer import logs

    logs.configure(logs.logging_config(form="json", level="debug"))
    try:
        client.get("/sign-in/")
    finally:
        logs.configure(settings.LOGGING)
    [span] = sent(received)
    assert f'"trace_id": "{span.trace_id.hex()}"' in capfd.readouterr().err


def test_without_an_address_nothing_of_it_is_loaded() -> None:
    asked = (
        "import sys, django; django.setup();"
        "from budgeteer.telemetry.tracing import traced, current_parent;\n"
        "with traced('x', role='job') as work: work.note({'a': 1}); work.fail(); work.name('y')\n"
        "print(repr(current_parent()), [name for name in sys.modules if name.split('.')[0] in ('sentry_sdk',"
        " 'opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "'' []"
