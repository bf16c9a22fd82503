"""The password of a report: what opens it, what the page that asks tells, and how often one may try."""

from __future__ import annotations

import pytest
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.reports import services
from budgeteer.reports.sharing.password import hashed

PASSWORD = "seven grey trawlers"
FILES = ("prompt/", "prompt.txt", "report.json", "report.csv", "report.md")


@pytest.fixture
def locked(make_report):
    return make_report(password=hashed(PASSWORD))


def try_out(client, report, password: str, **headers: str):
    return client.post(f"{report.get_absolute_url()}open/", {"password": password}, **headers)


def test_the_link_alone_opens_nothing(client, locked):
    for path in ("", *FILES):
        answer = client.get(locked.get_absolute_url() + path)
        assert answer.status_code == 403
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert answer["Referrer-Policy"] == "same-origin"  # with none its form would be sent without an origin
        assert "This report needs a password" in answer.content.decode()


def test_the_page_that_asks_tells_nothing_of_the_report(client, make_report):
    told = []
    for report in (make_report(password=hashed(PASSWORD)), make_report(content="numbers", password=hashed("another"))):
        page = client.get(report.get_absolute_url()).content.decode()
        forgery = page[page.index("csrfmiddlewaretoken") :].split('value="')[1].split('"')[0]
        told.append(page.replace(report.token, "").replace(forgery, ""))
        assert "Payroll" not in page
    assert told[0] == told[1]


def test_the_right_password_opens_every_address_in_this_browser_only(client, locked):
    answer = try_out(client, locked, PASSWORD)
    assert (answer.status_code, answer.url) == (302, locked.get_absolute_url())
    for path in ("", *FILES):
        assert client.get(locked.get_absolute_url() + path).status_code == 200
    assert Client().get(locked.get_absolute_url()).status_code == 403


def test_the_cookie_is_for_this_report_and_no_script(client, locked, make_report):
    try_out(client, locked, PASSWORD)
    cookie = client.cookies["report_key"]
    assert cookie["path"] == locked.get_absolute_url()
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert PASSWORD not in cookie.value
    other = make_report(password=hashed(PASSWORD))
    thief = Client()
    thief.cookies["report_key"] = cookie.value
    assert thief.get(other.get_absolute_url()).status_code == 403
    assert thief.get(locked.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("password", ["", "wrong", PASSWORD.upper(), f"{PASSWORD} ", "x" * 5_000])
def test_a_wrong_password_opens_nothing_and_says_so(client, locked, password):
    answer = try_out(client, locked, password)
    assert answer.status_code == 403
    assert "That is not the password" in answer.content.decode()
    assert "report_key" not in client.cookies
    assert client.get(locked.get_absolute_url()).status_code == 403


def test_after_some_tries_not_even_the_right_one_opens_it_and_another_report_is_not_concerned(
    client, locked, make_report, settings
):
    settings.SIGN_IN_TRIES = 2
    assert [try_out(client, locked, "wrong").status_code for _ in range(3)] == [403, 403, 429]
    limited = try_out(Client(), locked, PASSWORD)
    assert limited.status_code == 429
    assert int(limited["Retry-After"]) > 0
    assert "Too many attempts. Wait" in limited.content.decode()
    assert try_out(client, make_report(password=hashed(PASSWORD)), PASSWORD).status_code == 302


def test_one_address_does_not_try_many_reports(client, make_report, settings):
    settings.SIGN_IN_TRIES_PER_ADDRESS = 2
    reports = [make_report(password=hashed(PASSWORD)) for _ in range(3)]
    tried = [try_out(client, report, "wrong", REMOTE_ADDR="127.1.1.1").status_code for report in reports]
    assert tried == [403, 403, 429]
    assert try_out(client, reports[0], PASSWORD, REMOTE_ADDR="127.1.1.2").status_code == 302


def test_the_right_password_forgets_the_wrong_ones_before(client, locked, settings):
    settings.SIGN_IN_TRIES = 2
    for _ in range(3):
        assert try_out(client, locked, "wrong").status_code == 403
        assert try_out(client, locked, PASSWORD).status_code == 302


def test_its_owner_needs_none_and_anybody_else_who_is_signed_in_does(client, locked, owner):
    from tests.people import admin

    client.force_login(owner)
    assert client.get(locked.get_absolute_url()).status_code == 200
    client.force_login(admin("root"))
    assert client.get(locked.get_absolute_url()).status_code == 403


def test_it_is_kept_as_a_hash_and_erased_with_the_report(locked):
    assert PASSWORD not in locked.password
    services.revoke(locked)
    assert locked.password == ""


def test_a_report_without_a_password_is_not_locked_by_trying(client, report):
    assert try_out(client, report, "anything").status_code == 302
    assert client.get(f"{report.get_absolute_url()}open/").status_code == 405


def test_failed_and_limited_tries_are_recorded_without_the_password(client, locked, settings):
    settings.SIGN_IN_TRIES = 1
    with capture_logs() as lines:
        for _ in range(2):
            try_out(client, locked, "a guess of mine")
    told = [line for line in lines if line["event"] in {SecurityEvent.REPORT_REFUSED, SecurityEvent.REPORT_LIMITED}]
    assert [line["event"] for line in told] == [SecurityEvent.REPORT_REFUSED, SecurityEvent.REPORT_LIMITED]
    assert all(line["report"] == str(locked.pk) and line["log_level"] == "warning" for line in told)
    assert not any(secret in str(lines) for secret in ("a guess of mine", locked.token))
