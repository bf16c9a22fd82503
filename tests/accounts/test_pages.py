"""What holds of every page that a view answers, found by the URL conf."""

from __future__ import annotations

import re

import pytest
from django.template import engines
from django.test import Client

from budgeteer.accounts.checks import every_route
from tests.accounts.test_matrix import address_of, key_of
from tests.accounts.world import make_people, make_world
from tests.browser.filled import ONLY_IN_TEAM_MODE, VIEW_OF_PAGE

OPTIONAL = {"draft", "caption", "word", "ids"}
"""What a part of several pages prints only where a page gives it."""


@pytest.fixture
def pages(team: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The page of every view that answers the owner of everything, or an administrator, or nobody, with one."""
    someone = make_people()
    world = make_world(someone["owner"])
    monkeypatch.setattr(engines["django"].engine, "string_if_invalid", "no such name: %s;")
    found: dict[str, str] = {}
    for person in ("owner", "admin", "anonymous"):
        client = Client(SERVER_NAME="localhost")
        if person in someone:
            client.force_login(someone[person])
        for route in every_route():
            name = key_of(route)
            if name.startswith("admin") or name in found:  # the admin's pages are Django's
                continue
            answer = client.get(address_of(route, world, is_shared=False))
            if answer.streaming:
                b"".join(answer.streaming_content)  # which closes its file
            elif "Content-Disposition" in answer.headers:  # a file to keep, not a page to look at
                continue
            elif answer.status_code == 200 and answer.content.lstrip().lower().startswith(b"<!doctype html"):
                found[name] = answer.content.decode()
    return found


@pytest.mark.django_db
def test_every_page_prints_names_that_its_view_has_and_is_looked_at_in_the_browser(pages: dict[str, str]) -> None:
    printed = {name: set(re.findall(r"no such name: ([^;]*);", html)) - OPTIONAL for name, html in pages.items()}
    assert {name: missing for name, missing in printed.items() if missing} == {}
    assert len(pages) > 15
    unlooked_at = pages.keys() - set(VIEW_OF_PAGE.values())
    assert unlooked_at == ONLY_IN_TEAM_MODE, "pages without a row in tests/browser/filled.py"
