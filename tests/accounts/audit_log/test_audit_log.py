"""The audit log holds what was done to accounts, presets and shares; no stranger fills it, and nobody changes it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import AccountRole, set_role
from budgeteer.accounts.audit_log.entries import NOT_KEPT, forget
from budgeteer.accounts.models import AuditEntry
from budgeteer.presets import services as presets
from budgeteer.presets.models import Preset
from tests import people

pytestmark = pytest.mark.django_db
PAGE = "/admin/accounts/auditentry/"


def entries() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("event", flat=True))


def test_what_is_done_to_a_preset_is_kept_with_who_did_it():
    admin = people.admin("root")
    AuditEntry.objects.all().delete()
    preset = Preset.objects.get(slug="plain")
    presets.publish(preset, config={"history": {"strategy": "newestFirst"}}, note="Why", author=admin)
    entry = AuditEntry.objects.get()
    assert (entry.event, entry.by_id, entry.account_id) == ("preset published", admin.pk, None)
    assert (entry.about["preset"], entry.about["number"]) == ("plain", 2)


def test_what_is_done_to_an_account_is_kept_with_whose_it_is():
    ada = people.editor("ada")
    AuditEntry.objects.all().delete()
    set_role(ada, AccountRole.VIEWER)
    entry = AuditEntry.objects.get()
    assert (entry.event, entry.account_id, entry.about) == ("role set", ada.pk, {"role": "viewer"})


def test_what_strangers_try_is_not_kept():
    for event in NOT_KEPT:
        record(event, address_key="0" * 16)
    Client(SERVER_NAME="localhost").post("/sign-in/", {"username": "nobody", "password": "x"})
    assert entries() == []


def test_every_event_is_kept_or_named_as_not_kept():
    for event in SecurityEvent:
        record(event)
    assert set(entries()) == {str(event) for event in SecurityEvent} - {str(event) for event in NOT_KEPT}


def test_an_entry_of_what_was_not_done_after_all_is_not_kept():
    with transaction.atomic():
        record(SecurityEvent.PRESET_RETIRED, preset="plain")
        transaction.set_rollback(True)
    assert entries() == []


def test_the_page_names_accounts_and_numbers_those_that_are_gone():
    root, ada, gone = people.admin("root"), people.editor("ada"), people.editor("gone")
    AuditEntry.objects.all().delete()
    record(SecurityEvent.ACCOUNT_CHANGED, account=ada.pk, by=root.pk, fields=["email", "role"])
    record(SecurityEvent.REPORT_REVOKED, report="r-1", by=gone.pk)
    number = gone.pk
    User.objects.filter(pk=number).delete()
    client = Client(SERVER_NAME="localhost")
    client.force_login(root)
    page = client.get(PAGE).content.decode()
    for words in ("Account changed", "fields: email role", f"deleted account {number}", "report: r-1", "By day"):
        assert words in page
    assert "Account changed" not in client.get(f"{PAGE}?event=report+revoked").content.decode().split("<tbody>")[1]
    entry = AuditEntry.objects.latest("pk")
    assert client.get(f"{PAGE}{entry.pk}/change/").status_code == 200
    assert client.post(f"{PAGE}{entry.pk}/change/", {"event": "nothing"}).status_code == 403
    assert client.post(f"{PAGE}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get(f"{PAGE}?q=r-1").status_code == 200


@pytest.mark.parametrize("typed", ["0001-01-01+00:00:00%2B10:00", "9999-12-31+23:59:59-10:00"])
def test_a_day_beyond_an_end_of_the_calendar_is_refused_or_filters(typed):
    """PostgreSQL has such times and answers; SQLite is asked in UTC, which has none of them."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(people.admin("root"))
    answer = client.get(f"{PAGE}?at__gte={typed}")
    assert answer.status_code == 200 if connection.vendor == "postgresql" else answer.url == f"{PAGE}?e=1"


@pytest.mark.parametrize("typed", ["x", "%00", "2026-13-45"])
def test_a_typed_day_that_is_none_is_refused_on_the_page(typed):
    client = Client(SERVER_NAME="localhost")
    client.force_login(people.admin("root"))
    assert client.get(f"{PAGE}?at__gte={typed}").url == f"{PAGE}?e=1"
    assert client.get(f"{PAGE}?event=%00").status_code == 200


def test_old_entries_go(settings):
    settings.AUDIT_DAYS = 400
    record(SecurityEvent.PRESET_RETIRED, preset="plain")
    record(SecurityEvent.PRESET_OFFERED, preset="plain")
    AuditEntry.objects.filter(event="preset retired").update(at=timezone.now() - timedelta(days=401))
    assert forget(timezone.now()) == 1
    assert entries() == ["preset offered again"]
