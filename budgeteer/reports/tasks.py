"""The job that freezes a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from django.utils import timezone

from budgeteer.engine.errors import InputError
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import job
from budgeteer.presentation.header import figures_of
from budgeteer.reports import services
from budgeteer.reports.document import Document, dump, pack_bytes
from budgeteer.reports.levels.redacted import message_texts
from budgeteer.reports.models import Content, Report
from budgeteer.reports.scanning.findings import findings_of, values_of
from budgeteer.reports.scanning.masks import masked
from budgeteer.reports.scanning.scan import scan_document
from budgeteer.reports.snapshot import Heading, InputUsed, freeze, public_copy
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.editable import preset_of
from budgeteer.workbench.frozen_workspace import read_snapshot
from budgeteer.workbench.models import WorkspaceSource

STEPS = 5


@job("reports.freeze", title="Freeze a report")
def freeze_report(context: JobContext, *, report_id: str, **_earlier: object) -> dict[str, Any] | None:
    """Pack the workspace as it stood when it was shared, and store the frozen document once.

    A job that an earlier version asked for names more; its report holds no snapshot and is refused.

    Raises:
        InputError: a source is gone or was imported anew since, or inputs or configuration cannot be packed.
    """
    report = Report.objects.filter(pk=report_id).first()
    if report is None or report.frozen_at is not None or not report.is_open:
        return None
    if not report.snapshot:
        raise InputError("this report was asked for by an earlier version", mend="Share the workspace again")
    document, texts = _document(context, report=report)
    shown = public_copy(document, content=report.content, message_texts=texts)
    context.progress(STEPS - 1, STEPS, "steps", "Looking for secrets and personal data")
    findings = None if report.content == Content.NUMBERS else findings_of(scan_document(shown), shown)
    content = dump(shown)
    verdict = {key: document["packing"]["verdict"][key] for key in ("level", "sentence")}
    context.progress(STEPS, STEPS, "steps", "Frozen.")
    result = {"bytes": len(content)}
    with context.finishing(result):
        Report.objects.filter(pk=report.pk, frozen_at=None, revoked_at=None).update(
            document=pack_bytes(content),
            verdict=verdict,
            frozen_at=timezone.now(),
            snapshot={},
            findings=findings,
            is_held=findings is not None,
        )
    return result


@job("reports.mask", title="Mask findings in a report")
def mask_report(context: JobContext, *, report_id: str, masks: list[int]) -> dict[str, Any] | None:
    """Mask the chosen findings in a held report's document, and open its link."""
    report = Report.objects.filter(pk=report_id, is_held=True).first()
    if report is None or report.document is None or report.findings is None or not report.is_open:
        return None
    context.progress(0, 1, "steps", "Masking what was found")
    document = services.frozen(report)
    content = dump(masked(document, values_of(report.findings, document, masks)))
    result = {"bytes": len(content)}
    with context.finishing(result):
        Report.objects.filter(pk=report.pk, is_held=True, revoked_at=None).update(
            document=pack_bytes(content), findings=None, is_held=False
        )
    return result


def _document(context: JobContext, *, report: Report) -> tuple[Document, Iterator[str]]:
    """The full document, and the texts of its messages, read one after the other."""
    steps = count(1)
    context.progress(0, STEPS, "steps", "Packing")
    workspace, links = read_snapshot(report.snapshot, owner_id=report.owner_id)
    packing = workbench.packing_of(workspace, links)

    def progress(sentence: str) -> None:
        context.progress(next(steps), STEPS, "steps", sentence)

    version = preset_of(workspace)
    document = freeze(
        packing,
        heading=Heading(report.title, report.created_at, (version.preset.slug, version.number)),
        inputs=list(_inputs(links)),
        figures=figures_of(packing),
        progress=progress,
    )
    return document, message_texts(packing)


def _inputs(links: Sequence[WorkspaceSource]) -> Iterator[InputUsed]:
    """What was packed: of several conversations the first one only."""
    conversations = 0
    for link in links:
        conversations += link.source.kind == "conversation"
        if link.source.kind == "conversation" and conversations > 1:
            continue
        yield InputUsed(
            name=link.source.name,
            kind=link.source.kind,
            format=link.source.format,
            sha256=link.source.sha256,
            size_bytes=link.source.size_bytes,
            conversation=link.conversation_index,
        )


@sweep("ended reports")
def purge_ended(now: datetime) -> int:
    """What reports showed whose link has ended."""
    return services.purge(before=now)
