"""What happens to a report: published, found by its link, revoked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job, State
from budgeteer.reports.document import Document, parse, unpack_bytes
from budgeteer.reports.models import Report, digest_of, expiry_in
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.snapshots import take_snapshot

type Standing = Literal["preparing", "ready", "failed", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report with where it stands and, while it is being made or was not, its job."""

    report: Report
    standing: Standing
    job: Job | None


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody chose when sharing. `form_key` tells two orders from one that was sent twice."""

    title: str
    content: str
    days: int
    form_key: UUID | None = None


@transaction.atomic
def publish(workspace: Workspace, order: Order, *, owner: User) -> Report:
    """Make a report of the workspace as it stands now; a worker freezes it. The same form sent twice is one report.

    Raises:
        InputError: a source has not been imported yet.
    """
    report = Report(
        owner=owner,
        workspace=workspace,
        title=order.title,
        content=order.content,
        expires_at=expiry_in(order.days),
        snapshot=take_snapshot(workspace),
        form_key=order.form_key,
    )
    try:
        with transaction.atomic():
            report.save(force_insert=True)
    except IntegrityError:
        return Report.objects.get(owner=owner, form_key=order.form_key)
    jobs.enqueue("reports.freeze", arguments={"report_id": str(report.id)}, owner=owner, subject=report.subject)
    return report


def revoke(report: Report) -> None:
    """End the link for good and erase what it showed; a second time changes nothing."""
    Report.objects.filter(pk=report.pk, revoked_at=None).update(revoked_at=timezone.now(), document=None)
    report.refresh_from_db()


def reports_of(owner: User, *, workspace: Workspace | None = None) -> QuerySet[Report]:
    """The owner's reports, newest first, without their documents; of one workspace where it is given."""
    rows = Report.objects.filter(owner=owner).defer("document").select_related("workspace")
    return rows.filter(workspace=workspace) if workspace else rows


def of(owner: User, report_id: UUID) -> Report | None:
    """The owner's report, None when there is none or it is another's."""
    return reports_of(owner).filter(pk=report_id).first()


def by_token(token: str) -> Report | None:
    """The report a link leads to; None when it never existed, has expired or was revoked."""
    report = Report.objects.filter(token_digest=digest_of(token)).first()
    if report is None or not secrets.compare_digest(report.token.encode(), token.encode("utf-8", "replace")):
        return None
    return report if report.is_open else None


def state_of(report: Report) -> ReportState:
    """Where a report stands."""
    if report.revoked_at is not None:
        return ReportState(report, "revoked", None)
    if report.is_expired:
        return ReportState(report, "expired", None)
    if report.frozen_at is not None:
        return ReportState(report, "ready", None)
    job = jobs.latest_for(report.subject)
    failed = job is None or job.state in {State.FAILED, State.CANCELLED}
    return ReportState(report, "failed" if failed else "preparing", job)


def frozen_bytes(report: Report) -> bytes:
    """The frozen document's own bytes.

    Raises:
        ValueError: if a worker has not made it yet, or it was erased.
    """
    if report.document is None:
        raise ValueError(f"report {report.pk} holds no document")
    return unpack_bytes(report.document)


def frozen(report: Report) -> Document:
    """The frozen document.

    Raises:
        ValueError: if a worker has not made it yet, or it was erased.
    """
    return parse(frozen_bytes(report))


def purge(*, before: datetime) -> int:
    """Erase what reports showed that were revoked, or expired before that time; how many. Their rows stay."""
    ended = Q(expires_at__lt=before) | Q(revoked_at__isnull=False)
    return Report.objects.filter(ended).exclude(document=None).update(document=None)
