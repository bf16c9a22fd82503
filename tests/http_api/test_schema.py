"""Every operation against its own description: made-up requests, right and wrong, with a token and without one.

The OpenAPI document is the oracle: a status, a type or a key that it does not name is an error, and so is any 5xx.
Ids in addresses are those of real rows, so that requests get as far as they can; what one changes is undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from budgeteer.http_api.interface import openapi_document
from tests.accounts.world import World, make_people, make_world
from tests.examples import examples
from tests.http_api.callers import token_of
from tests.standing_rows import standing_rows

CHECKS = [content_type_conformance, response_schema_conformance, status_code_conformance]


def whole(app: Any) -> Any:
    """The application with every answer read to its end and closed, as a server does it."""

    def answered(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        answer = app(environ, start_response)
        try:
            return [b"".join(answer)]
        finally:
            answer.close()

    return answered


SCHEMA = schemathesis.openapi.from_dict(openapi_document())
SCHEMA.app = whole(get_wsgi_application())
SCHEMA.config.update(base_url="http://localhost")
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}


@pytest.fixture(scope="module")
def standing_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[Callable[[], World]]:
    yield from standing_rows(lambda: make_world(make_people()["owner"]), django_db_blocker)


@pytest.fixture
def world(standing_world: Callable[[], World], db: None) -> World:
    return standing_world()


@pytest.fixture(autouse=True)
def _unlimited(settings: Any) -> None:
    settings.API_REQUESTS_PER_MINUTE = settings.API_STRANGERS_PER_MINUTE = 1_000_000


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the test's connection between requests, as Django's own client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def requests_of(label: str) -> st.SearchStrategy[Any]:
    operation = OPERATIONS[label]
    return st.one_of(operation.as_strategy(generation_mode=mode) for mode in _modes(operation))


def _modes(operation: Any) -> list[GenerationMode]:
    """A request without any input cannot be wrong."""
    has_input = bool(operation.body) or bool(operation.query) or bool(operation.headers)
    return [GenerationMode.POSITIVE, GenerationMode.NEGATIVE] if has_input else [GenerationMode.POSITIVE]


def aimed(case: Any, world: World, *, token: str) -> Any:
    """The request with the ids of real rows, and with this token."""
    real = {
        "source_id": world.source.id,
        "workspace_id": world.workspace.id,
        "job_id": world.job.id,
        "report_id": world.report.id,
        "collection_id": world.runs[0].collection_id,
        "run_id": world.runs[0].id,
        "slug": world.version.preset.slug,
        "number": 1,
    }
    case.path_parameters = {name: str(real[name]) for name in case.path_parameters or {}}
    made_up = {name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"}
    case.headers = {**made_up, "Accept-Encoding": "identity", **({"Authorization": f"Bearer {token}"} if token else {})}
    return case


def test_every_operation_is_looked_at() -> None:
    assert len(OPERATIONS) > 20


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_an_operation_answers_as_it_is_described(label: str, world: World) -> None:
    token = token_of(world.owner)
    statuses: set[int] = set()

    @settings(max_examples=examples(12), suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=requests_of(label))
    def ask(case: Any) -> None:
        with transaction.atomic():
            response = aimed(case, world, token=token).call()
            transaction.set_rollback(True)
        statuses.add(response.status_code)
        assert response.status_code < 500, response.text
        case.validate_response(response, checks=CHECKS)

    ask()
    assert 401 not in statuses


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_an_operation_tells_nothing_without_a_token(label: str, world: World) -> None:
    @settings(max_examples=examples(4), suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=requests_of(label))
    def ask(case: Any) -> None:
        response = aimed(case, world, token="").call()
        assert response.status_code == 401, response.text
        assert str(world.source.name) not in response.text
        case.validate_response(response, checks=CHECKS)

    ask()
