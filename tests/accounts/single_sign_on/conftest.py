"""A real OpenID Connect provider in a thread, and browsers that go through it over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from django.http import HttpResponse
from django.test import Client
from oidc_provider_mock import run_server_in_thread

from budgeteer.accounts.single_sign_on.provider import forget_providers
from budgeteer.accounts.single_sign_on.settings import ProviderSettings

BROWSER = httpx2.Client(verify=False, trust_env=False)
"""Without certificates, which take longer to read than all the rest, and which HTTP has no use for."""

START, RETURN = "/sign-in/provider/", "/sign-in/provider/return/"
CLIENT_ID = "the-dashboard"

type Change = Callable[[dict[str, str]], dict[str, str]]


@dataclass(frozen=True)
class Provider:
    """The provider as a test sees it: its address, the people it knows, and their way through it."""

    address: str

    def knows(self, subject: str, **claims: object) -> None:
        """Set what its tokens say of somebody; a claim of the token itself takes the place of the right one."""
        BROWSER.put(f"{self.address}/users/{subject}", json=claims).raise_for_status()

    def signs_in(self, subject: str, asked: str, *, change: Change = dict) -> str:
        """Where the browser is sent back to, with the parameters that it was asked with changed."""
        parts = urlsplit(asked)
        query = change(dict(parse_qsl(parts.query)))
        page = f"{self.address}{parts.path}?{urlencode(query)}"
        answer = BROWSER.post(page, data={"sub": subject})
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def denies(self, asked: str) -> str:
        answer = BROWSER.post(asked, data={"action": "deny"})
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]


@pytest.fixture(scope="session")
def _server() -> Iterator[str]:
    patch = pytest.MonkeyPatch()
    patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")  # the provider's own wish, where it speaks HTTP
    with run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"
    patch.undo()


@pytest.fixture
def provider(_server: str, team: None, settings: object) -> Provider:
    """The dashboard with a provider, which lets those in who were invited, and people of harbour.example."""
    forget_providers()
    settings.OIDC_PROVIDER = ProviderSettings(  # type: ignore[attr-defined]
        issuer=_server,
        client_id=CLIENT_ID,
        client_secret="its secret",
        title="Harbour ID",
        domains=("harbour.example",),
    )
    return Provider(_server)


def begun(client: Client, **query: str) -> str:
    """Where the sign-in link leads: the provider."""
    answer = client.get(START, query)
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def come_back(client: Client, address: str) -> HttpResponse:
    """Follow the provider's redirect into the dashboard."""
    parts = urlsplit(address)
    assert parts.path == RETURN
    return client.get(f"{parts.path}?{parts.query}")


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session
