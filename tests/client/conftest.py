"""A dashboard that answers the client within the test's own process and database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from budgeteer.client.remote import Remote


@pytest.fixture
def owner(db: None) -> Any:
    from tests import people

    return people.editor("ada")


@pytest.fixture
def remote(owner: Any) -> Iterator[Remote]:
    """A client with a token of every scope; whenever it waits, the jobs that wait are done."""
    import httpx2
    from django.core.signals import request_finished, request_started
    from django.core.wsgi import get_wsgi_application
    from django.db import close_old_connections

    from budgeteer.client.connection import Connection
    from budgeteer.client.remote import Remote
    from tests.http_api.callers import do_jobs, token_of

    for signal in (request_started, request_finished):  # the test's connection stays, as with Django's own client
        signal.disconnect(close_old_connections)
    transport = httpx2.WSGITransport(get_wsgi_application())
    connection = Connection("http://localhost", token_of(owner), transport=transport, sleep=lambda _: None)
    with Remote(connection, sleep=lambda _: do_jobs()) as found:
        yield found
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Settings and state of the client in a folder of the test's own."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("BUDGETEER_URL", "BUDGETEER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return lambda: tmp_path
