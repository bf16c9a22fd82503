"""The line of a request, and what must not stand in it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from budgeteer.access.rules import public
from budgeteer.accounts import services
from budgeteer.logs import ACCESS, formatter
from budgeteer.operations import readiness, views
from budgeteer.operations.readiness import Readers
from budgeteer.request_log import SafePaths, loggable_path
from tests.servers import free_port

pytestmark = pytest.mark.django_db

type Written = Callable[[], list[dict[str, Any]]]


@public
def broken(request: HttpRequest, token: str) -> None:
    """A view with a mistake in it."""
    secret_text = "what somebody wrote"
    raise ValueError(f"cannot read {secret_text[:4]}\nDETAIL: {secret_text}")


urlpatterns = [path("broken/<str:token>/", broken)]


@pytest.fixture
def written() -> Iterator[Written]:
    """The lines that were logged so far, each parsed."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(form="json"))
    handler.addFilter(SafePaths())
    logging.getLogger().addHandler(handler)
    level = logging.getLogger(ACCESS).level
    logging.getLogger(ACCESS).setLevel("DEBUG")
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.getLogger(ACCESS).setLevel(level)
    logging.getLogger().removeHandler(handler)


def only_line(written: Written) -> dict[str, Any]:
    [line] = [line for line in written() if line["logger"] == ACCESS]
    return line


def test_a_request_leaves_one_line_with_its_id_user_status_and_time(client: Client, written: Written) -> None:
    user = services.local_user()
    client.force_login(user)
    response = client.get("/sources/?q=private+words")
    line = only_line(written)
    assert (line["method"], line["path"], line["status"]) == ("GET", "/sources/", 200)
    assert line["user_id"] == user.pk
    assert line["request_id"] == response["X-Request-ID"]
    assert 0 < line["elapsed_ms"] < 60_000
    assert "private" not in json.dumps(line)


@pytest.mark.parametrize("asked", ["/enter/abc-secret/", "/r/abc-secret/", "/r/abc-secret", "/r/abc-secret/nothing/"])
def test_a_token_is_never_written(client: Client, written: Written, asked: str) -> None:
    client.get(asked)
    assert only_line(written)["path"] in ("/enter/<token>/", "/r/<token>/", "/r/…")
    assert "secret" not in json.dumps(written())


def test_an_id_is_written(client: Client, written: Written) -> None:
    client.get("/jobs/8e7a2d4c-5b52-4d5e-9d1c-0a4c3d1f2b6a/")
    assert only_line(written)["path"] == "/jobs/8e7a2d4c-5b52-4d5e-9d1c-0a4c3d1f2b6a/"


@pytest.mark.urls("tests.test_request_log")
def test_an_unexpected_error_is_logged_once_with_its_traceback_and_no_text(client: Client, written: Written) -> None:
    client.raise_request_exception = False
    response = client.get("/broken/abc-secret/")
    assert response.status_code == 500
    [line] = [line for line in written() if line["logger"] == "django.request"]
    assert line["event"] == "Internal Server Error: /broken/<token>/"
    assert line["request_id"] == response["X-Request-ID"]
    [error] = line["exception"]
    assert (error["exc_type"], error["exc_value"]) == ("ValueError", "cannot read what")
    assert error["frames"][-1]["name"] == "broken"
    assert "secret" not in json.dumps(line)
    assert "somebody wrote" not in json.dumps(line)


@pytest.mark.parametrize(
    ("trusted", "given", "taken"),
    [
        (True, "edge-7f3a91c2", True),
        (False, "edge-7f3a91c2", False),
        (True, "short", False),
        (True, "x" * 65, False),
        (True, "has spaces in it", False),
        (True, "line\nbreak-0123", False),
    ],
)
def test_an_id_is_taken_over_from_a_trusted_proxy_only(
    client: Client, written: Written, settings: Any, *, trusted: bool, given: str, taken: bool
) -> None:
    settings.TRUST_PROXY = trusted
    response = client.get("/sign-in/", headers={"X-Request-ID": given})
    assert (response["X-Request-ID"] == given) is taken
    assert only_line(written)["request_id"] == response["X-Request-ID"]


def test_what_a_supervisor_asks_is_not_worth_a_line_while_all_is_well(client: Client, written: Written) -> None:
    client.get("/health/")
    assert only_line(written)["level"] == "debug"


def test_that_it_is_not_ready_is_logged_once_with_its_reason(
    client: Client, written: Written, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "readers", Readers())
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)  # on a busy machine a refusal takes a while, too
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert client.get("/ready/").status_code == 503
    [told] = [line for line in written() if line["level"] in ("warning", "error")]
    assert (told["event"], told["part"], told["logger"]) == ("not ready", "broker", "budgeteer.operations.readiness")
    assert told["reason"].startswith("Redis does not answer: ")
    assert told["request_id"] == only_line(written)["request_id"]


def test_a_wrong_host_name_is_one_sentence_without_a_traceback(client: Client, written: Written) -> None:
    assert client.get("/sign-in/", headers={"Host": "attacker.example.org"}).status_code == 400
    [told] = [line for line in written() if line["logger"] == "django.security.DisallowedHost"]
    assert told["event"].startswith("Invalid HTTP_HOST header: 'attacker.example.org'.")
    assert "exception" not in told


def test_the_path_of_an_unknown_request_is_cut_after_its_first_part(rf: Any) -> None:
    assert loggable_path(rf.get("/")) == "/"
    assert loggable_path(rf.get("/favicon.ico")) == "/favicon.ico"
    assert loggable_path(rf.get(f"/{'a' * 100}/b")) == f"/{'a' * 40}/…"
