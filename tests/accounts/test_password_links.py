"""Links that set a password: who gets one, what ends it, and that nobody learns whose accounts there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from budgeteer.access.rules import AccountRole, role_of
from budgeteer.accounts import throttling
from budgeteer.accounts.password_links import password_link
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from tests.people import admin, viewer
from tests.servers import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]
SITE = "http://testserver"
NEW = "seven grey trawlers"
FORM = {"new_password1": NEW, "new_password2": NEW}


class Letters:
    """What an SMTP server was given; its first `refused` letters are turned away, and all of them with an `answer`."""

    def __init__(self) -> None:
        self.taken: list[tuple[list[str], str]] = []
        self.refused = 0
        self.answer = ""

    async def handle_DATA(self, _server: object, _session: object, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Keep a letter."""
        if self.refused:
            self.refused -= 1
            return "451 try again later"
        if self.answer:
            return self.answer
        text = message_from_bytes(envelope.content).get_payload(decode=True).decode()
        self.taken.append((envelope.rcpt_tos, text))
        return "250 taken"


@pytest.fixture
def letters(settings: Any) -> Iterator[Letters]:
    """A real mail server, which the dashboard sends by."""
    kept = Letters()
    controller = Controller(kept, hostname="127.0.0.1", port=free_port())
    controller.start()
    options = {"host": "127.0.0.1", "port": controller.port, "timeout": 30}
    settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}}
    yield kept
    controller.stop()


def do_jobs() -> None:
    for job in Job.objects.filter(state="queued"):
        execute(job.id, job.attempt)


def ask(client: Client, address: str) -> Any:
    return client.post(reverse("accounts:lost_password"), {"address": address})


def link_in(text: str) -> str:
    (found,) = re.findall(r"http://testserver(/account/new-password/\S+)", text)
    return str(found)


def test_a_lost_password_is_set_anew_by_mail(client: Client, letters: Letters) -> None:
    ada = viewer("ada", email="Ada@harbour.org", password="an old one 77")
    elsewhere = Client()
    elsewhere.force_login(ada)
    assert "Forgot your password?" in client.get("/sign-in/").content.decode()
    assert "ada@HARBOUR.org" in ask(client, "ada@HARBOUR.org").content.decode()
    do_jobs()
    ((to, text),) = letters.taken
    assert to == ["Ada@harbour.org"]
    assert '"ada"' in text
    page = client.get(link_in(text), follow=True)
    assert "Choose a password" in page.content.decode()
    (last, _status) = page.redirect_chain[-1]
    assert last.endswith("/set-password/")  # the link itself stands in no address that a page could pass on
    done = client.post(last, FORM, follow=True)
    assert "Your password is set" in done.content.decode()
    assert Client().login(username="ada", password=NEW)
    assert elsewhere.get("/account/password/").status_code == 302
    again = Client().get(link_in(text), follow=True)
    assert (again.status_code, "This link does not work" in again.content.decode()) == (410, True)


def test_every_address_gets_the_same_answer(client: Client, letters: Letters) -> None:
    viewer("ada", email="ada@harbour.org")
    viewer("bob", email="bob@harbour.org", is_active=False)
    said = [
        ask(client, at).content.decode().replace(at, "") for at in ("ada@harbour.org", "bob@harbour.org", "x@y.org")
    ]
    # A page's own values are new each time: its form's token, its nonce, the id of its request.
    assert len({re.sub(r"[A-Za-z0-9_-]{22,}={0,2}", "", text) for text in said}) == 1
    assert [job.kind for job in Job.objects.all()] == ["accounts.mail_password_links"] * 3
    do_jobs()
    assert [to for to, _ in letters.taken] == [["ada@harbour.org"]]


def test_whoever_asks_does_not_choose_where_the_link_leads(client: Client, letters: Letters, settings: Any) -> None:
    viewer("ada", email="ada@harbour.org")
    settings.ALLOWED_HOSTS, settings.MAIL_SITE = [".harbour.org"], "https://budget.harbour.org"
    client.post(reverse("accounts:lost_password"), {"address": "ada@harbour.org"}, SERVER_NAME="evil.harbour.org:8443")
    do_jobs()
    ((_, text),) = letters.taken
    assert "evil" not in text
    assert "https://budget.harbour.org/account/new-password/" in text


def test_nobody_is_flooded_and_guessing_is_bounded(client: Client, letters: Letters, settings: Any) -> None:
    for _ in range(throttling.LETTERS):
        assert ask(client, "ada@harbour.org").status_code == 200
    for spelled in ("ada@harbour.org", " ADA@harbour.org "):
        refused = ask(client, spelled)
        assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert ask(client, "bob@harbour.org").status_code == 200
    settings.SIGN_IN_TRIES_PER_ADDRESS = 3
    link = reverse("accounts:new_password", args=["MQ", "abc-def"])
    assert [Client().get(link).status_code for _ in range(4)] == [410, 410, 410, 429]
    assert letters.taken == []


@pytest.mark.parametrize("typed", ["", "no address", "a@b", "x" * 300 + "@harbour.org", "a@b.org\nBcc: c@d.org"])
def test_what_is_no_address_is_told_and_mails_nothing(client: Client, letters: Letters, typed: str) -> None:
    page = ask(client, typed)
    assert (page.status_code, 'class="msg"' in page.content.decode()) == (200, True)
    assert not Job.objects.exists()


def test_without_a_mail_server_the_page_says_who_helps(client: Client, settings: Any) -> None:
    settings.MAILERS = {}
    assert "Ask an administrator" in client.get(reverse("accounts:lost_password")).content.decode()
    assert ask(client, "ada@harbour.org").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_a_mail_server_that_refuses_for_now_is_asked_again(client: Client, letters: Letters) -> None:
    viewer("ada", email="ada@harbour.org")
    letters.refused = 1
    ask(client, "ada@harbour.org")
    do_jobs()
    job = Job.objects.get()
    assert (job.state, letters.taken) == ("running", [])  # an outage: the reaper gives it to the next one
    assert "mail server" in str(job.error)
    Job.objects.filter(pk=job.pk).requeue(lost=1)
    do_jobs()
    assert len(letters.taken) == 1


@pytest.mark.django_db(transaction=True)
def test_an_outage_between_two_letters_to_one_address_loses_and_doubles_none(client: Client, letters: Letters) -> None:
    for name in ("ada", "ida"):
        viewer(name, email="harbour@example.org")
    letters.refused = 1
    ask(client, "harbour@example.org")
    do_jobs()
    assert len(letters.taken) == 1
    Job.objects.filter(state="running").requeue(lost=1)
    do_jobs()
    names = sorted(name for name in ("ada", "ida") for _, text in letters.taken if f'"{name}"' in text)
    assert names == ["ada", "ida"]


@pytest.mark.parametrize("end", ["close", "sign in", "new address", "later", "local"])
def test_what_ends_a_link(client: Client, settings: Any, end: str) -> None:
    ada = viewer("ada", email="ada@harbour.org", password="an old one 77")
    path = password_link(ada, site=SITE).removeprefix(SITE)
    if end == "close":
        User.objects.filter(pk=ada.pk).update(is_active=False)
    elif end == "sign in":
        Client().post("/sign-in/", {"username": "ada", "password": "an old one 77"})
    elif end == "new address":
        User.objects.filter(pk=ada.pk).update(email="other@harbour.org")
    elif end == "later":
        settings.PASSWORD_RESET_TIMEOUT = -1
    else:
        settings.BUDGETEER_MODE = "local"
    assert client.get(path, follow=True).status_code == 410
    assert client.post(path, FORM, follow=True).status_code == 410


def test_a_new_password_unlocks_the_name(client: Client, settings: Any) -> None:
    settings.SIGN_IN_TRIES = 2
    ada = viewer("ada", password="an old one 77")
    for _ in range(3):
        status = Client().post("/sign-in/", {"username": "Ada", "password": "wrong"}).status_code
    assert status == 429
    last = client.get(password_link(ada, site=SITE).removeprefix(SITE), follow=True).redirect_chain[-1][0]
    weak = client.post(last, {"new_password1": "ada", "new_password2": "ada"})
    assert (weak.status_code, 'class="msg"' in weak.content.decode()) == (200, True)
    client.post(last, FORM)
    assert Client().post("/sign-in/", {"username": "ada", "password": NEW}).status_code == 302
    assert not Session.objects.filter(session_key=client.session.session_key, expire_date=None).exists()


def test_an_administrator_invites_by_a_link(client: Client) -> None:
    client.force_login(admin("root"))
    made = {"username": "kit", "role": str(AccountRole.EDITOR.value), "email": "", "password1": "", "password2": ""}
    assert client.post("/admin/auth/user/add/", made).status_code == 302
    kit = User.objects.get(username="kit")
    assert (kit.has_usable_password(), role_of(kit)) == (False, AccountRole.EDITOR)
    half = client.post("/admin/auth/user/add/", made | {"username": "eve", "password1": NEW})
    assert "in both fields" in half.content.decode()
    action = {"action": "make_password_links", "_selected_action": [kit.pk], "index": "0"}
    page = client.post("/admin/auth/user/", action)
    assert "no-store" in page["Cache-Control"]
    path = re.findall(r'value="http://testserver(/account/new-password/[^"]+)"', page.content.decode())[0]
    guest = Client()
    guest.post(guest.get(path, follow=True).redirect_chain[-1][0], FORM)
    assert guest.login(username="kit", password=NEW)


def test_only_administrators_make_links(client: Client) -> None:
    ada = viewer("ada")
    client.force_login(ada)
    action = {"action": "make_password_links", "_selected_action": [ada.pk], "index": "0"}
    assert client.post("/admin/auth/user/", action).status_code == 403
