"""A report that an earlier version froze opens unchanged."""

from __future__ import annotations

import importlib
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from budgeteer.reports import services
from budgeteer.reports.document import dump, pack_bytes
from budgeteer.reports.models import Report
from tests.people import editor
from tests.reports.documents import sample_document

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = "0003_numbers_by_allow_list"


@pytest.fixture
def at_the_version_before():
    """The table of reports as it was; the newest one again when the test is over."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    executor.migrate([("reports", BEFORE)])
    yield executor.loader.project_state([("reports", BEFORE)]).apps.get_model("reports", "Report")
    _to_the_newest()


def _to_the_newest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate([key for key in executor.loader.graph.leaf_nodes() if key[0] == "reports"])


def test_a_report_of_before_opens_unchanged_without_a_password_or_a_frame(client, at_the_version_before):
    models = importlib.import_module("budgeteer.reports.models")
    owner, token, content = editor("ada"), models.new_token(), dump(sample_document())
    at_the_version_before.objects.create(
        token=token,
        token_digest=models.digest_of(token),
        owner_id=owner.pk,
        title="Payroll",
        content="full",
        document=pack_bytes(content),
        frozen_at=timezone.now(),
        expires_at=timezone.now() + timedelta(days=1),
    )
    _to_the_newest()
    report = Report.objects.get()
    assert (report.password, report.embed_on, report.opened, report.is_held, report.findings) == (
        "",
        "",
        0,
        False,
        None,
    )
    assert services.state_of(report).standing == "ready"
    assert client.get(f"/r/{token}/report.json").content == content
    assert client.get(f"/r/{token}/").status_code == 200
    assert client.get(f"/r/{token}/embed/").status_code == 404
