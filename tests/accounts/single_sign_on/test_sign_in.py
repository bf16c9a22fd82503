"""Sign-in by a real provider over HTTP: who comes in, by which account, and what is refused."""

from __future__ import annotations

import time
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authlib.integrations.httpx_client import OAuth2Client
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.access.rules import AccountRole, role_of
from budgeteer.accounts.models import Passkey, SignInIdentity
from budgeteer.accounts.password_links import password_link
from budgeteer.accounts.second_factor import services as second_factor
from budgeteer.accounts.second_factor.codes import new_secret
from budgeteer.accounts.single_sign_on import pending
from budgeteer.accounts.single_sign_on.provider import forget_providers
from budgeteer.accounts.single_sign_on.refusals import SENTENCES, RefusalReason
from budgeteer.accounts.single_sign_on.settings import ProviderSettings
from tests import people
from tests.accounts.second_factor.device import Device
from tests.accounts.second_factor.test_second_factor import code_at
from tests.accounts.single_sign_on.conftest import CLIENT_ID, RETURN, START, Change, Provider, begun, come_back, is_in

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def invited(mail: str, name: str = "ada") -> User:
    """An account as an administrator makes one without a password."""
    user = people.editor(name, email=mail)
    assert not user.has_usable_password()
    return user


def sign_in(provider: Provider, subject: str, *, client: Client | None = None, change: Change = dict) -> Client:
    client = client or Client()
    come_back(client, provider.signs_in(subject, begun(client), change=change))
    return client


def refused(provider: Provider, subject: str, *, change: Change = dict) -> RefusalReason:
    """Why this sign-in signs nobody in; the page says it, and the log."""
    client = Client()
    with capture_logs() as lines:
        answer = come_back(client, provider.signs_in(subject, begun(client), change=change))
    assert (answer.status_code, is_in(client)) == (403, False), answer.content.decode()
    line = next(line for line in lines if line["event"] == SecurityEvent.PROVIDER_REFUSED)
    reason = RefusalReason(line["reason"])
    assert line["log_level"] == "warning"
    assert subject not in str(lines)
    assert SENTENCES[reason][0].format(title="Harbour ID") in answer.content.decode()
    assert client.cookies[pending.COOKIE].value == ""
    return reason


# ---- who comes in


def test_an_invited_account_is_connected_by_its_verified_mail_address(provider: Provider) -> None:
    ada = invited("Ada@Elsewhere.example")
    provider.knows("s-1", email="ada@elsewhere.example", email_verified=True)
    with capture_logs() as lines:
        client = sign_in(provider, "s-1")
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert role_of(ada) is AccountRole.EDITOR
    identity = SignInIdentity.objects.get()
    assert (identity.issuer, identity.subject, identity.user) == (provider.address, "s-1", ada)
    assert {SecurityEvent.IDENTITY_CONNECTED, SecurityEvent.SIGNED_IN} <= {line["event"] for line in lines}


def test_afterwards_the_subject_counts_and_no_mail_address(provider: Provider) -> None:
    ada = invited("ada@elsewhere.example")
    provider.knows("s-2", email="ada@elsewhere.example", email_verified=True)
    sign_in(provider, "s-2")
    provider.knows("s-2", email="ada@married.example", email_verified=False)
    assert sign_in(provider, "s-2").session["_auth_user_id"] == str(ada.pk)
    # Somebody else who got the old address is somebody else.
    provider.knows("s-3", email="ada@elsewhere.example", email_verified=True)
    assert refused(provider, "s-3") is RefusalReason.ACCOUNT_IN_USE


def test_people_of_an_allowed_domain_get_an_account_as_viewers(provider: Provider) -> None:
    provider.knows("s-4", email="Bob@harbour.example", email_verified=True)
    with capture_logs() as lines:
        client = sign_in(provider, "s-4")
    bob = User.objects.get(pk=client.session["_auth_user_id"])
    assert (bob.username, bob.email) == ("Bob@harbour.example", "Bob@harbour.example")
    assert role_of(bob) is AccountRole.VIEWER
    assert not bob.has_usable_password()
    assert SecurityEvent.ACCOUNT_CREATED in [line["event"] for line in lines]
    assert sign_in(provider, "s-4").session["_auth_user_id"] == str(bob.pk)
    assert User.objects.count() == 1


def test_a_name_that_is_taken_is_not_taken_over(provider: Provider) -> None:
    carl = people.editor("carl@harbour.example", password=PASSWORD)
    provider.knows("s-5", email="carl@harbour.example", email_verified=True)
    client = sign_in(provider, "s-5")
    made = User.objects.get(pk=client.session["_auth_user_id"])
    assert made != carl
    assert made.username == "carl@harbour.example-2"


def test_it_leads_where_one_wanted_to_go_and_to_no_other_site(provider: Provider) -> None:
    invited("ada@elsewhere.example")
    provider.knows("s-6", email="ada@elsewhere.example", email_verified=True)
    for wanted, led in (("/presets/", "/presets/"), ("https://evil.example/", "/"), ("//evil.example/", "/")):
        client = Client()
        assert come_back(client, provider.signs_in("s-6", begun(client, next=wanted))).url == led
    assert client.get(START, {"next": "/presets/"}).url == "/presets/"  # who is signed in goes there at once


def test_the_request_has_state_nonce_and_pkce(provider: Provider) -> None:
    first, second = (parse_qs(urlsplit(begun(Client())).query) for _ in range(2))
    assert first["code_challenge_method"] == ["S256"]
    assert first["scope"] == ["openid email profile"]
    assert first["redirect_uri"] == [f"http://testserver{RETURN}"]
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 43
        assert first[name] != second[name]


def test_the_cookie_is_for_the_way_back_only_and_no_session_is_made(provider: Provider) -> None:
    client = Client()
    begun(client)
    cookie = client.cookies[pending.COOKIE]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (RETURN, True, "Lax", 600)
    assert "budgeteer_session" not in client.cookies


# ---- what is refused


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"nonce": "another"}, RefusalReason.WRONG_NONCE),
        ({"nonce": ""}, RefusalReason.WRONG_NONCE),
        ({"aud": "another-application"}, RefusalReason.WRONG_AUDIENCE),
        ({"aud": ["another-application"]}, RefusalReason.WRONG_AUDIENCE),
        ({"aud": [CLIENT_ID, "another"], "azp": "another"}, RefusalReason.WRONG_AUDIENCE),
        ({"iss": "https://other.example"}, RefusalReason.WRONG_ISSUER),
        ({"exp": 1_600_000_000}, RefusalReason.EXPIRED),
        ({"at_hash": "bm90aGluZw"}, RefusalReason.UNUSABLE_TOKEN),
        ({"email_verified": False}, RefusalReason.UNVERIFIED_MAIL),
        ({"email_verified": None}, RefusalReason.UNVERIFIED_MAIL),
        ({"email_verified": "true"}, RefusalReason.UNVERIFIED_MAIL),
        ({"email": ""}, RefusalReason.UNVERIFIED_MAIL),
        ({"email": "ada@stranger.example"}, RefusalReason.NOT_INVITED),
        ({"email": "ada@harbour.example.evil.example"}, RefusalReason.NOT_INVITED),
        ({"email": "ada@sub.harbour.example"}, RefusalReason.NOT_INVITED),
    ],
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    provider: Provider, claims: dict[str, object], reason: RefusalReason
) -> None:
    provider.knows("s-7", **{"email": "ada@harbour.example", "email_verified": True} | claims)
    assert refused(provider, "s-7") is reason
    assert not User.objects.exists()
    provider.knows("s-7", email="ada@harbour.example", email_verified=True)
    assert is_in(sign_in(provider, "s-7"))  # it was that claim


def test_an_answer_to_another_request_is_refused(provider: Provider) -> None:
    provider.knows("s-8", email="ada@harbour.example", email_verified=True)
    for name, reason in (("nonce", RefusalReason.WRONG_NONCE), ("state", RefusalReason.BEGUN_ELSEWHERE)):
        assert refused(provider, "s-8", change=lambda query, name=name: query | {name: "x" * 43}) is reason
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # of RFC 7636, appendix B
    sent = provider.signs_in("s-8", begun(Client()), change=lambda query: query | {"code_challenge": challenge})
    assert come_back(Client(), sent).status_code == 403


def test_an_answer_without_the_cookie_twice_or_too_late_is_refused(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.knows("s-9", email="ada@harbour.example", email_verified=True)
    client = Client()
    answer = provider.signs_in("s-9", begun(client))
    assert come_back(Client(), answer).status_code == 403
    assert come_back(client, answer).status_code == 302
    client.logout()
    assert come_back(client, answer).status_code == 403
    late = Client()
    answer = provider.signs_in("s-9", begun(late))
    moved = time.time() + timedelta(minutes=11).total_seconds()
    monkeypatch.setattr("django.core.signing.time.time", lambda: moved)
    assert come_back(late, answer).status_code == 403


def test_a_code_is_taken_once(provider: Provider) -> None:
    provider.knows("s-10", email="ada@harbour.example", email_verified=True)
    client = Client()
    answer = provider.signs_in("s-10", begun(client))
    cookie = client.cookies[pending.COOKIE].value
    assert come_back(client, answer).status_code == 302
    thief = Client()
    thief.cookies[pending.COOKIE] = cookie
    with capture_logs() as lines:
        assert come_back(thief, answer).status_code == 403
    assert RefusalReason.CODE_REFUSED in [line.get("reason") for line in lines]


def test_a_no_at_the_provider_is_said(provider: Provider) -> None:
    client = Client()
    answer = come_back(client, provider.denies(begun(client)))
    assert (answer.status_code, is_in(client)) == (403, False)
    assert "Access was denied at" in answer.content.decode()


def test_a_token_that_another_key_signed_is_refused(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of another provider of the same name: what a forged token would be held against."""
    from joserfc.jwk import KeySet, RSAKey

    provider.knows("s-11", email="ada@harbour.example", email_verified=True)
    others = KeySet([RSAKey.generate_key()])
    monkeypatch.setattr("budgeteer.accounts.single_sign_on.provider._fetched_keys", lambda _address: others)
    assert refused(provider, "s-11") is RefusalReason.FALSE_SIGNATURE


def test_keys_that_the_provider_changed_are_read_anew(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    from joserfc.jwk import KeySet, RSAKey

    from budgeteer.accounts.single_sign_on import provider as asked

    provider.knows("s-12", email="ada@harbour.example", email_verified=True)
    begun(Client())
    known = asked._remembered[provider.address]
    known.keys, known.keys_at = KeySet([RSAKey.generate_key()]), known.keys_at - asked.KEYS_SECONDS
    assert is_in(sign_in(provider, "s-12"))


# ---- accounts that somebody uses


@pytest.mark.parametrize("how", ["password", "signed in before", "several"])
def test_an_account_in_use_is_not_taken_over_in_silence(provider: Provider, how: str) -> None:
    ada = invited("ada@harbour.example")
    if how == "password":
        ada.set_password(PASSWORD)
    elif how == "signed in before":
        ada.last_login = timezone.now()
    else:
        invited("ada@harbour.example", "ada-too")
    ada.save()
    provider.knows("s-13", email="ada@harbour.example", email_verified=True)
    expected = RefusalReason.SEVERAL_ACCOUNTS if how == "several" else RefusalReason.ACCOUNT_IN_USE
    assert refused(provider, "s-13") is expected
    assert not SignInIdentity.objects.exists()


def test_letters_that_only_look_alike_are_others(provider: Provider) -> None:
    invited("mıke@elsewhere.example")
    invited("\N{KELVIN SIGN}ay@elsewhere.example", "kay")
    for subject, mail in (("s-14", "mike@elsewhere.example"), ("s-15", "kay@elsewhere.example")):
        provider.knows(subject, email=mail, email_verified=True)
        assert refused(provider, subject) is RefusalReason.NOT_INVITED


def test_a_closed_account_is_not_let_in(provider: Provider) -> None:
    ada = invited("ada@harbour.example")
    provider.knows("s-16", email="ada@harbour.example", email_verified=True)
    sign_in(provider, "s-16")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert refused(provider, "s-16") is RefusalReason.ACCOUNT_CLOSED


def test_a_second_factor_is_asked_for_after_the_provider_as_well(provider: Provider) -> None:
    ada = invited("ada@harbour.example")
    provider.knows("s-17", email="ada@harbour.example", email_verified=True)
    sign_in(provider, "s-17")
    secret = new_secret()
    codes = second_factor.set_up(ada, secret, code_at(secret, timezone.now()))
    client = Client()
    answer = come_back(client, provider.signs_in("s-17", begun(client, next="/presets/")))
    assert answer.url == "/sign-in/code/?next=%2Fpresets%2F"
    assert not is_in(client)
    assert client.get("/").status_code == 302
    assert client.post("/sign-in/code/", {"code": codes[0], "next": "/presets/"}).url == "/presets/"
    assert is_in(client)


# ---- the provider is away


@pytest.mark.parametrize("when", ["at the start", "on the way back"])
def test_a_provider_that_is_down_is_said_and_a_password_still_signs_in(
    provider: Provider, settings: object, when: str
) -> None:
    people.editor("ada", password=PASSWORD)
    client = Client()
    asked = begun(client) if when == "on the way back" else ""
    answer = provider.signs_in("s-18", asked) if asked else START
    settings.OIDC_PROVIDER = ProviderSettings(issuer="http://localhost:9", client_id="x", title="Harbour ID")
    forget_providers()
    with capture_logs() as lines:
        page = client.get(answer.removeprefix("http://testserver"))
    assert (page.status_code, is_in(client)) == (503, False)
    assert "Harbour ID cannot be used now." in page.content.decode()
    assert "cannot be reached" in next(line["reason"] for line in lines if "unavailable" in line["event"])
    assert client.post("/sign-in/", {"username": "ada", "password": PASSWORD}).status_code == 302


def test_many_refused_answers_are_limited(provider: Provider, settings: object) -> None:
    settings.SIGN_IN_TRIES_PER_ADDRESS = 2  # type: ignore[attr-defined]
    answers = [Client().get(RETURN, {"state": "x", "code": "y"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [403, 403, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0


# ---- connect and disconnect


def test_an_account_in_use_is_connected_by_its_owner_with_the_password(provider: Provider) -> None:
    ada = people.editor("ada", password=PASSWORD, email="ada@harbour.example")
    provider.knows("s-19", email="whoever@anywhere.example", email_verified=False)
    client = Client()
    client.force_login(ada)
    assert client.get(START).url == "/"  # nothing is connected unless it was said
    wrong = client.post("/account/single-sign-on/", {"password": "guess"})
    assert (wrong.status_code, "not your password" in wrong.content.decode()) == (422, True)
    assert client.post("/account/single-sign-on/", {"password": PASSWORD}).status_code == 302
    assert "Continue to Harbour ID" in client.get("/account/single-sign-on/").content.decode()
    assert come_back(client, provider.signs_in("s-19", begun(client))).url == "/account/single-sign-on/"
    assert "Disconnect from Harbour ID" in client.get("/account/single-sign-on/").content.decode()
    assert sign_in(provider, "s-19").session["_auth_user_id"] == str(ada.pk)


def test_only_who_went_to_the_provider_is_connected(provider: Provider) -> None:
    ada, eve = people.editor("ada", password=PASSWORD), people.editor("eve", password=PASSWORD)
    client = Client()
    client.force_login(ada)
    client.post("/account/single-sign-on/", {"password": PASSWORD})
    answer = provider.signs_in("s-20", begun(client))
    client.force_login(eve)
    assert come_back(client, answer).status_code == 403
    assert not SignInIdentity.objects.exists()


def test_neither_side_of_a_connection_is_given_to_another(provider: Provider) -> None:
    def connects(name: str, subject: str) -> int:
        client = Client()
        client.force_login(User.objects.get(username=name))
        client.post("/account/single-sign-on/", {"password": PASSWORD})
        return come_back(client, provider.signs_in(subject, begun(client))).status_code

    people.editor("ada", password=PASSWORD)
    people.editor("eve", password=PASSWORD)
    assert connects("ada", "s-21") == 302
    assert connects("eve", "s-21") == 403
    assert connects("ada", "s-22") == 403
    assert list(SignInIdentity.objects.values_list("user__username", "subject")) == [("ada", "s-21")]


def test_an_account_is_disconnected_with_its_password_and_never_left_without_a_way_in(provider: Provider) -> None:
    ada = invited("ada@harbour.example")
    provider.knows("s-23", email="ada@harbour.example", email_verified=True)
    client = sign_in(provider, "s-23")
    assert client.post("/account/single-sign-on/remove/").status_code == 422
    assert SignInIdentity.objects.exists()
    ada.set_password(PASSWORD)
    ada.save()
    client.force_login(ada)
    assert client.post("/account/single-sign-on/remove/", {"password": "guess"}).status_code == 422
    with capture_logs() as lines:
        assert client.post("/account/single-sign-on/remove/", {"password": PASSWORD}).status_code == 302
    assert SecurityEvent.IDENTITY_REMOVED in [line["event"] for line in lines]
    assert refused(provider, "s-23") is RefusalReason.ACCOUNT_IN_USE


def test_without_a_password_the_ways_in_are_changed_minutes_after_signing_in_and_no_later(provider: Provider) -> None:
    ada = invited("ada@harbour.example")
    provider.knows("s-26", email="ada@harbour.example", email_verified=True)
    client, device = sign_in(provider, "s-26"), Device()
    client.get("/account/second-factor/")
    secret = client.session["second_factor_secret"]

    def tries_all() -> tuple[bool, bool]:
        """Whether a passkey was made, and the second factor set up."""
        answer = device.makes(client.post("/account/passkeys/options/").json())
        page = client.post("/account/passkeys/", {"credential": answer}, follow=True).content.decode()
        made = Passkey.objects.filter(user=ada).exists()
        assert made != ("more than 10 minutes ago" in page)
        answered = client.post("/account/second-factor/", {"code": code_at(secret, timezone.now())})
        assert second_factor.is_set_up(ada) != ("more than 10 minutes ago" in answered.content.decode())
        return made, second_factor.is_set_up(ada)

    session = client.session
    session["signed_in_at"] -= 601
    session.save()
    assert tries_all() == (False, False)
    sign_in(provider, "s-26", client=signed_out(client))
    client.get("/account/second-factor/")
    secret = client.session["second_factor_secret"]
    assert tries_all() == (True, True)
    session = client.session
    del session["signed_in_at"]
    session.save()
    assert client.post("/account/second-factor/remove/").status_code == 422
    client.post(f"/account/passkeys/{Passkey.objects.get().pk}/remove/")
    assert (Passkey.objects.count(), second_factor.is_set_up(ada)) == (1, True)


def signed_out(client: Client) -> Client:
    client.post("/sign-out/")
    return client


def test_what_a_token_says_of_no_address_verifies_none_of_the_user_information(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    invited("ada@harbour.example")
    provider.knows("s-27", email_verified=True)
    told: dict[str, object] = {"sub": "s-27", "email": "ada@harbour.example"}

    def user_information(_client: object, address: str) -> httpx2.Response:
        return httpx2.Response(200, json=told, request=httpx2.Request("GET", address))

    monkeypatch.setattr(OAuth2Client, "get", user_information)
    assert refused(provider, "s-27") is RefusalReason.UNVERIFIED_MAIL
    told["email_verified"] = True  # it was that
    assert is_in(sign_in(provider, "s-27"))


def test_an_administrator_disconnects_somebody(provider: Provider) -> None:
    ada = invited("ada@harbour.example")
    provider.knows("s-24", email="ada@harbour.example", email_verified=True)
    sign_in(provider, "s-24")
    root = Client()
    root.force_login(people.admin("root"))
    sent = {"action": "disconnect_from_provider", "_selected_action": [ada.pk]}
    assert "Disconnected ada." in root.post("/admin/auth/user/", sent, follow=True).content.decode()
    assert not SignInIdentity.objects.exists()
    assert "None of these accounts" in root.post("/admin/auth/user/", sent, follow=True).content.decode()


# ---- sign out, and what pages say


def test_signing_out_says_that_the_provider_may_go_on_and_leads_there(provider: Provider) -> None:
    provider.knows("s-25", email="ada@harbour.example", email_verified=True)
    client = sign_in(provider, "s-25")
    answer = client.post("/sign-out/")
    assert answer.url == "/sign-in/?signed-out=provider"
    assert not is_in(client)
    assert "/sign-out/provider/" in client.get(answer.url).content.decode()
    there = urlsplit(client.get("/sign-out/provider/").url)
    assert f"{there.scheme}://{there.netloc}" == provider.address
    assert parse_qs(there.query)["post_logout_redirect_uri"] == ["http://testserver/sign-in/"]
    by_password = Client()
    by_password.force_login(people.editor("bob", password=PASSWORD))
    assert by_password.post("/sign-out/").url == "/sign-in/"


def test_the_sign_in_page_has_a_link_to_the_provider_and_no_form(provider: Provider) -> None:
    page = Client().get("/sign-in/", {"next": "/presets/?a=1&b=2"}).content.decode()
    assert f'href="{START}?next=/presets/%3Fa%3D1%26b%3D2"' in page
    assert "Sign in with Harbour ID" in page
    assert "Single sign-on" not in Client().get("/help/").content.decode()


def test_without_a_provider_there_is_none_of_it(team: None) -> None:
    assert "Sign in with" not in Client().get("/sign-in/").content.decode()
    ada = Client()
    ada.force_login(people.editor("ada"))
    for address in (START, RETURN, "/sign-out/provider/"):
        assert Client().get(address).status_code == 404
    assert "Single sign-on is not set up" in ada.get("/account/single-sign-on/").content.decode()


def test_an_invitation_link_still_works_beside_it(provider: Provider) -> None:
    """Who sets a password first has used the account; the provider does not take it over then."""
    ada = invited("ada@harbour.example")
    link = password_link(ada, site="http://testserver")
    client = Client()
    page = client.get(link.removeprefix("http://testserver"), follow=True)
    form = {"new_password1": "seven grey trawlers", "new_password2": "seven grey trawlers"}
    client.post(page.redirect_chain[-1][0], form)
    provider.knows("s-26", email="ada@harbour.example", email_verified=True)
    assert refused(provider, "s-26") is RefusalReason.ACCOUNT_IN_USE
