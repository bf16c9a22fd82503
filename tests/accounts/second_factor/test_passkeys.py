"""Passkeys: made with the password, sign in alone or after it, and what is refused."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.accounts.models import Passkey, SecondFactor
from budgeteer.accounts.second_factor import passkeys, services
from tests import people
from tests.accounts.second_factor.device import Device
from tests.accounts.second_factor.test_second_factor import PASSWORD, code_at, is_in, password_given, set_up

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]

ADD, OPTIONS, SIGN_IN = "/account/passkeys/", "/account/passkeys/options/", "/sign-in/passkey/"
SIGN_IN_OPTIONS = "/sign-in/passkey/options/"
WITH_PASSKEYS = "/account/second-factor/passkeys/"


@pytest.fixture
def ada() -> User:
    return people.editor("ada", password=PASSWORD)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def added(user: User, device: Device | None = None, **sent: str) -> Device:
    """A device with a passkey of this account."""
    device, client, before = device or Device(), client_of(user), Passkey.objects.count()
    answer = device.makes(client.post(OPTIONS).json())
    page = client.post(ADD, {"credential": answer, "password": PASSWORD, "name": "Laptop"} | sent, follow=True)
    assert Passkey.objects.count() == before + 1, page.content.decode()
    return device


def signed_in(device: Device, client: Client | None = None, **sent: str) -> Client:
    """What comes of signing in with this device."""
    client = client or Client()
    options = client.post(SIGN_IN_OPTIONS).json()
    client.post(SIGN_IN, {"credential": device.signs(options), **sent})
    return client


def said(client: Client) -> str:
    return client.get("/sign-in/", follow=True).content.decode()


# ---- made


def test_it_is_made_with_the_password_and_named(ada: User) -> None:
    client, device = client_of(ada), Device()
    options = client.post(OPTIONS).json()
    assert options["rp"] == {"name": "Budgeteer", "id": "testserver"}
    assert options["user"]["name"] == "ada"
    assert "ada" not in options["user"]["id"]
    answer = device.makes(options)
    page = client.post(ADD, {"credential": answer, "password": "guess"}, follow=True).content.decode()
    assert ("not your password" in page, Passkey.objects.exists()) == (True, False)
    device = Device()
    answer = device.makes(client.post(OPTIONS).json())
    with capture_logs() as lines:
        page = client.post(ADD, {"credential": answer, "password": PASSWORD, "name": " Laptop "}, follow=True)
    assert "“Laptop” signs you in from now on." in page.content.decode()
    assert SecurityEvent.PASSKEY_ADDED in [line["event"] for line in lines]
    kept = Passkey.objects.get()
    assert (kept.user, kept.name, kept.user_handle) == (ada, "Laptop", device.handle)


def test_the_next_one_has_the_same_handle_and_excludes_the_first(ada: User) -> None:
    first = added(ada)
    options = client_of(ada).post(OPTIONS).json()
    assert options["user"]["id"] == first.handle
    assert [one["id"] for one in options["excludeCredentials"]] == [Passkey.objects.get().credential_id]


def test_a_challenge_makes_one_passkey_for_its_session_and_for_some_minutes(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(ada)
    answer = Device().makes(client.post(OPTIONS).json())
    sent = {"credential": answer, "password": PASSWORD}
    assert "Try again" in client_of(ada).post(ADD, sent, follow=True).content.decode()
    client.post(ADD, sent)
    assert Passkey.objects.count() == 1
    assert "Try again" in client.post(ADD, sent, follow=True).content.decode()
    late = Device().makes(client.post(OPTIONS).json())
    moved = timezone.now() + timedelta(minutes=6)
    monkeypatch.setattr("budgeteer.accounts.second_factor.challenges.timezone.now", lambda: moved)
    client.post(ADD, sent | {"credential": late})
    assert Passkey.objects.count() == 1


@pytest.mark.parametrize("answer", ["", "{}", "[]", "null", '{"id": "eA", "rawId": "eA", "response": {}}', "x" * 9000])
def test_what_is_no_answer_makes_none_and_signs_nobody_in(ada: User, answer: str) -> None:
    client = client_of(ada)
    client.post(OPTIONS)
    page = client.post(ADD, {"credential": answer, "password": PASSWORD}, follow=True)
    assert "is no passkey for this site" in page.content.decode()
    assert not Passkey.objects.exists()
    stranger = Client()
    stranger.post(SIGN_IN_OPTIONS)
    assert stranger.post(SIGN_IN, {"credential": answer}).url == "/sign-in/"
    assert "signs nobody in here" in said(stranger)


def test_a_key_of_one_account_is_none_of_another(ada: User) -> None:
    device, eve = added(ada), people.editor("eve", password=PASSWORD)
    client = client_of(eve)
    answer = device.makes(client.post(OPTIONS).json())
    page = client.post(ADD, {"credential": answer, "password": PASSWORD}, follow=True).content.decode()
    assert "known already" in page
    assert Passkey.objects.get().user == ada


def test_an_account_has_a_bounded_number(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passkeys, "MOST", 1)
    added(ada)
    client = client_of(ada)
    answer = Device().makes(client.post(OPTIONS).json())
    page = client.post(ADD, {"credential": answer, "password": PASSWORD}, follow=True).content.decode()
    assert "1 passkeys at most" in page


# ---- sign in


def test_it_signs_in_without_a_password_and_without_a_code(ada: User) -> None:
    device = added(ada)
    set_up(ada, timezone.now())
    client = Client()
    options = client.post(SIGN_IN_OPTIONS).json()
    assert (options["userVerification"], options["allowCredentials"]) == ("required", [])
    answer = client.post(SIGN_IN, {"credential": device.signs(options), "next": "/presets/"})
    assert (answer.url, client.session["_auth_user_id"]) == ("/presets/", str(ada.pk))
    assert Passkey.objects.get().last_used_at is not None


def test_it_leads_to_no_other_site(ada: User) -> None:
    device, client = added(ada), Client()
    options = client.post(SIGN_IN_OPTIONS).json()
    sent = {"credential": device.signs(options), "next": "https://evil.example/"}
    assert client.post(SIGN_IN, sent).url == "/"


def test_without_a_password_the_device_has_to_verify_its_user(ada: User) -> None:
    key = added(ada, Device(verifies=False))
    assert not is_in(signed_in(key))
    set_up(ada, timezone.now())
    client = Client()
    password_given(client)
    assert is_in(signed_in(key, client))  # beside the password its presence is enough


def test_after_the_password_it_stands_in_for_the_code(ada: User) -> None:
    device = added(ada)
    set_up(ada, timezone.now())
    client = Client()
    page = client.get(password_given(client, next="/presets/")).content.decode()
    assert 'id="use-passkey"' in page
    options = client.post(SIGN_IN_OPTIONS).json()
    assert [one["id"] for one in options["allowCredentials"]] == [Passkey.objects.get().credential_id]
    assert client.post(SIGN_IN, {"credential": device.signs(options), "next": "/presets/"}).url == "/presets/"
    assert is_in(client)
    assert "half_signed_in" not in client.session


def test_somebody_elses_passkey_is_no_second_factor(ada: User) -> None:
    eve = people.editor("eve", password=PASSWORD)
    evil = added(eve)
    set_up(ada, timezone.now())
    client = Client()
    password_given(client)
    with capture_logs() as lines:
        answer = client.post(SIGN_IN, {"credential": evil.signs(client.post(SIGN_IN_OPTIONS).json())})
    assert (answer.url, is_in(client)) == ("/sign-in/code/", False)
    failed = next(line for line in lines if line["event"] == SecurityEvent.PASSKEY_FAILED)
    assert (failed["account"], failed["log_level"]) == (ada.pk, "warning")


def test_a_challenge_from_before_the_password_is_none_after_it(ada: User) -> None:
    device = added(ada, Device(verifies=False))
    set_up(ada, timezone.now())
    client = Client()
    options = client.post(SIGN_IN_OPTIONS).json()
    password_given(client)
    client.post(SIGN_IN, {"credential": device.signs(options)})
    assert not is_in(client)


@pytest.mark.parametrize("wrong", ["origin", "key", "replayed", "count", "closed", "challenge", "handle"])
def test_an_answer_that_is_not_right_signs_nobody_in(ada: User, wrong: str) -> None:
    device, client = added(ada), Client()
    right, options = device.key, client.post(SIGN_IN_OPTIONS).json()
    match wrong:
        case "origin":
            device.origin = "http://testserver.evil.example"
        case "key":
            device.key = Device().key
        case "count":
            Passkey.objects.update(sign_count=100)
        case "closed":
            User.objects.update(is_active=False)
        case "challenge":
            options = Client().post(SIGN_IN_OPTIONS).json()
        case "handle":
            device.handle = "AAAA"
    answer = device.signs(options)
    if wrong == "replayed":
        assert client.post(SIGN_IN, {"credential": answer}).url == "/"
        client = Client()
        client.post(SIGN_IN_OPTIONS)
    assert client.post(SIGN_IN, {"credential": answer}).url == "/sign-in/"
    assert not is_in(client)
    assert "signs nobody in here" in said(client)
    User.objects.update(is_active=True)
    Passkey.objects.update(sign_count=0)
    repaired = Device(key=right, name=device.name, handle=Passkey.objects.get().user_handle, count=9)
    assert is_in(signed_in(repaired))  # it was that


def test_a_device_that_does_not_count_signs_in_again_and_again(ada: User) -> None:
    device = added(ada, Device(count=0))
    assert [is_in(signed_in(device)) for _ in range(3)] == [True] * 3


def test_challenges_are_limited_by_address_and_struck_out_when_right(ada: User, settings: object) -> None:
    device = added(ada)
    settings.SIGN_IN_TRIES_PER_ADDRESS = 2  # type: ignore[attr-defined]
    assert all(is_in(signed_in(device)) for _ in range(4))
    answers = [Client().post(SIGN_IN_OPTIONS) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Too many attempts" in answers[-1].content.decode()


# ---- remove


def test_it_is_removed_with_the_password_by_its_owner_only(ada: User) -> None:
    device, eve = added(ada), people.editor("eve", password=PASSWORD)
    address = f"{ADD}{Passkey.objects.get().pk}/remove/"
    client_of(eve).post(address, {"password": PASSWORD})
    client_of(ada).post(address, {"password": "guess"})
    assert Passkey.objects.exists()
    with capture_logs() as lines:
        client_of(ada).post(address, {"password": PASSWORD})
    assert SecurityEvent.PASSKEY_REMOVED in [line["event"] for line in lines]
    assert not is_in(signed_in(device))


def test_turning_the_codes_off_leaves_it_and_an_administrator_removes_both(ada: User) -> None:
    device = added(ada)
    set_up(ada, timezone.now())
    client_of(ada).post("/account/second-factor/remove/", {"password": PASSWORD})
    assert is_in(signed_in(device))
    root = client_of(people.admin("root"))
    root.post("/admin/auth/user/", {"action": "remove_second_factors", "_selected_action": [ada.pk]})
    assert not is_in(signed_in(device))


def test_local_mode_has_none(ada: User, settings: object) -> None:
    settings.BUDGETEER_MODE = "local"  # type: ignore[attr-defined]
    client = client_of(ada)
    assert client.post(OPTIONS).status_code == 405
    assert client.post(SIGN_IN_OPTIONS).status_code == 405
    assert "passkey" not in client.get("/account/second-factor/").content.decode().lower()


def test_a_page_of_it_holds_no_key(ada: User) -> None:
    added(ada)
    page = client_of(ada).get("/account/second-factor/").content.decode()
    assert Passkey.objects.get().public_key not in page
    assert json.dumps("Laptop")[1:-1] in page


# ---- the second factor by passkeys alone


def turned_on(user: User) -> list[str]:
    """The recovery codes of a factor of passkeys alone."""
    page = client_of(user).post(WITH_PASSKEYS, {"password": PASSWORD}).content.decode()
    return re.findall(r"<li>([a-z0-9-]{19})</li>", page)


def test_it_is_turned_on_with_a_passkey_and_the_password_and_asked_for_after_it(ada: User) -> None:
    device, elsewhere = added(ada), client_of(ada)
    wrong = client_of(ada).post(WITH_PASSKEYS, {"password": "guess"})
    said_once = wrong.content.decode().count("not your password")  # in the form that was sent
    assert (said_once, services.is_set_up(ada)) == (1, False)
    codes = turned_on(ada)
    assert len(set(codes)) == services.RECOVERY_CODES
    assert (services.is_set_up(ada), services.has_app(ada)) == (True, False)
    assert elsewhere.get("/account/second-factor/").status_code == 302  # other sessions ended
    client = Client()
    assert password_given(client).startswith("/sign-in/code/")
    page = client.get("/sign-in/code/").content.decode()
    assert "Use a passkey of" in page
    assert "authenticator app" not in page
    assert not is_in(client)
    device.verifies = False  # its presence is enough after the password
    assert is_in(signed_in(device, client))


def test_without_the_device_a_recovery_code_signs_in_once(ada: User) -> None:
    added(ada)
    codes = turned_on(ada)
    for code, is_right in ((codes[0], True), (codes[0], False), ("", False)):
        client = Client()
        password_given(client)
        answer = client.post("/sign-in/code/", {"code": code})
        assert is_in(client) == is_right
        assert is_right or "not one of your recovery codes" in answer.content.decode()
    assert services.codes_left(ada) == services.RECOVERY_CODES - 1


def test_a_code_of_six_digits_is_none_where_there_is_no_app(ada: User) -> None:
    added(ada)
    turned_on(ada)
    for code in ("000000", "123456"):
        client = Client()
        password_given(client)
        assert client.post("/sign-in/code/", {"code": code}).status_code == 422
        assert not is_in(client)


def test_without_a_passkey_it_is_not_turned_on(ada: User) -> None:
    assert client_of(ada).post(WITH_PASSKEYS, {"password": PASSWORD}).url == "/account/second-factor/"
    assert not services.is_set_up(ada)


def test_one_with_an_app_is_not_replaced(ada: User) -> None:
    added(ada)
    secret, codes = set_up(ada, timezone.now())
    assert services.set_up_with_passkeys(ada) is None
    assert (services.has_app(ada), services.is_right(ada, codes[0])) == (True, True)
    assert SecondFactor.objects.get().secret == secret


def test_the_last_passkey_stays_while_nothing_else_is_there(ada: User) -> None:
    added(ada)
    turned_on(ada)
    added(ada)
    first, second = Passkey.objects.values_list("pk", flat=True)
    client = client_of(ada)

    def removed(key: int) -> str:
        return client.post(f"/account/passkeys/{key}/remove/", {"password": PASSWORD}, follow=True).content.decode()

    assert "is removed here" in removed(first)
    assert "all that your second factor has" in removed(second)
    assert list(Passkey.objects.values_list("pk", flat=True)) == [second]
    assert set_up(ada, timezone.now())[1]  # an app beside it
    assert services.has_app(ada)
    assert "is removed here" in removed(second)
    assert services.is_set_up(ada)


def test_turned_off_the_last_passkey_can_go(ada: User) -> None:
    added(ada)
    turned_on(ada)
    client = client_of(ada)
    client.post("/account/second-factor/remove/", {"password": PASSWORD})
    assert not services.is_set_up(ada)
    page = client.post(f"/account/passkeys/{Passkey.objects.get().pk}/remove/", {"password": PASSWORD}, follow=True)
    assert ("is removed here" in page.content.decode(), Passkey.objects.exists()) == (True, False)


def test_an_app_is_added_to_passkeys_with_new_recovery_codes(ada: User) -> None:
    added(ada)
    old = turned_on(ada)
    client = client_of(ada)
    assert "Add an authenticator app" in client.get("/account/second-factor/").content.decode()
    secret = client.session["second_factor_secret"]
    now = code_at(secret, timezone.now())
    page = client.post("/account/second-factor/", {"code": now, "password": PASSWORD}).content.decode()
    new = re.findall(r"<li>([a-z0-9-]{19})</li>", page)
    assert (services.has_app(ada), len(new)) == (True, services.RECOVERY_CODES)
    assert [services.is_right(ada, code) for code in (old[0], new[0])] == [False, True]
    assert "Add an authenticator app" not in client.get("/account/second-factor/").content.decode()


def test_an_administrator_takes_it_away_with_the_passkeys(ada: User) -> None:
    added(ada)
    turned_on(ada)
    assert services.remove_all(ada, by=None)
    assert not services.is_set_up(ada)
    assert not Passkey.objects.exists()
    client = Client()
    client.post("/sign-in/", {"username": "ada", "password": PASSWORD})
    assert is_in(client)
