"""Team mode with an OpenID Connect provider: people come by it in a real browser, and it looks right in every state."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from oidc_provider_mock import run_server_in_thread
from playwright.sync_api import Page, expect

from tests.browser.conftest import sign_in_with
from tests.browser.stack import Stack, running_stack
from tests.browser.test_every_page import failures

ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "a long enough password"
MAKE_PEOPLE = f"""
from django.contrib.auth.models import User
from budgeteer.access.rules import AccountRole, set_role
User.objects.create_superuser("ada", password={PASSWORD!r}, email="ada@harbour.example")
set_role(User.objects.create_user("ingrid", email="ingrid@elsewhere.example"), AccountRole.EDITOR)
set_role(User.objects.create_user("hugo", password={PASSWORD!r}), AccountRole.EDITOR)
"""
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass(frozen=True)
class Provider:
    """The provider: its address, and the people it knows."""

    address: str

    def knows(self, subject: str, **claims: object) -> None:
        httpx2.put(f"{self.address}/users/{subject}", json=claims).raise_for_status()


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    patch = pytest.MonkeyPatch()
    patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")  # the provider's own wish, where it speaks HTTP
    with run_server_in_thread() as server:
        yield Provider(f"http://localhost:{server.server_port}")
    patch.undo()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Stack]:
    data_dir = tmp_path_factory.mktemp("provided")
    settings = {
        "BUDGETEER_MODE": "team",
        "BUDGETEER_HTTPS": "no",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "BUDGETEER_OIDC_ISSUER": provider.address,
        "BUDGETEER_OIDC_CLIENT_ID": "the-dashboard",
        "BUDGETEER_OIDC_CLIENT_SECRET": "its secret",
        "BUDGETEER_OIDC_TITLE": "Harbour ID",
        "BUDGETEER_OIDC_DOMAINS": "harbour.example",
    }
    with running_stack(data_dir, **settings) as running:
        command = [sys.executable, "manage.py", "shell", "-c", MAKE_PEOPLE]
        subprocess.run(command, cwd=ROOT, env=running.variables, check=True, capture_output=True)
        yield replace(running, address=running.address.replace("127.0.0.1", "localhost"))


def somebody(visitor, team: Stack, path: str = "/", *, forgiving: str = "") -> Page:
    someone = visitor(known=False, address=team.address)
    someone.forgive(r"/oauth2/\w+\?.*Failed to load resource")  # the provider's page has a style sheet of the Internet
    someone.context.route(lambda address: urlsplit(address).hostname != "localhost", lambda route: route.abort())
    if forgiving:
        someone.forgive(forgiving)
    return someone.open(path)


def through_the_provider(page: Page, subject: str) -> None:
    """Sign in there, by the keyboard."""
    page.get_by_role("link", name="Sign in with Harbour ID").press("Enter")
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()
    page.get_by_label("Subject").fill(subject)
    page.keyboard.press("Enter")


def sign_out(page: Page) -> None:
    page.get_by_label("Menu", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def is_accessible(page: Page) -> None:
    page.wait_for_load_state()  # with its styles: a text may be there before them
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert failures(page) == []


def test_an_invited_person_comes_in_where_they_wanted_to_go_and_signs_out_at_both(visitor, team, provider):
    provider.knows("s-ingrid", email="ingrid@elsewhere.example", email_verified=True)
    page = somebody(visitor, team, "/presets/")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()  # a password does as well
    is_accessible(page)
    through_the_provider(page, "s-ingrid")
    expect(page).to_have_url(f"{team.address}/presets/")
    page.goto(f"{team.address}/account/single-sign-on/")
    expect(page.get_by_text("Your account is connected: Harbour ID signs you in.")).to_be_visible()
    expect(page.get_by_text("this is its only way in")).to_be_visible()
    is_accessible(page)
    sign_out(page)
    expect(page.get_by_role("status").filter(has_text="You are signed out here.")).to_be_visible()
    is_accessible(page)
    page.get_by_role("link", name="sign out there too").click()
    expect(page).to_have_url(re.compile(re.escape(provider.address)))


def test_somebody_of_an_allowed_domain_comes_in_as_a_viewer(visitor, team, provider):
    provider.knows("s-jan", email="jan@harbour.example", email_verified=True)
    page = somebody(visitor, team)
    through_the_provider(page, "s-jan")
    expect(page.get_by_text("Your account is a viewer")).to_be_visible()


def test_a_stranger_is_told_why_and_led_back(visitor, team, provider):
    provider.knows("s-eve", email="eve@nowhere.example", email_verified=True)
    page = somebody(visitor, team, forgiving="status of 403")
    through_the_provider(page, "s-eve")
    expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()
    is_accessible(page)
    page.get_by_role("link", name="Back to sign-in").click()
    page.get_by_role("link", name="Sign in with Harbour ID").click()
    page.get_by_role("button", name="Deny access").click()
    expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()


def test_an_account_is_connected_asks_for_its_passkey_after_the_provider_and_is_disconnected(visitor, team, provider):
    page = somebody(visitor, team, "/account/single-sign-on/")
    sign_in_with(page, "hugo", PASSWORD)
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Continue to Harbour ID").press("Enter")
    page.get_by_label("Subject").fill("s-hugo")
    page.keyboard.press("Enter")
    expect(page.get_by_text("It signs you in from now on.")).to_be_visible()

    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    page.goto(f"{team.address}/account/second-factor/")
    making = page.locator("form[data-passkey=make]")
    making.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator("#with-passkeys-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    recovery = page.locator("#recovery-codes li")
    expect(recovery).to_have_count(10)
    is_accessible(page)
    code = recovery.first.inner_text()

    sign_out(page)
    page.goto(f"{team.address}/presets/")
    through_the_provider(page, "s-hugo")
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    is_accessible(page)
    page.get_by_role("button", name="Use a passkey").press("Enter")
    expect(page).to_have_url(f"{team.address}/presets/")

    sign_out(page)
    sign_in_with(page, "hugo", PASSWORD)
    page.get_by_label("Recovery code").fill(code)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("context window")

    page.goto(f"{team.address}/account/second-factor/")
    page.get_by_text("Remove passkey").press("Enter")
    page.locator("details.more input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("all that your second factor has")).to_be_visible()
    page.goto(f"{team.address}/account/single-sign-on/")
    page.locator("#disconnect-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("no longer connected to Harbour ID")).to_be_visible()
