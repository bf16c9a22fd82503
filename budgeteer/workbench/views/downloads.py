"""Downloads of a workspace: the packed prompt in provider form, its numbers, its configuration."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.errors import BudgeteerError
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_markdown, render_request, render_text
from budgeteer.engine.rendering.validity import check_every_provider
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.deferred_results import answered
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.export_menu import forms_of
from budgeteer.workbench.panels.sweep.drawing import sweep_choices
from budgeteer.workbench.panels.sweep.study import SweptLimit, sweep_study
from budgeteer.workbench.panels.table_exports import items_csv, sweep_csv, timeline_csv
from budgeteer.workbench.panels.timeline.study import Timeline, timeline_study
from budgeteer.workbench.preview import Packed, preview
from budgeteer.workbench.state import PanelName, ViewState
from budgeteer.workbench.tuned_export import seed_shaped, tuned
from budgeteer.workbench.views.responses import get_workspace_to_look_at


@dataclass(frozen=True, slots=True)
class Download:
    """One thing that can be had: the end of its file's name, what writes it, and the request form it is packed for."""

    suffix: str
    write: Callable[[Packing], Any]
    provider: str | None = None


OF_PACKING = {
    **{name: Download(f"{name}.json", render_request, name) for name in PROVIDERS},
    "text": Download("prompt.txt", render_text),
    "markdown": Download("prompt.md", render_markdown),
    "packing": Download(
        "packing.json", lambda packing: packing_to_json(packing, validity=check_every_provider(packing))
    ),
}
#: The tables that can be had as CSV, with the view that each belongs to.
TABLES = {"items": PanelName.MAP, "timeline": PanelName.TIMELINE, "sweep": PanelName.SWEEP}
OF_CONFIG: dict[str, tuple[str, Callable[[EditableConfig], Any]]] = {
    "config": ("config.json", lambda current: current.data),
    "delta": ("changes.json", lambda current: current.delta),
    "skills-budget": ("skills-budget.json", lambda current: {"skillsBudget": seed_shaped(current)}),
}


@access()
@require_safe
def export(request: SignedInRequest, workspace_id: uuid.UUID, what: str) -> HttpResponse:
    """One download; while the workspace cannot be packed, back to its page, which says why.

    A request may name another `model` of the form's provider than the one it is packed for.
    """
    workspace = get_workspace_to_look_at(request.user, workspace_id)
    current = EditableConfig.of(workspace)
    stem = slugify(workspace.name) or "workspace"
    if what in OF_CONFIG:
        suffix, write = OF_CONFIG[what]
        return _file(write(current), f"{stem}.{suffix}")
    if what not in OF_PACKING and what != "tuning":
        raise Http404("There is no such download")
    download = OF_PACKING.get(what) or Download("tuning.json", lambda packing: tuned(packing, current, workspace.edits))
    packed = preview(workspace, current, provider=download.provider).packed
    if packed is None:
        messages.error(request, "There is no packed prompt yet.")
        return redirect(workspace)
    packing = _naming(packed.packing, download, request.GET.get("model", ""))
    return _file(download.write(packing), f"{stem}.{download.suffix}")


def _naming(packing: Packing, download: Download, model: str) -> Packing:
    """The packing under the name of another model, which changes nothing else of it.

    Raises:
        Http404: that form's provider has no such model.
    """
    if not model or model == packing.model:
        return packing
    row = MODELS.get(model)
    if row is None or download.provider is None or row.provider not in forms_of(download.provider):
        raise Http404("There is no such model in this form")
    return replace(packing, allowance=replace(packing.allowance, row=row))


@access()
@require_safe
def table(request: SignedInRequest, workspace_id: uuid.UUID, what: str) -> HttpResponse:
    """One table as CSV; of a chart whose figures are not there yet, back to its view, which works them out."""
    workspace = get_workspace_to_look_at(request.user, workspace_id)
    if what not in TABLES:
        raise Http404("There is no such table")
    state = ViewState.read(request.GET)
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    text = None if packed is None else _table(what, workspace, packed, state)
    if text is None:
        messages.error(request, "The figures of this table are not there yet.")
        return redirect(state.address(workspace.get_absolute_url(), view=TABLES[what]))
    stem = slugify(workspace.name) or "workspace"
    return _file(text, f"{stem}.{what}.csv", kind="text/csv; charset=utf-8")


def _table(what: str, workspace: Workspace, packed: Packed, state: ViewState) -> str | None:
    """The table, None while a worker has to find its figures or there are none."""
    if what == "items":
        return items_csv(packed)
    try:
        if what == "timeline":
            played = answered(timeline_study(workspace, packed, state.replaying), workspace, draft=True)
            return timeline_csv(played) if isinstance(played, Timeline) else None
        over = next(choice.path for choice in sweep_choices(packed.packing, state) if choice.is_chosen)
        swept = answered(sweep_study(workspace, packed, over), workspace, draft=True)
    except BudgeteerError:
        return None
    return sweep_csv(swept) if isinstance(swept, SweptLimit) else None


def _file(content: Any, name: str, *, kind: str = "") -> HttpResponse:
    is_text = isinstance(content, str)
    body = content if is_text else json.dumps(content, indent=2, ensure_ascii=False)
    kind = kind or ("text/plain; charset=utf-8" if is_text else "application/json")
    data = body.encode("utf-8", errors="replace")
    return HttpResponse(data, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
