"""Letters of changes: what each tells, where it goes, and who gets none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from budgeteer.accounts.change_letters import AccountChange
from budgeteer.accounts.models import Passkey
from budgeteer.accounts.second_factor import services
from budgeteer.accounts.single_sign_on import identities
from budgeteer.accounts.single_sign_on.provider import ProviderClaims
from budgeteer.accounts.tasks import LETTER_TIME, send_again
from budgeteer.jobs.models import Job
from budgeteer.jobs.services import reap
from tests.accounts.second_factor.test_second_factor import NOW, set_up
from tests.accounts.test_admin import save
from tests.accounts.test_password_links import FORM, NEW, Letters, do_jobs, letters  # noqa: F401 - a fixture
from tests.people import admin, viewer
from tests.servers import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]
OLD = "an old one 77"
ADDRESS = "ada@harbour.org"


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def told(letters: Letters) -> list[tuple[list[str], str]]:  # noqa: F811 - the fixture's value
    """To whom each letter went, and its first line."""
    do_jobs()
    return [(to, text.splitlines()[0]) for to, text in letters.taken]


def test_a_password_that_was_changed_is_told(letters: Letters) -> None:  # noqa: F811
    ada = viewer("ada", email=ADDRESS, password=OLD)
    client = signed_in(ada)
    assert client.post("/account/password/", {"old_password": "wrong", **FORM}).status_code == 200
    assert told(letters) == []
    client.post("/account/password/", {"old_password": OLD, **FORM})
    assert told(letters) == [([ADDRESS], AccountChange.PASSWORD)]
    assert '"ada"' in letters.taken[0][1]
    assert NEW not in letters.taken[0][1]


def test_what_an_administrator_changes_is_told_at_the_address_before(letters: Letters) -> None:  # noqa: F811
    ada = viewer("ada", email=ADDRESS, password=OLD)
    keeper = signed_in(admin("keeper"))
    keeper.post(f"/admin/auth/user/{ada.pk}/password/", {"password1": NEW, "password2": NEW, "usable_password": "true"})
    save(keeper, ada, email="new@harbour.org")
    expected = [AccountChange.ADDRESS, AccountChange.PASSWORD]
    assert sorted(told(letters)) == sorted(([ADDRESS], str(change)) for change in expected)
    assert not any("new@harbour.org" in text for _to, text in letters.taken)


def test_the_second_factor_is_told(letters: Letters, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(services.timezone, "now", lambda: NOW)
    ada = viewer("ada", email=ADDRESS, password=OLD)
    set_up(ada)
    services.renew_recovery_codes(ada)
    Passkey.objects.create(
        user=ada, credential_id="one", public_key="key", user_handle="handle", sign_count=0, name="x"
    )
    services.remove_all(ada, by=None)
    monkeypatch.undo()
    expected = [
        AccountChange.FACTOR_SET,
        AccountChange.RECOVERY_CODES,
        AccountChange.FACTOR_REMOVED,
        AccountChange.PASSKEY_REMOVED,
    ]
    assert sorted(told(letters)) == sorted(([ADDRESS], str(change)) for change in expected)


def test_a_provider_that_was_connected_and_disconnected_is_told(letters: Letters) -> None:  # noqa: F811
    ada = viewer("ada", email=ADDRESS, password=OLD)
    claims = ProviderClaims(issuer="https://id.example", subject="7", mail=ADDRESS, is_mail_verified=True)
    identities.connect(ada, claims)
    identities.connect(ada, claims)  # it is connected already
    assert told(letters) == [([ADDRESS], AccountChange.PROVIDER_CONNECTED)]
    assert identities.disconnect(ada, by=None)
    assert not identities.disconnect(ada, by=None)
    assert told(letters)[1:] == [([ADDRESS], AccountChange.PROVIDER_REMOVED)]


def test_a_link_that_an_administrator_made_is_told_to_whom_it_is_no_invitation(letters: Letters) -> None:  # noqa: F811
    ada, bob = viewer("ada", email=ADDRESS, password=OLD), viewer("bob", email="bob@harbour.org")
    User.objects.filter(pk=ada.pk).update(last_login=timezone.now())
    chosen = {"action": "make_password_links", "_selected_action": [ada.pk, bob.pk]}
    page = signed_in(admin("keeper")).post("/admin/auth/user/", chosen).content.decode()
    assert page.count("/account/new-password/") >= 2
    assert told(letters) == [([ADDRESS], AccountChange.LINK_MADE)]
    assert "/account/new-password/" not in letters.taken[0][1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("outage", ["it refuses for now", "it is away"])
def test_a_mail_servers_outage_loses_no_letter(
    letters: Letters,  # noqa: F811
    settings: Any,
    outage: str,
) -> None:
    ada = viewer("ada", email=ADDRESS, password=OLD)
    there = settings.MAILERS
    if outage == "it is away":
        options = there["default"]["OPTIONS"] | {"port": free_port()}
        settings.MAILERS = {"default": there["default"] | {"OPTIONS": options}}
    else:
        letters.refused = 1
    signed_in(ada).post("/account/password/", {"old_password": OLD, **FORM})
    assert told(letters) == []
    job = Job.objects.get()
    assert (job.state, job.log[-1]["sentence"]) == (
        "running",
        "The mail server did not take a letter; it is tried again in a while.",
    )
    settings.MAILERS = there
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    reap()
    assert told(letters) == [([ADDRESS], AccountChange.PASSWORD)]
    job.refresh_from_db()
    assert (job.state, job.attempt, job.error) == ("succeeded", 2, None)
    reap()
    assert len(told(letters)) == 1


@pytest.mark.django_db(transaction=True)
def test_a_letter_that_an_outage_of_hours_kept_back_is_sent_once_it_is_over(
    letters: Letters,  # noqa: F811
    settings: Any,
) -> None:
    ada = viewer("ada", email=ADDRESS, password=OLD)
    letters.refused = 1000
    signed_in(ada).post("/account/password/", {"old_password": OLD, **FORM})
    for _ in range(settings.JOB_MAX_ATTEMPTS):
        do_jobs()
        Job.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
        reap()
    job = Job.objects.get()
    assert (job.state, letters.taken) == ("failed", [])
    letters.refused = 0
    assert send_again(timezone.now()) == 1
    assert told(letters) == [([ADDRESS], AccountChange.PASSWORD)]
    assert send_again(timezone.now()) == 0
    Job.objects.update(state="failed", lost_workers=settings.JOB_MAX_ATTEMPTS)
    assert send_again(timezone.now() + LETTER_TIME) == 0


def test_a_letter_that_is_refused_for_good_is_tried_once(letters: Letters) -> None:  # noqa: F811
    ada = viewer("ada", email=ADDRESS, password=OLD)
    letters.answer = "550 no such mailbox"
    signed_in(ada).post("/account/password/", {"old_password": OLD, **FORM})
    assert told(letters) == []
    job = Job.objects.get()
    assert (job.state, job.error["what"]) == ("failed", "The mail server refuses the letter")
    assert send_again(timezone.now()) == 0


def test_an_account_that_is_gone_is_written_no_letter(letters: Letters) -> None:  # noqa: F811
    ada = viewer("ada", email=ADDRESS, password=OLD)
    signed_in(ada).post("/account/password/", {"old_password": OLD, **FORM})
    ada.delete()
    assert told(letters) == []
    job = Job.objects.get()
    assert (job.kind, job.state) == ("accounts.mail_change", "succeeded")


def test_nobody_without_an_address_or_a_mail_server_is_written_to(settings: Any) -> None:
    settings.MAILERS = {}
    for name, address in (("ada", ADDRESS), ("bob", "")):
        signed_in(viewer(name, email=address, password=OLD)).post("/account/password/", {"old_password": OLD, **FORM})
    assert not Job.objects.exists()
