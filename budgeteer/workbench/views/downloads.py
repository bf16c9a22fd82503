"""Downloads of a workspace: the packed prompt in provider form, its numbers, its configuration."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_markdown, render_request, render_text
from budgeteer.engine.rendering.validity import check_every_profile
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.preview import preview
from budgeteer.workbench.tuned_export import seed_shaped, tuned
from budgeteer.workbench.views.responses import get_workspace_to_look_at


@dataclass(frozen=True, slots=True)
class Download:
    """One thing that can be had: the end of its file's name, what writes it, and the request form it is packed for."""

    suffix: str
    write: Callable[[Packing], Any]
    profile: str | None = None


OF_PACKING = {
    **{name: Download(f"{name}.json", render_request, name) for name in PROVIDERS},
    "text": Download("prompt.txt", render_text),
    "markdown": Download("prompt.md", render_markdown),
    "packing": Download(
        "packing.json", lambda packing: packing_to_json(packing, validity=check_every_profile(packing))
    ),
}
OF_CONFIG: dict[str, tuple[str, Callable[[EditableConfig], Any]]] = {
    "config": ("config.json", lambda current: current.data),
    "delta": ("changes.json", lambda current: current.delta),
    "skills-budget": ("skills-budget.json", lambda current: {"skillsBudget": seed_shaped(current)}),
}


@access()
@require_safe
def export(request: SignedInRequest, workspace_id: uuid.UUID, what: str) -> HttpResponse:
    """One download; while the workspace cannot be packed, back to its page, which says why."""
    workspace = get_workspace_to_look_at(request.user, workspace_id)
    current = EditableConfig.of(workspace)
    stem = slugify(workspace.name) or "workspace"
    if what in OF_CONFIG:
        suffix, write = OF_CONFIG[what]
        return _file(write(current), f"{stem}.{suffix}")
    if what not in OF_PACKING and what != "tuning":
        raise Http404("There is no such download")
    download = OF_PACKING.get(what) or Download("tuning.json", lambda packing: tuned(packing, current, workspace.edits))
    packed = preview(workspace, current, profile=download.profile).packed
    if packed is None:
        messages.error(request, "There is no packed prompt yet.")
        return redirect(workspace)
    return _file(download.write(packed.packing), f"{stem}.{download.suffix}")


def _file(content: Any, name: str) -> HttpResponse:
    is_text = isinstance(content, str)
    body = content if is_text else json.dumps(content, indent=2, ensure_ascii=False)
    kind = "text/plain; charset=utf-8" if is_text else "application/json"
    data = body.encode("utf-8", errors="replace")
    return HttpResponse(data, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
