"""The page of access tokens: made, shown once, listed, revoked."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from budgeteer.access.bearer import TokenHolder, TokenProblem
from budgeteer.engine.errors import InputError
from budgeteer.jobs.cleanup import clean_up
from budgeteer.tokens import services
from budgeteer.tokens.models import AccessToken
from budgeteer.tokens.scopes import Scope
from tests import people

FORM = {"name": "laptop", "scopes": ["sources:read", "pack"], "days": "30"}


@pytest.fixture
def ada(db: None) -> User:
    return people.editor("ada")


@pytest.fixture
def page(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def secret_on(text: str) -> str:
    found = re.search(r'id="new-token">(bgt_[\w-]+)<', text)
    return found[1] if found else ""


def test_a_token_is_shown_once_and_only_its_hash_is_kept(page: Client, ada: User) -> None:
    made = page.post("/account/tokens/", FORM).content.decode()
    secret = secret_on(made)
    assert secret
    holder = services.look_up(secret)
    assert isinstance(holder, TokenHolder)
    assert (holder.user, holder.scopes) == (ada, {"sources:read", "pack"})
    later = page.get("/account/tokens/").content.decode()
    assert secret not in later
    assert secret[:10] in later
    row = AccessToken.objects.get()
    assert secret not in str({field.name: getattr(row, field.name) for field in AccessToken._meta.fields})
    assert timedelta(days=29) < row.expires_at - timezone.now() < timedelta(days=31)
    assert row.last_used_at is not None


def test_the_same_form_sent_twice_makes_one_token(page: Client) -> None:
    key = {"form_key": "0d7c2b1e-0000-4000-8000-000000000000"}
    assert secret_on(page.post("/account/tokens/", FORM | key).content.decode())
    again = page.post("/account/tokens/", FORM | key).content.decode()
    assert secret_on(again) == ""
    assert "had been sent before" in again
    assert AccessToken.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": " "}, "A token needs a name."),
        ({"scopes": []}, "Choose what the token may be used for."),
        ({"scopes": ["everything"]}, "everything is not one of the available choices"),
        ({"days": "9999"}, "9999 is not one of the available choices"),
    ],
)
def test_what_cannot_be_made_is_said_and_what_was_typed_stays(
    page: Client, changed: dict[str, object], said: str
) -> None:
    answer = page.post("/account/tokens/", FORM | changed)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    if "name" not in changed:
        assert 'value="laptop"' in answer.content.decode()
    assert AccessToken.objects.count() == 0


def test_a_viewer_is_offered_scopes_that_read_and_gets_no_other(db: None) -> None:
    vera = people.viewer("vera")
    client = Client()
    client.force_login(vera)
    text = client.get("/account/tokens/").content.decode()
    assert "sources:read" in text
    assert "sources:write" not in text
    assert client.post("/account/tokens/", FORM | {"scopes": ["sources:write"]}).status_code == 422
    with pytest.raises(InputError, match="no use of sources:write"):
        services.make(vera, services.TokenRequest("x", (Scope.SOURCES_WRITE,), 1))


def test_a_revoked_token_opens_nothing_and_is_its_owners_to_revoke(page: Client, ada: User) -> None:
    made = services.make(ada, services.TokenRequest("laptop", (Scope.PACK,), 7))
    other = Client()
    other.force_login(people.admin("root"))
    assert other.post(f"/account/tokens/{made.token.pk}/revoke/").status_code == 404
    assert isinstance(services.look_up(made.secret), TokenHolder)
    answer = page.post(f"/account/tokens/{made.token.pk}/revoke/", follow=True)
    assert "is revoked" in answer.content.decode()
    assert services.look_up(made.secret) is TokenProblem.REVOKED


def test_tokens_are_bounded_and_those_that_ended_go(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_OPEN", 2)
    order = services.TokenRequest("laptop", (Scope.PACK,), 7)
    first, _ = services.make(ada, order), services.make(ada, order)
    with pytest.raises(InputError, match="no more"):
        services.make(ada, order)
    services.revoke(first.token)
    services.make(ada, order)
    for days in (0, 367):
        with pytest.raises(InputError, match="days"):
            services.make(ada, services.TokenRequest("x", (Scope.PACK,), days))
    AccessToken.objects.filter(pk=first.token.pk).update(revoked_at=timezone.now() - timedelta(days=91))
    assert clean_up(pace="often")["ended access tokens"] == 1
    assert AccessToken.objects.count() == 2


def test_making_and_revoking_are_security_events(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="budgeteer.security"):
        made = services.make(ada, services.TokenRequest("laptop", (Scope.PACK,), 7))
        services.revoke(made.token)
    assert "access token made" in caplog.text
    assert "access token revoked" in caplog.text
    assert made.secret not in caplog.text
    assert "laptop" not in caplog.text
