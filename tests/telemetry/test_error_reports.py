"""Reports of unexpected errors: kind, lines of code and ids, and none of the words that an exception quotes."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import Any

import pytest
import sentry_sdk
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from budgeteer import logs
from budgeteer.access.rules import public
from budgeteer.jobs import services
from budgeteer.jobs.execution import execute
from tests.jobs import probes
from tests.telemetry.receiver import Received, watching_service

pytestmark = pytest.mark.django_db(transaction=True)


@public
def broken(request: HttpRequest, token: str) -> HttpResponse:
    raise KeyError(token, request.GET["q"])


urlpatterns = [path("r/<str:token>/", broken)]


@pytest.fixture
def received(settings: Any) -> Iterator[Received]:
    with watching_service() as service:
        dsn = service.address.replace("://", "://key@") + "/1"
        logs.configure(logs.logging_config(form="json", level="info", reports_to=dsn))
        yield service
        logs.configure(settings.LOGGING)
        sentry_sdk.init()


def reported(received: Received) -> dict[str, Any]:
    sentry_sdk.flush()
    [event] = received.events
    return event


def test_a_page_that_breaks_is_reported_without_anybodys_words(received: Received, settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    client = Client(raise_request_exception=False)
    answer = client.get("/r/a-secret-token/?q=words-of-somebody", headers={"User-Agent": "a-browser"})
    assert answer.status_code == 500
    event = reported(received)
    [error] = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("KeyError", "")
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
    assert event["tags"]["request_id"] == answer["X-Request-ID"]
    for word in (b"a-secret-token", b"words-of-somebody", b"a-browser", platform.node().encode()):
        assert word not in received.raw


def test_a_job_that_breaks_is_reported_once_with_its_id(received: Received) -> None:
    assert probes.crash
    job = services.enqueue("probe.crash", arguments={}, owner=None, subject="")
    execute(job.id, 1)
    event = reported(received)
    assert event["exception"]["values"][0]["type"] == "ZeroDivisionError"
    assert event["tags"]["job_id"] == str(job.id)
    assert event["tags"]["kind"] == "probe.crash"
    assert event["release"].startswith("budgeteer@")
    assert b"secret detail" not in received.raw


def test_bad_input_is_nobodys_error(received: Received) -> None:
    job = services.enqueue("probe.refuse", arguments={}, owner=None, subject="")
    execute(job.id, 1)
    sentry_sdk.flush()
    assert received.events == []
