from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

# Models are imported where they are used: this file is read before Django is set up.


@pytest.fixture
def owner(db):
    from tests.people import editor

    return editor("owner")


@pytest.fixture
def workspace(owner):
    from budgeteer.workbench.models import Workspace

    return Workspace.objects.create(owner=owner, name="Payroll agent", preset_slug="agent-default")


@pytest.fixture
def make_report(owner, workspace):
    """Store a frozen report; keywords are columns."""
    from budgeteer.reports.document import dump, pack_bytes
    from budgeteer.reports.models import Report
    from budgeteer.reports.snapshot import public_copy
    from tests.reports.documents import sample_document

    def make(*, content: str = "full", frozen: bool = True, **columns: object) -> Report:
        document = public_copy(sample_document(), content=content, message_texts=())
        return Report.objects.create(
            owner=owner,
            content=content,
            document=pack_bytes(dump(document)) if frozen else None,
            frozen_at=timezone.now() if frozen else None,
            **{
                "workspace": workspace,
                "title": "Payroll agent, <b>July</b>",
                "expires_at": timezone.now() + timedelta(days=7),
                **columns,
            },
        )

    return make


@pytest.fixture
def report(make_report):
    return make_report()
