"""The job that freezes a report."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.utils import timezone

from budgeteer.engine.errors import InputError
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import job
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.reports.document import Document, dump, pack_bytes
from budgeteer.reports.freezing import Heading, InputUsed, freeze, public_copy
from budgeteer.reports.models import Report
from budgeteer.sources.models import Source
from budgeteer.workbench import services as workbench
from budgeteer.workbench.header import figures_of
from budgeteer.workbench.models import Workspace

STEPS = 4


@job("reports.freeze", title="Freeze a report")
def freeze_report(
    context: JobContext,
    *,
    report_id: str,
    preset_slug: str,
    preset_number: int | None,
    config_delta: dict[str, Any],
) -> dict[str, Any] | None:
    """Pack the workspace as it stood when it was shared, and store the frozen document once."""
    report = Report.objects.select_related("workspace").filter(pk=report_id).first()
    if report is None or report.document is not None or report.revoked_at is not None:
        return None
    workspace = report.workspace
    if workspace is None:
        raise InputError("the workspace of this report is gone", mend="Share another one.")
    workspace.preset_slug = preset_slug
    workspace.preset_number = preset_number
    workspace.config_delta = config_delta
    document = _document(context, report=report, workspace=workspace)
    content = dump(public_copy(document, content=report.content))
    verdict = {key: document["packing"]["verdict"][key] for key in ("level", "sentence")}
    context.progress(STEPS, STEPS, "steps", "Frozen.")
    result = {"bytes": len(content)}
    with context.finishing(result):
        Report.objects.filter(pk=report.pk, document=None, revoked_at=None).update(
            document=pack_bytes(content), verdict=verdict, frozen_at=timezone.now()
        )
    return result


def _document(context: JobContext, *, report: Report, workspace: Workspace) -> Document:
    steps = count(1)
    context.progress(0, STEPS, "steps", "Packing")
    packing = workbench.packing_of(workspace)

    def progress(sentence: str) -> None:
        context.progress(next(steps), STEPS, "steps", sentence)

    version = _version(workspace)
    return freeze(
        packing,
        heading=Heading(report.title, report.created_at, (version.preset.slug, version.number)),
        inputs=_inputs(workspace),
        figures=figures_of(packing),
        progress=progress,
    )


def _version(workspace: Workspace) -> PresetVersion:
    if workspace.preset_number is None:
        return presets.current(workspace.preset_slug)
    return PresetVersion.objects.select_related("preset").get(
        preset__slug=workspace.preset_slug, number=workspace.preset_number
    )


def _inputs(workspace: Workspace) -> list[InputUsed]:
    return [
        InputUsed(
            name=link.source.name,
            kind=link.source.kind,
            format=link.source.format,
            sha256=link.source.sha256,
            size_bytes=link.source.size_bytes,
            conversation=link.conversation_index,
        )
        for link in workspace.links.select_related("source").filter(
            source__deleted_at__isnull=True, source__state=Source.State.READY
        )
    ]
