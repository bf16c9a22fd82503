"""Letters of changes: what each tells, where it goes, and who gets none."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from budgeteer.accounts.change_letters import AccountChange
from budgeteer.accounts.models import Passkey
from budgeteer.accounts.second_factor import services
from budgeteer.jobs.models import Job
from tests.accounts.second_factor.test_second_factor import NOW, set_up
from tests.accounts.test_admin import save
from tests.accounts.test_password_links import FORM, NEW, Letters, do_jobs, letters  # noqa: F401 - a fixture
from tests.people import admin, viewer

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
