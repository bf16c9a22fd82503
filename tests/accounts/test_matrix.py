"""Every URL x everybody x GET and POST, held to the table of matrix.py; the URLs come from the URL conf itself."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, reverse

from budgeteer.access.rules import AccountRole, set_role
from budgeteer.accounts.checks import NO_RULE, Route, check_every_view_has_a_rule, every_route
from budgeteer.operations import readiness
from tests.accounts.matrix import PERSONS, ROWS, Row
from tests.accounts.world import World, make_people, make_world

SHARED_PARTS = ("workspace_id>", "collection_id>", "run_id>")
"""What of a path names something that may be shared with a team."""


def key_of(route: Route) -> str:
    """What a route is called in the table: its name, or its path where it has none."""
    return route.name or route.path


def test_every_url_has_a_row_and_every_row_a_url() -> None:
    urls = {key_of(route) for route in every_route()}
    assert sorted(urls - set(ROWS)) == [], "URLs without a row in tests/accounts/matrix.py"
    assert sorted(set(ROWS) - urls) == [], "rows of tests/accounts/matrix.py without a URL"


def test_every_view_has_a_rule() -> None:
    assert [route.path for route in every_route() if route.rule is None] == []
    assert check_every_view_has_a_rule() == []


@pytest.mark.django_db
def test_no_post_is_taken_without_the_token_of_a_form(team: None) -> None:
    ada = Client(enforce_csrf_checks=True)
    ada.force_login(make_people()["owner"])
    taken, refused = [], 0
    for route in every_route():
        address = "/" + re.sub(r"<uuid:\w+>", "0" * 8 + "-0000" * 3 + "-" + "0" * 12, route.path)
        address = re.sub(r"<\w+:\w+>|<\w+>", "1", address)
        status = ada.post(address).status_code
        refused += status == 403
        if status not in {401, 403, 404, 405}:
            taken.append((route.path, status))
    assert taken == []
    assert refused > 30


@pytest.mark.slow
@pytest.mark.django_db
def test_every_url_answers_everybody_as_the_table_says(team: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)  # who may ask is looked at here, not how fast a part answers
    someone = make_people()
    world = make_world(someone["owner"])
    cookies = {name: cookies_of(someone.get(name)) for name in PERSONS} | {"demoted": cookies_of(someone["owner"])}
    differences, asked = [], 0
    for route in every_route():
        row = ROWS.get(key_of(route))
        if row is None:
            continue  # the test above names it
        for is_shared, expected in ((False, row), (True, row.shared or row)):
            if is_shared and not any(part in route.path for part in SHARED_PARTS):
                continue
            address = address_of(route, world, is_shared=is_shared)
            differences += compare(address, expected, world, cookies)
            asked += 2 * len(PERSONS)
    assert differences == []
    assert asked > 12 * len(ROWS)


def compare(address: str, expected: Row, world: World, cookies: dict[str, SimpleCookie]) -> list[str]:
    """A line for each answer that is not the expected one."""
    found = []
    for method, answers in (("GET", expected.get), ("POST", expected.post)):
        for person, status in zip(PERSONS, answers, strict=True):
            got = status_of(address, method, person, expected, world, cookies[person])
            if got != status:
                found.append(f"{method} {address} as {person}: {got}, not {status}")
    return found


def status_of(address: str, method: str, person: str, row: Row, world: World, cookies: SimpleCookie) -> int:  # noqa: PLR0917
    """The status of one request; whatever it changed is undone."""
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    client.cookies = SimpleCookie(cookies.output(header="", sep=";"))
    with transaction.atomic():
        if person == "demoted":
            set_role(world.owner, AccountRole.VIEWER)
        answer = client.get(address) if method == "GET" else client.post(address, row.data)
        if (
            answer.status_code == 302
            and person == "anonymous"
            and not address.startswith(("/enter/", "/r/", "/sign-in/code/", "/sign-in/passkey/"))
        ):
            assert answer["Location"].startswith("/sign-in/?next="), address
        read(answer)
        transaction.set_rollback(True)
    return answer.status_code


def read(answer: HttpResponse) -> None:
    """Read a download to its end, which closes its file."""
    if answer.streaming:
        b"".join(answer.streaming_content)


def address_of(route: Route, world: World, *, is_shared: bool) -> str:
    """The route's address with the ids of real rows in it."""
    arguments = world.arguments(route.path, is_shared=is_shared)
    if route.name:
        return reverse(route.name, kwargs=arguments)
    return "/" + route.path.replace("<path:object_id>", str(arguments.get("object_id"))).replace(
        "(?P<url>.*)$", "nothing/here/"
    )


def cookies_of(user: User | None) -> SimpleCookie:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.cookies


# ---- a view that says nothing about who may open it ----


def silent(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("nobody said who may read this")


urlpatterns = [path("silent/", silent, name="silent"), path("", include("budgeteer.urls"))]


@pytest.mark.django_db
def test_a_view_without_a_rule_is_refused_to_everybody_and_named_by_the_check(settings: object) -> None:
    settings.ROOT_URLCONF = __name__  # type: ignore[attr-defined]
    error = next(error for error in check_every_view_has_a_rule() if "silent" in error.msg)
    assert error.id == NO_RULE
    assert "silent at /silent/ has no access rule" in error.msg
    for user in (None, *make_people().values()):
        client = Client()
        if user is not None:
            client.force_login(user)
        answer = client.get("/silent/")
        assert answer.status_code == 403
        assert b"nobody said who may read this" not in answer.content
        assert "so nobody may" in answer.content.decode()
