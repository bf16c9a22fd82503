"""How often others opened a report."""

from __future__ import annotations

import pytest
from django.test import Client

from budgeteer.reports.sharing.password import hashed


@pytest.fixture
def opened(report):
    def count() -> int:
        report.refresh_from_db()
        return report.opened

    return count


def test_opening_counts_and_turning_pages_does_not(client, report, opened):
    for _ in range(2):
        client.get(report.get_absolute_url())
    client.head(report.get_absolute_url())
    for path in ("?fate=dropped", "?page=2", "prompt/", "report.json"):
        client.get(report.get_absolute_url() + path)
    assert opened() == 2


def test_its_owner_does_not_count(client, report, owner, opened):
    client.force_login(owner)
    client.get(report.get_absolute_url())
    assert opened() == 0
    page = client.get("/reports/").content.decode()
    assert "opened 0 times" in page


def test_somebody_else_who_is_signed_in_counts_and_the_owner_sees_it(client, report, owner, opened):
    from tests.people import viewer

    reader = Client()
    reader.force_login(viewer("vera"))
    reader.get(report.get_absolute_url())
    assert opened() == 1
    client.force_login(owner)
    assert "opened once" in client.get("/reports/").content.decode()


def test_the_page_that_asks_for_a_password_does_not_count(client, make_report):
    report = make_report(password=hashed("seven grey trawlers"))
    client.get(report.get_absolute_url())
    report.refresh_from_db()
    assert report.opened == 0
