"""Signing in by a link or a password, signing out, and what a visitor may not see."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from budgeteer.accounts import services
from tests import people

pytestmark = pytest.mark.django_db


def test_a_link_signs_in_and_leads_home(client: Client) -> None:
    response = client.get(reverse("accounts:enter", args=[services.make_sign_in_token()]))
    assert response.status_code == 302
    assert response["Location"] == "/"
    assert client.session["_auth_user_id"] == str(services.local_user().pk)


def test_a_used_link_says_how_to_get_another(client: Client) -> None:
    token = services.make_sign_in_token()
    services.spend_sign_in_token(token)
    response = client.get(reverse("accounts:enter", args=[token]))
    assert response.status_code == 410
    assert "budgeteer link" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_a_used_link_opened_again_in_the_same_browser_leads_home(client: Client) -> None:
    token = services.make_sign_in_token()
    client.get(reverse("accounts:enter", args=[token]))
    assert client.get(reverse("accounts:enter", args=[token]))["Location"] == "/"


def test_a_link_that_is_fetched_ahead_is_not_spent(client: Client) -> None:
    token = services.make_sign_in_token()
    path = reverse("accounts:enter", args=[token])
    client.get(path, headers={"Sec-Purpose": "prefetch;prerender"})
    client.head(path)
    assert client.get(path)["Location"] == "/"


def test_a_made_up_link_signs_nobody_in(client: Client) -> None:
    assert client.get("/enter/made-up/").status_code == 410


def test_the_sign_in_page_of_local_mode_tells_of_the_link(client: Client) -> None:
    page = client.get("/sign-in/").content.decode()
    assert "budgeteer link" in page
    assert 'type="password"' not in page


def test_team_mode_signs_in_with_name_and_password(client: Client, team: None) -> None:
    User.objects.create_user("ada", password="correct horse battery")
    assert 'type="password"' in client.get("/sign-in/").content.decode()
    wrong = client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert "do not match" in wrong.content.decode()
    right = client.post("/sign-in/?next=/jobs/", {"username": "ada", "password": "correct horse battery", "next": "/"})
    assert right.status_code == 302
    assert right["Location"] == "/"


def test_signing_in_leads_to_no_other_site(client: Client, team: None) -> None:
    User.objects.create_user("ada", password="correct horse battery")
    answer = {"username": "ada", "password": "correct horse battery", "next": "https://example.org/"}
    assert client.post("/sign-in/", answer)["Location"] == "/"


def test_signing_out_takes_a_post(client: Client) -> None:
    client.force_login(services.local_user())
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert "_auth_user_id" not in client.session


def test_every_page_that_is_not_public_asks_a_visitor_to_sign_in(client: Client) -> None:
    for path in ("/", "/sources/", "/presets/", "/jobs/8e7a2d4c-5b52-4d5e-9d1c-0a4c3d1f2b6a/", "/admin/"):
        response = client.get(path)
        assert response.status_code == 302, path
        assert "sign-in" in response["Location"] or "/admin/login" in response["Location"]


def test_a_part_of_a_page_sends_the_whole_page_to_sign_in(client: Client) -> None:
    asked = {"HX-Request": "true", "HX-Current-URL": "http://testserver/sources/?q=a"}
    response = client.get("/jobs/8e7a2d4c-5b52-4d5e-9d1c-0a4c3d1f2b6a/", headers=asked)
    assert response.status_code == 200
    assert response["HX-Redirect"] == "/sign-in/?next=/sources/%3Fq%3Da"
    assert response.content == b""


def test_every_answer_carries_the_security_headers(client: Client) -> None:
    response = client.get("/sign-in/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert len(response["X-Request-ID"]) == 32


def test_local_mode_answers_this_computer_only(client: Client) -> None:
    for address, status in (("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403), ("not an address", 403)):
        assert client.get("/health/", REMOTE_ADDR=address).status_code == status


def test_local_mode_answers_to_loopback_names_only(client: Client) -> None:
    assert client.get("/sign-in/", headers={"Host": "attacker.example.org"}).status_code == 400


def test_the_local_user_enters_the_admin(client: Client) -> None:
    client.force_login(services.local_user())
    assert client.get("/admin/").status_code == 200


PASSWORD = "correct horse battery"
NEW = "another long enough one"


def change_password(client: Client, **fields: str) -> object:
    data = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW, **fields}
    return client.post("/account/password/", data)


def test_a_changed_password_keeps_this_session_and_ends_the_others(team: None) -> None:
    people.viewer("ada", password=PASSWORD)
    here, elsewhere = Client(), Client()
    for each in (here, elsewhere):
        each.login(username="ada", password=PASSWORD)
    assert change_password(here)["Location"] == "/"
    page = here.get("/").content.decode()
    assert "Your password is changed. Other browsers and devices are signed out." in page
    assert elsewhere.get("/").status_code == 302
    assert not Client().login(username="ada", password=PASSWORD)
    assert Client().login(username="ada", password=NEW)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"old_password": "wrong"}, "Your old password was entered incorrectly"),
        ({"new_password2": "something else"}, "The two password fields"),
        ({"new_password1": "short", "new_password2": "short"}, "at least 8 characters"),
        ({"new_password1": "password123", "new_password2": "password123"}, "too common"),
    ],
)
def test_a_password_that_cannot_be_taken_is_told_under_its_field(team: None, fields: dict, sentence: str) -> None:
    user = people.viewer("ada", password=PASSWORD)
    client = Client()
    client.force_login(user)
    page = change_password(client, **fields).content.decode()
    assert sentence in page
    assert 'aria-invalid="true"' in page
    assert not Client().login(username="ada", password=NEW)


def test_local_mode_says_that_there_is_no_password(client: Client) -> None:
    client.force_login(services.local_user())
    page = client.get("/account/password/").content.decode()
    assert "needs no password" in page
    assert 'type="password"' not in page
    assert client.post("/account/password/", {}).status_code == 405
    assert "/account/password/" not in client.get("/").content.decode()


def test_the_menu_leads_to_the_password_and_out_and_says_the_role(team: None) -> None:
    client = Client()
    client.force_login(people.viewer("ada"))
    page = client.get("/help/").content.decode()
    assert 'href="/account/password/"' in page
    assert 'action="/sign-out/"' in page
    assert '<b class="wrap">ada</b> <span class="s">viewer</span>' in page
    assert 'href="/admin/"' not in page


def test_signing_in_never_leads_back_to_signing_in(team: None) -> None:
    people.viewer("ada", password=PASSWORD)
    client = Client()
    answer = {"username": "ada", "password": PASSWORD, "next": "/sign-in/?next=/sign-in/"}
    assert client.post("/sign-in/", answer)["Location"] == "/"
    assert client.get("/sign-in/?next=/sign-in/")["Location"] == "/"


def test_a_closed_account_gets_the_same_answer_as_a_wrong_password(team: None) -> None:
    people.viewer("ada", password=PASSWORD, is_active=False)
    client = Client()
    closed = client.post("/sign-in/", {"username": "ada", "password": PASSWORD}).content.decode()
    assert "do not match an active account" in closed
    assert "reset your password" in closed
