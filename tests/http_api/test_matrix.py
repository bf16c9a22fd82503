"""Every operation x everybody: nobody, viewer, owner, owner made a viewer, other editor, editor of another team and
administrator by a token of every scope; the owner by a token of each single scope, an expired one and a revoked one.

The operations come from the URL conf by way of the interface; what is expected follows from one row for each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, Client, encode_multipart
from django.utils import timezone

from budgeteer.access.rules import AccountRole, role_of, set_role
from budgeteer.accounts.checks import every_route
from budgeteer.http_api.interface import operations_by_route
from budgeteer.http_api.routing import Declared
from budgeteer.tokens import services as tokens
from budgeteer.tokens.models import AccessToken
from budgeteer.tokens.scopes import Scope
from tests.accounts.world import World, make_people, make_world
from tests.http_api.callers import token_of
from tests.standing_rows import standing_rows

SENT = {"file": ("more.json", b"{}"), "offset": "7", "sha256": "0" * 64}


@dataclass(frozen=True)
class Expected:
    """What the owner gets, and what somebody else does; `body` is sent as JSON, `form` as multipart."""

    owner: int
    other: int
    body: dict[str, Any] | None = None
    form: dict[str, Any] = field(default_factory=dict)


OWNED, SHARED = 404, 200
ROWS: dict[tuple[str, str], Expected] = {
    ("GET", "me"): Expected(200, 200),
    ("GET", "sources"): Expected(200, 200),
    ("POST", "sources"): Expected(201, 201, form={"file": ("new.json", b'{"messages": []}')}),
    ("GET", "sources/<uuidstr:source_id>"): Expected(200, OWNED),
    ("DELETE", "sources/<uuidstr:source_id>"): Expected(204, OWNED),
    ("POST", "sources/<uuidstr:source_id>/append"): Expected(409, OWNED, form=SENT),
    ("GET", "sources/<uuidstr:source_id>/items"): Expected(200, OWNED),
    ("GET", "sources/<uuidstr:source_id>/content"): Expected(200, OWNED),
    ("GET", "workspaces"): Expected(200, 200),
    ("POST", "workspaces"): Expected(201, 201, body={"name": "New"}),
    ("GET", "workspaces/<uuidstr:workspace_id>"): Expected(200, OWNED),
    ("PATCH", "workspaces/<uuidstr:workspace_id>"): Expected(200, OWNED, body={"name": "Quay"}),
    ("DELETE", "workspaces/<uuidstr:workspace_id>"): Expected(204, OWNED),
    ("GET", "workspaces/<uuidstr:workspace_id>/preview"): Expected(200, OWNED),
    ("GET", "workspaces/<uuidstr:workspace_id>/request"): Expected(200, OWNED),
    ("POST", "workspaces/<uuidstr:workspace_id>/reports"): Expected(201, OWNED, body={}),
    ("POST", "pack"): Expected(
        200, 200, body={"request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "How deep?"}]}}
    ),
    ("GET", "jobs/<uuidstr:job_id>"): Expected(200, OWNED),
    ("POST", "jobs/<uuidstr:job_id>/cancel"): Expected(200, OWNED, body={}),
    ("GET", "collections"): Expected(200, 200),
    ("POST", "collections"): Expected(201, 201, body={"name": "Talks"}),
    ("GET", "collections/<uuidstr:collection_id>"): Expected(200, OWNED),
    ("GET", "collections/<uuidstr:collection_id>/evaluations"): Expected(200, OWNED),
    ("POST", "collections/<uuidstr:collection_id>/evaluations"): Expected(201, OWNED, body={"configs": [{}]}),
    ("GET", "evaluations/<uuidstr:run_id>"): Expected(200, OWNED),
    ("POST", "evaluations/<uuidstr:run_id>/cancel"): Expected(200, OWNED, body={}),
    ("POST", "evaluations/<uuidstr:run_id>/reports"): Expected(201, OWNED, body={}),
    ("GET", "presets"): Expected(200, 200),
    ("GET", "presets/<slug:slug>"): Expected(200, 200),
    ("GET", "presets/<slug:slug>/versions/<int:number>"): Expected(200, 200),
    ("GET", "reports"): Expected(200, 200),
    ("GET", "reports/<uuidstr:report_id>"): Expected(200, OWNED),
    ("POST", "reports/<uuidstr:report_id>/revoke"): Expected(200, OWNED, body={}),
}
OPERATIONS = {(method, path): one for path, by_method in operations_by_route() for method, one in by_method.items()}


def status_of(world: World, operation: tuple[str, str], token: str, *, is_shared: bool = False) -> int:
    """The status of one request; whatever it changed is undone."""
    method, path = operation
    expected = ROWS[operation]
    address = path
    for name, value in world.arguments(path, is_shared=is_shared).items():
        for kind in ("uuidstr", "slug", "int"):
            address = address.replace(f"<{kind}:{name}>", str(value))
    sent: dict[str, Any] = {"content_type": "application/json"}
    if expected.form:
        data = {key: uploaded(value) for key, value in expected.form.items()}
        sent = {"data": encode_multipart(BOUNDARY, data), "content_type": MULTIPART_CONTENT}
    elif expected.body is not None:
        sent["data"] = json.dumps(expected.body)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    with transaction.atomic():
        answer = client.generic(method, f"/api/v1/{address}", headers=headers, **sent)
        if answer.streaming:
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json", answer.content
        assert {"type", "title", "status", "detail", "where", "hint"} <= answer.json().keys()
    return answer.status_code


def uploaded(value: Any) -> Any:
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile(*value) if isinstance(value, tuple) else value


def allowed(declared: Declared, user: User) -> bool:
    """Whether a role goes as far as an operation's scope."""
    return declared.scope is None or (role_of(user) or 0) >= declared.scope.role


def full_token(user: User) -> str:
    """A token of every scope, whatever the role: a token that was made before somebody became a viewer."""
    secret = token_of(user, [Scope.PRESETS_READ])
    AccessToken.objects.filter(owner=user).update(scopes=[scope.label for scope in Scope])
    return secret


@dataclass(frozen=True)
class Standing:
    """Everybody, and what their owner has."""

    people: dict[str, User]
    world: World


def make_everything() -> Standing:
    with override_settings(BUDGETEER_MODE="team"):
        people = make_people()
        return Standing(people, make_world(people["owner"]))


@pytest.fixture(scope="module")
def standing_rows_of_all(django_db_setup: None, django_db_blocker: Any) -> Iterator[Callable[[], Standing]]:
    yield from standing_rows(make_everything, django_db_blocker)


@pytest.fixture
def standing(standing_rows_of_all: Callable[[], Standing], db: None) -> Standing:
    return standing_rows_of_all()


@pytest.fixture
def people(standing: Standing) -> dict[str, User]:
    return standing.people


@pytest.fixture
def world(standing: Standing, team: None, settings: Any) -> World:
    settings.API_REQUESTS_PER_MINUTE = settings.API_STRANGERS_PER_MINUTE = 1_000_000
    return standing.world


@pytest.fixture
def team(settings: Any) -> None:
    settings.BUDGETEER_MODE = "team"


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    assert set(OPERATIONS) == set(ROWS)


def test_whoever_may_only_write_is_told_of_no_change_what_it_came_to() -> None:
    changes = {operation for operation, declared in OPERATIONS.items() if declared.reading is not None}
    writing = {one for one in OPERATIONS if one[0] != "GET" and ROWS[one].owner == 200} | {
        ("POST", "sources/<uuidstr:source_id>/append")
    }
    assert changes == writing - {("POST", "pack")}


def test_every_address_of_the_interface_is_in_the_url_conf() -> None:
    routes = {route.path.removeprefix("api/v1/") for route in every_route() if route.path.startswith("api/v1/")}
    assert {path for _, path in OPERATIONS} <= routes


def test_every_operation_answers_everybody_as_its_row_says(world: World, people: dict[str, User]) -> None:
    secrets = {name: full_token(user) for name, user in people.items()}
    differences = []
    for operation, declared in OPERATIONS.items():
        row = ROWS[operation]
        expected = {"": 401}
        for name, user in people.items():
            there = row.owner if name == "owner" else row.other
            expected[name] = there if allowed(declared, user) else 403
        for name, status in expected.items():
            got = status_of(world, operation, secrets.get(name, ""))
            if got != status:
                differences.append(f"{operation} as {name or 'nobody'}: {got}, not {status}")
    assert differences == []


@pytest.mark.parametrize("kind", ["workspace_id", "collection_id", "run_id"])
def test_what_a_team_shares_its_members_look_at_and_change_nothing(
    kind: str, world: World, people: dict[str, User]
) -> None:
    secrets = {name: full_token(people[name]) for name in ("other", "stranger", "admin")}
    for operation in OPERATIONS:
        if kind in operation[1]:
            for name, secret in secrets.items():
                expected = 200 if operation[0] == "GET" and name == "other" else 404
                assert status_of(world, operation, secret, is_shared=True) == expected, (operation, name)


def test_an_owner_made_a_viewer_looks_and_changes_nothing(world: World, people: dict[str, User]) -> None:
    secret = full_token(world.owner)
    set_role(world.owner, AccountRole.VIEWER)
    for operation, declared in OPERATIONS.items():
        may = declared.scope is None or declared.scope.role is AccountRole.VIEWER
        assert status_of(world, operation, secret) == (ROWS[operation].owner if may else 403), operation


@pytest.mark.parametrize("scope", Scope)
def test_a_token_of_one_scope_opens_what_names_that_scope_and_nothing_else(scope: Scope, world: World) -> None:
    secret = token_of(world.owner, [scope])
    for operation, declared in OPERATIONS.items():
        opened = ROWS[operation].owner if declared.reading is None or ROWS[operation].owner != 200 else 204
        expected = opened if declared.scope in {None, scope} else 403
        assert status_of(world, operation, secret) == expected, operation


def test_a_token_that_has_ended_opens_nothing(world: World, people: dict[str, User]) -> None:
    expired, revoked, closed = (full_token(people[name]) for name in ("owner", "other", "viewer"))
    AccessToken.objects.filter(owner=people["owner"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    tokens.revoke(AccessToken.objects.get(owner=people["other"]))
    User.objects.filter(pk=people["viewer"].pk).update(is_active=False)
    for operation in OPERATIONS:
        for secret in (expired, revoked, closed, "bgt_made-up", "é", "x" * 500):
            assert status_of(world, operation, secret) == 401, operation
