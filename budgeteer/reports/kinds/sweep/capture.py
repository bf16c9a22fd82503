"""Freeze a sweep. Its document is a packed prompt's without decisions and prompt, and

    {"sweep": {"path", "unit", "first", "last", "knee", "current",
               "steps": [{"at", "tokens", "kept", "fits", "sections": {name: tokens}}]}}

`knee` and `current` are values, null where there is none; tokens are those that are sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.result import Packing
from budgeteer.presentation.labels import in_sentence, swept_title
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.base import FrozenParts, ReportSubject
from budgeteer.reports.kinds.workspace_parts import heading_of, inputs_used, workspace_of
from budgeteer.reports.levels.redacted import message_texts
from budgeteer.reports.models import Report
from budgeteer.reports.snapshot import figures_of_packing, head_of, input_to_json
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.editable import EditableConfig, preset_of
from budgeteer.workbench.deferred_results import subject_of, within_study_time
from budgeteer.workbench.frozen_workspace import read_snapshot, take_snapshot
from budgeteer.workbench.panels.sweep.packed_values import current_value
from budgeteer.workbench.panels.sweep.study import AXES, SweptLimit, axes_of, sweep_limit
from budgeteer.workbench.preview import preview


def describe(asked: ReportSubject) -> str:
    """Which limit is swept.

    Raises:
        InputError: there is no such limit.
    """
    over = asked.question.get("over", "")
    if over not in AXES:
        raise _no_limit(over)
    return f"Shared is the sweep over {in_sentence(swept_title(over))}."


def _no_limit(over: str) -> InputError:
    return InputError(
        "this limit cannot be swept here", where=over[:80] or "over", mend="Choose one on the page of the sweep"
    )


def take(asked: ReportSubject) -> dict[str, Any]:
    """The workspace as it stands, and the limit that is swept.

    Raises:
        BudgeteerError: a source is still being imported or counted, or there is no such limit here.
    """
    workspace = workspace_of(asked.workspace)
    snapshot = take_snapshot(workspace)
    over = asked.question.get("over", "")
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    if packed is None:
        raise InputError("there is nothing to sweep yet", mend="Share it when the page shows the sweep")
    if over not in axes_of(packed.packing):
        raise _no_limit(over)
    return {"workspace": snapshot, "over": over}


def freeze(report: Report, progress: Callable[[str], None]) -> FrozenParts:
    """Pack at every value at which something changes, as the workspace stood.

    Raises:
        BudgeteerError: a source is gone or was imported anew since, nothing can be swept, or it takes too long.
    """
    workspace, links = read_snapshot(report.snapshot["workspace"], owner_id=report.owner_id)
    over = report.snapshot["over"]
    packing = workbench.packing_of(workspace, links)
    progress("Packing at every value at which something changes")
    swept = sweep_limit(subject_of(workspace, packing), over, within_study_time(lambda _done, _total: None))
    version = preset_of(workspace)
    document: Document = {
        "report": head_of(heading_of(report), "sweep"),
        "inputs": [input_to_json(each) for each in inputs_used(links)],
        **figures_of_packing(packing, (version.preset.slug, version.number)),
        "prompt": None,
        "sweep": _swept(swept, packing),
    }
    return FrozenParts(
        document, message_texts(packing), "", f"Sweep over {in_sentence(swept_title(over))}", (packing.model,)
    )


def _swept(swept: SweptLimit, packing: Packing) -> dict[str, Any]:
    return {
        "path": swept.path,
        "unit": swept.unit,
        "first": swept.first,
        "last": swept.last,
        "knee": swept.knee,
        "current": current_value(packing, swept.path),
        "steps": [
            {
                "at": step.at,
                "tokens": step.tokens,
                "kept": step.kept,
                "fits": step.fits,
                "sections": dict(step.sections),
            }
            for step in swept.steps
        ],
    }
