"""A second factor: set up with a code, asked for at sign-in, good once, limited, recovered from and removed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from io import StringIO

import pyotp
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.accounts.models import RecoveryCode, SecondFactor
from budgeteer.accounts.second_factor import half_signed_in, services
from budgeteer.accounts.second_factor.codes import matching_step, new_secret, qr_code, setup_link
from tests import people

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]

PASSWORD = "correct horse battery"
PAGE = "/account/second-factor/"
CODE_PAGE = "/sign-in/code/"
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def ada() -> User:
    return people.editor("ada", password=PASSWORD)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The moment that codes are held against; the last entry is now."""
    moments = [NOW]
    monkeypatch.setattr(services.timezone, "now", lambda: moments[-1])
    return moments


def code_at(secret: str, moment: datetime) -> str:
    """What an app shows, by the library alone."""
    return pyotp.TOTP(secret).at(moment)


def set_up(user: User, moment: datetime = NOW) -> tuple[str, list[str]]:
    secret = new_secret()
    codes = services.set_up(user, secret, code_at(secret, moment))
    assert codes is not None
    return secret, codes


def password_given(client: Client, address: str = "/sign-in/", **more: str) -> str:
    answer = client.post(address, {"username": "ada", "password": PASSWORD, **more})
    assert answer.status_code == 302
    return answer.url


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# ---- codes


def test_codes_are_those_of_the_published_examples() -> None:
    """RFC 6238, appendix B, the last six of its eight digits."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    for seconds, code in ((59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")):
        assert matching_step(secret, code, now=datetime.fromtimestamp(seconds, UTC)) == seconds // 30


@pytest.mark.parametrize(("late", "is_taken"), [(-61, False), (-30, True), (0, True), (30, True), (61, False)])
def test_a_clock_may_be_a_step_off(late: int, is_taken: bool) -> None:
    secret = new_secret()
    found = matching_step(secret, code_at(secret, NOW), now=NOW + timedelta(seconds=late))
    assert (found is not None) == is_taken


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "１２３４５６", "-12345", "1 2 3"])
def test_what_is_no_code_matches_none(typed: str) -> None:
    assert matching_step(new_secret(), typed, now=NOW) is None


def test_the_qr_code_holds_no_text_style_or_script() -> None:
    drawn = qr_code(setup_link(new_secret(), name='ada"><script>'))
    assert re.fullmatch(r"<svg [^<>]*><path [^<>]*/>(<path [^<>]*/>)?</svg>", drawn)
    assert "style" not in drawn
    assert "otpauth" not in drawn


# ---- set up


def test_it_is_set_up_with_the_password_and_the_first_code(ada: User, clock: list[datetime]) -> None:
    client, elsewhere = Client(), Client()
    for one in (client, elsewhere):
        one.force_login(ada)
    page = client.get(PAGE)
    secret = re.search(r'id="secret">([A-Z2-7 ]+)<', page.content.decode())[1].replace(" ", "")
    assert "no-store" in page.headers["Cache-Control"]
    assert client.get(PAGE).content.decode().count(secret[:4])  # the same secret as long as it is not used
    wrong = {"code": "000000", "password": PASSWORD}
    assert "code is wrong or has expired" in client.post(PAGE, wrong).content.decode()
    right = {"code": code_at(secret, NOW), "password": "guess"}
    assert "not your password" in client.post(PAGE, right).content.decode()
    assert not services.is_set_up(ada)
    with capture_logs() as lines:
        made = client.post(PAGE, {**right, "password": PASSWORD})
    codes = re.findall(r"<li>([a-z0-9-]{19})</li>", made.content.decode())
    assert (made.status_code, len(set(codes))) == (200, services.RECOVERY_CODES)
    assert services.is_set_up(ada)
    assert {"event": str(SecurityEvent.SECOND_FACTOR_SET), "account": ada.pk} in [
        {key: line[key] for key in ("event", "account") if key in line} for line in lines
    ]
    assert not any(code in str(lines) or secret in str(lines) for code in codes)
    again = client.get(PAGE).content.decode()
    assert secret not in again
    assert not any(code in again for code in codes)
    assert is_in(client)


def test_other_sessions_end_when_it_is_set_up(ada: User, clock: list[datetime]) -> None:
    client, elsewhere = Client(), Client()
    for one in (client, elsewhere):
        one.force_login(ada)
    client.get(PAGE)
    secret = client.session["second_factor_secret"]
    client.post(PAGE, {"code": code_at(secret, NOW), "password": PASSWORD})
    assert client.get(PAGE).status_code == 200
    assert elsewhere.get(PAGE).status_code == 302


def test_only_hashes_of_recovery_codes_are_stored(ada: User, clock: list[datetime]) -> None:
    _, codes = set_up(ada)
    kept = set(RecoveryCode.objects.values_list("digest", flat=True))
    assert len(kept) == len(codes)
    assert not any(code in digest or code.replace("-", "") in digest for code in codes for digest in kept)


def test_a_second_set_up_changes_nothing(ada: User, clock: list[datetime]) -> None:
    secret, _ = set_up(ada)
    other = new_secret()
    assert services.set_up(ada, other, code_at(other, NOW)) is None
    assert SecondFactor.objects.get().secret == secret


# ---- sign in


def test_the_password_alone_lets_nobody_in_not_into_the_admin_either(ada: User, clock: list[datetime]) -> None:
    set_up(ada)
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    client = Client()
    assert password_given(client, next="/admin/") == "/sign-in/code/?next=%2Fadmin%2F"
    assert not is_in(client)
    for path in ("/", "/admin/", "/account/second-factor/", "/w/"):
        assert client.get(path).status_code == 302, path
    assert client.get("/api/v1/me").status_code == 401


def test_the_code_signs_in_and_leads_where_one_wanted_to_go(ada: User, clock: list[datetime]) -> None:
    secret, _ = set_up(ada)
    clock.append(NOW + timedelta(seconds=60))
    client = Client()
    address = password_given(client, next="/presets/")
    assert "ada" in client.get(address).content.decode()
    before = client.session.session_key
    answer = client.post(address, {"code": code_at(secret, clock[-1]), "next": "/presets/"})
    assert (answer.status_code, answer.url) == (302, "/presets/")
    assert is_in(client)
    assert client.session.session_key != before
    assert "half_signed_in" not in client.session


def test_it_leads_to_no_other_site(ada: User, clock: list[datetime]) -> None:
    secret, _ = set_up(ada)
    clock.append(NOW + timedelta(seconds=60))
    client = Client()
    password_given(client)
    answer = client.post(CODE_PAGE, {"code": code_at(secret, clock[-1]), "next": "https://evil.example/"})
    assert answer.url == "/"


def test_a_code_is_good_once(ada: User, clock: list[datetime]) -> None:
    secret, _ = set_up(ada)
    assert not services.is_right(ada, code_at(secret, NOW))  # it was the one that set it up
    clock.append(NOW + timedelta(seconds=30))
    assert services.is_right(ada, code_at(secret, clock[-1]))
    assert not services.is_right(ada, code_at(secret, clock[-1]))
    assert not services.is_right(ada, code_at(secret, NOW))


def test_a_recovery_code_signs_in_once_however_it_is_typed(ada: User, clock: list[datetime]) -> None:
    _, codes = set_up(ada)
    client = Client()
    password_given(client)
    with capture_logs() as lines:
        assert client.post(CODE_PAGE, {"code": f" {codes[0].upper().replace('-', ' ')} "}).status_code == 302
    assert is_in(client)
    assert {"left": 9} in [{"left": line.get("left")} for line in lines]
    assert services.codes_left(ada) == 9
    assert not services.is_right(ada, codes[0])


def test_a_wrong_code_is_said_logged_and_limited(ada: User, clock: list[datetime], settings: object) -> None:
    settings.SIGN_IN_TRIES = 3  # type: ignore[attr-defined]
    secret, codes = set_up(ada)
    client = Client()
    password_given(client)
    with capture_logs() as lines:
        for _ in range(3):
            answer = client.post(CODE_PAGE, {"code": "000000"})
            assert (answer.status_code, "code is wrong or has expired" in answer.content.decode()) == (422, True)
        refused = client.post(CODE_PAGE, {"code": codes[0]})
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert not is_in(client)
    events = [line["event"] for line in lines]
    assert events.count(SecurityEvent.SECOND_FACTOR_FAILED) == 3
    assert SecurityEvent.SIGN_IN_LIMITED in events
    other = Client()
    password_given(other)  # the password's own count is another one
    assert other.post(CODE_PAGE, {"code": codes[0]}).status_code == 429
    assert secret not in str(lines)


def test_who_owes_no_code_is_led_to_the_sign_in_page(ada: User) -> None:
    client = Client()
    for answer in (client.get(CODE_PAGE), client.post(CODE_PAGE, {"code": "000000"})):
        assert answer.url == "/sign-in/"


def test_a_code_is_owed_for_some_minutes_and_not_after_the_password_changed(
    ada: User, clock: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(ada)
    client = Client()
    password_given(client)
    assert client.get(CODE_PAGE).status_code == 200
    ada.set_password("new staple of wood")
    ada.save()
    assert client.get(CODE_PAGE).url == "/sign-in/"
    ada.set_password(PASSWORD)
    ada.save()
    password_given(client)
    clock.append(NOW + half_signed_in.TIME + timedelta(seconds=1))
    assert client.get(CODE_PAGE).url == "/sign-in/"


def test_a_closed_account_owes_nothing(ada: User, clock: list[datetime]) -> None:
    _, codes = set_up(ada)
    client = Client()
    password_given(client)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert client.post(CODE_PAGE, {"code": codes[0]}).url == "/sign-in/"
    assert not is_in(client)


# ---- remove, renew


def test_it_is_removed_with_the_password_only(ada: User, clock: list[datetime]) -> None:
    set_up(ada)
    client = Client()
    client.force_login(ada)
    refused = client.post(f"{PAGE}remove/", {"password": "guess"})
    assert (refused.status_code, services.is_set_up(ada)) == (422, True)
    assert client.post(f"{PAGE}remove/", {"password": PASSWORD}).url == PAGE
    assert not services.is_set_up(ada)
    assert not RecoveryCode.objects.exists()
    other = Client()
    password_given(other)
    assert is_in(other)


def test_a_wrong_password_is_said_in_the_form_it_was_typed_in(ada: User, clock: list[datetime]) -> None:
    set_up(ada)
    client = Client()
    client.force_login(ada)
    assert "<details open>" not in client.get(PAGE).content.decode()
    for form, place in (("remove/", "remove-password"), ("codes/", "codes-password")):
        page = client.post(f"{PAGE}{form}", {"password": "guess"}).content.decode()
        assert re.findall(r'id="(\S+)-problem"', page) == [place]
        assert page.count("<details open>") == 1


def test_guessing_the_password_there_is_limited(ada: User, clock: list[datetime], settings: object) -> None:
    settings.SIGN_IN_TRIES = 2  # type: ignore[attr-defined]
    set_up(ada)
    client = Client()
    client.force_login(ada)
    answers = [client.post(f"{PAGE}remove/", {"password": "guess"}).status_code for _ in range(3)]
    assert answers == [422, 422, 429]


def test_new_recovery_codes_end_the_old_ones(ada: User, clock: list[datetime]) -> None:
    _, old = set_up(ada)
    client = Client()
    client.force_login(ada)
    page = client.post(f"{PAGE}codes/", {"password": PASSWORD}).content.decode()
    new = re.findall(r"<li>([a-z0-9-]{19})</li>", page)
    assert len(new) == services.RECOVERY_CODES
    assert not any(services.is_right(ada, code) for code in old)
    assert services.is_right(ada, new[0])


def test_an_administrator_removes_it_for_somebody_else(ada: User, clock: list[datetime]) -> None:
    set_up(ada)
    client = Client()
    client.force_login(people.admin("root"))
    sent = {"action": "remove_second_factors", "_selected_action": [ada.pk]}
    with capture_logs() as lines:
        page = client.post("/admin/auth/user/", sent, follow=True).content.decode()
    assert "Removed the second factor and passkeys of ada." in page
    assert not services.is_set_up(ada)
    removed = next(line for line in lines if line["event"] == SecurityEvent.SECOND_FACTOR_REMOVED)
    assert removed["account"] == ada.pk != removed["by"]
    assert "None of these accounts" in client.post("/admin/auth/user/", sent, follow=True).content.decode()


def test_the_last_administrator_removes_it_on_the_server(ada: User, clock: list[datetime]) -> None:
    set_up(ada)
    said = StringIO()
    call_command("remove_second_factor", "ada", stdout=said)
    assert "Removed the second factor and passkeys of ada." in said.getvalue()
    for name in ("ada", "nobody"):
        with pytest.raises(CommandError):
            call_command("remove_second_factor", name)


def test_local_mode_has_none(ada: User, clock: list[datetime], settings: object) -> None:
    set_up(ada)
    settings.BUDGETEER_MODE = "local"  # type: ignore[attr-defined]
    assert not services.is_set_up(ada)
    client = Client()
    client.force_login(ada)
    assert "needs no second factor" in client.get(PAGE).content.decode()
    assert client.post(PAGE, {}).status_code == 405
