"""Publish, find and revoke reports."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.collections.models import EvaluationRun
from budgeteer.engine.errors import InputError
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.reports.document import Document, parse, unpack_bytes
from budgeteer.reports.kinds.base import ReportSubject
from budgeteer.reports.kinds.registry import KINDS
from budgeteer.reports.models import Content, Report, ReportKindName, digest_of, expiry_in
from budgeteer.reports.sharing import password
from budgeteer.reports.sharing.publish_request import PublishRequest
from budgeteer.workbench.models import Workspace

KEEP_ENDED = timedelta(days=90)
"""How long the row of a report that has ended stays in its owner's list: title, dates and verdict."""

_ERASED: Final[dict[str, Any]] = {"document": None, "snapshot": {}, "token": "", "password": "", "findings": None}

_MADE: Final = ("frozen_at", "is_held", "findings", "verdict", "token", "revoked_at", "expires_at")
"""What of a report changes when it has been made, is opened by its owner, or ends."""

type Standing = Literal["preparing", "held", "ready", "failed", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report with where it stands and, while it is being made or was not, its job."""

    report: Report
    standing: Standing
    job: Job | None


def publish(workspace: Workspace, order: PublishRequest, *, owner: User) -> Report:
    """Make a report of the workspace as it stands now; a worker freezes it. The same form sent twice is one report.

    Without a title a full report has the workspace's name, and one that tells less has none.

    Raises:
        InputError: a source has not been imported or counted yet.
        BudgeteerError: the workspace cannot be packed, so there is nothing to report.
    """
    return _publish(order, ReportSubject(owner, workspace=workspace, question=order.question))


def publish_evaluation(run: EvaluationRun, order: PublishRequest, *, owner: User) -> Report:
    """Make a report of what an evaluation found, as above.

    Raises:
        InputError: it is not done.
    """
    return _publish(replace(order, kind=ReportKindName.EVALUATION), ReportSubject(owner, run=run))


def _publish(order: PublishRequest, asked: ReportSubject) -> Report:
    known = Report.objects.filter(owner=asked.owner, form_key=order.form_key).first() if order.form_key else None
    if known is not None:
        return known
    return _store(order, asked, snapshot=KINDS[order.kind].take(asked))


@transaction.atomic
def _store(order: PublishRequest, asked: ReportSubject, *, snapshot: dict[str, Any]) -> Report:
    owner = asked.owner
    report = Report(
        owner=owner,
        workspace=asked.workspace,
        evaluation=asked.run,
        kind=order.kind,
        title=order.title or (asked.name if order.content == Content.FULL else ""),
        content=order.content,
        password=password.hashed(order.password),
        embed_on=order.embed_on,
        expires_at=expiry_in(order.days),
        snapshot=snapshot,
        form_key=order.form_key,
    )
    try:
        with transaction.atomic():
            report.save(force_insert=True)
    except IntegrityError:
        return Report.objects.get(owner=owner, form_key=order.form_key)
    record(
        SecurityEvent.REPORT_PUBLISHED,
        report=str(report.pk),
        kind=str(order.kind),
        content=str(order.content),
        days=order.days,
        password="yes" if order.password else "no",
        embedded="yes" if order.embed_on else "no",
        by=owner.pk,
        **_made_from(asked),
    )
    jobs.enqueue("reports.freeze", arguments={"report_id": str(report.id)}, owner=owner, subject=report.subject)
    return report


def _made_from(asked: ReportSubject) -> dict[str, str]:
    """What a report is made from, as its event names it."""
    if asked.run is not None:
        return {"evaluation": str(asked.run.pk)}
    return {} if asked.workspace is None else {"workspace": str(asked.workspace.pk)}


def revoke(report: Report) -> None:
    """End the link for good and erase what it showed and was made from; a second time changes nothing."""
    if Report.objects.filter(pk=report.pk, revoked_at=None).update(revoked_at=timezone.now(), **_ERASED):
        record(SecurityEvent.REPORT_REVOKED, report=str(report.pk), by=report.owner_id)
    report.refresh_from_db()


def reports_of(
    owner: User, *, workspace: Workspace | None = None, run: EvaluationRun | None = None
) -> QuerySet[Report]:
    """The owner's reports, newest first, without their documents; of one workspace or evaluation where it is given."""
    rows = Report.objects.filter(owner=owner)
    rows = rows.select_related("workspace", "evaluation__collection").defer("document", "evaluation__record")
    rows = rows.filter(workspace=workspace) if workspace else rows
    return rows.filter(evaluation=run) if run else rows


def of(owner: User, report_id: UUID) -> Report | None:
    """The owner's report, None when there is none or it is another's."""
    return reports_of(owner).filter(pk=report_id).first()


def by_token(token: str) -> Report | None:
    """The report a link leads to; None when it never existed, has expired, was revoked or is held for its owner."""
    report = Report.objects.filter(token_digest=digest_of(token)).first()
    if report is None or not secrets.compare_digest(report.token.encode(), token.encode("utf-8", "replace")):
        return None
    return report if report.is_open and not report.is_held else None


def state_of(report: Report) -> ReportState:
    """Where a report stands, brought up to date where its job has ended since it was read."""
    if (standing := _settled(report)) is not None:
        return ReportState(report, standing, None)
    job = jobs.latest_for(report.subject)
    if job is not None and not job.is_finished:
        return ReportState(report, "preparing", job)
    with suppress(Report.DoesNotExist):  # deleted meanwhile: it stands as it was read
        report.refresh_from_db(fields=_MADE)
    if (standing := _settled(report)) is not None:
        return ReportState(report, standing, None)
    return ReportState(report, "held" if report.is_held else "failed", job)


def _settled(report: Report) -> Standing | None:
    """Where a report stands that waits for nothing; None for another."""
    if report.revoked_at is not None:
        return "revoked"
    if report.is_expired:
        return "expired"
    return "ready" if report.frozen_at is not None and not report.is_held else None


def decide(report: Report, *, masks: Sequence[int] | None) -> None:
    """Open a held report: as it is (None), or by a worker that masks these of its findings first.

    Raises:
        InputError: the report is not held, nothing is chosen, or there is no such finding.
    """
    if state_of(report).standing != "held":
        raise InputError("this report waits for no decision", mend="Look at the list of shared reports")
    if masks is not None and not masks:
        raise InputError("nothing is ticked: tick what to mask, or open the report as it is", where="mask")
    masks = masks or ()
    finds = report.findings["finds"] if report.findings else []
    if not all(0 <= mask < len(finds) for mask in masks):
        raise InputError("there is no such finding", where="mask", mend="Load the page again")
    record(SecurityEvent.REPORT_DECIDED, report=str(report.pk), masks=len(masks), of=len(finds), by=report.owner_id)
    if not masks:
        Report.objects.filter(pk=report.pk, is_held=True).update(is_held=False, findings=None)
        return
    arguments = {"report_id": str(report.id), "masks": sorted(set(masks))}
    jobs.enqueue_once("reports.mask", arguments=arguments, owner=report.owner, subject=report.subject)


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


def count_opening(report: Report) -> None:
    """Count that somebody else than its owner opened the report."""
    Report.objects.filter(pk=report.pk).update(opened=F("opened") + 1)


def purge(*, before: datetime) -> int:
    """Erase what reports showed that were revoked, or expired before that time; how many.

    Their rows stay in the owner's list for KEEP_ENDED, then they go too.
    """
    ended = Q(expires_at__lt=before) | Q(revoked_at__isnull=False)
    holding = Q(document__isnull=False) | ~Q(token="") | ~Q(snapshot={}) | ~Q(password="")
    erased = Report.objects.filter(ended & holding).update(**_ERASED)
    long_ago = before - KEEP_ENDED
    Report.objects.filter(Q(expires_at__lt=long_ago) | Q(revoked_at__lt=long_ago)).delete()
    return erased
