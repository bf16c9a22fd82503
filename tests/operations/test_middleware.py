"""A view that ends in what Python does not call an Exception is answered as any other mistake."""

from __future__ import annotations

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from budgeteer.access.rules import public
from budgeteer.operations.middleware import PanicMiddleware

pytestmark = pytest.mark.django_db


class Panic(BaseException):
    """What a panic of native code is in Python."""


@public
def panic(request: HttpRequest) -> None:
    """A view whose tokenizer overflows its stack."""
    raise Panic("somebody wrote this")


urlpatterns = [path("panic/", panic)]


@pytest.mark.urls("tests.operations.test_middleware")
def test_a_panic_is_answered_with_a_page_that_explains(caplog: pytest.LogCaptureFixture) -> None:
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    response = client.get("/panic/")
    assert response.status_code == 500
    assert "Something broke on our side" in response.content.decode()
    assert "somebody wrote this" not in response.content.decode()
    [line] = [record for record in caplog.records if record.name == "django.request"]
    assert line.exc_info is not None


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit, ValueError])
def test_what_ends_the_process_and_plain_errors_pass(ending: type[BaseException]) -> None:
    def view(_request: HttpRequest) -> None:
        raise ending

    with pytest.raises(ending):
        PanicMiddleware(view)(HttpRequest())  # type: ignore[arg-type]
