"""Team mode: real sign-in, and what each of two people may see and do."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import sign_in_with
from tests.browser.stack import Stack, running_stack
from tests.browser.steps import open_sample, publish
from tests.browser.test_every_page import failures

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a long enough password"
MAKE_PEOPLE = f"""
from django.contrib.auth.models import User
User.objects.create_superuser("ada", password={PASSWORD!r})
User.objects.create_user("bob", password={PASSWORD!r})
"""


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory):
    data_dir = tmp_path_factory.mktemp("team")
    settings = {
        "BUDGETEER_MODE": "team",
        "BUDGETEER_HTTPS": "no",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1",
    }
    with running_stack(data_dir, **settings) as running:
        subprocess.run(
            [sys.executable, "manage.py", "shell", "-c", MAKE_PEOPLE],
            cwd=ROOT,
            env=running.variables,
            check=True,
            capture_output=True,
        )
        yield running


def sign_in(visitor, team: Stack, name: str, *, password: str = PASSWORD) -> Page:
    someone = visitor(known=False)
    someone.address = team.address
    page = someone.open("/")
    expect(page).to_have_url(f"{team.address}/sign-in/?next=/")
    sign_in_with(page, name, password)
    return page


def test_the_sign_in_page_is_accessible_and_refuses_a_wrong_password(visitor, team):
    page = sign_in(visitor, team, "ada", password="wrong")
    expect(page.get_by_role("alert")).to_contain_text("do not match")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert failures(page) == []


def test_a_colleague_sees_neither_the_others_work_nor_the_admin_but_may_read_what_is_shared(visitor, team):
    ada = sign_in(visitor, team, "ada")
    open_sample(ada, "A tool catalogue over its limit")
    workspace = ada.url
    ada.locator("#share").click()
    link = publish(ada)

    bob = sign_in(visitor, team, "bob")
    expect(bob.get_by_role("heading", level=1)).to_contain_text("context window")
    expect(bob.locator("main")).to_contain_text("None yet")
    for address in (workspace, f"{team.address}/admin/"):
        answer = bob.request.get(address, max_redirects=0)
        assert answer.status in {302, 404}
    bob.goto(f"{team.address}/presets/")
    expect(bob.get_by_role("link", name="Edit in the admin")).to_have_count(0)
    bob.goto(f"{team.address}/reports/")
    expect(bob.get_by_role("heading", name="Nothing is shared")).to_be_visible()
    bob.goto(link)
    expect(bob.locator(".verdict strong")).to_be_visible()
