"""More of one part of the packed prompt: the rest of a long text, its tokens one by one, or what was left out there."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.panels.prompt.opened_part import OpenedPart, opened_part
from budgeteer.workbench.panels.prompt.parts import PromptPart, parts_of
from budgeteer.workbench.preview import Packed, preview
from budgeteer.workbench.views.responses import get_workspace_to_look_at

CHANGED = "This part has changed since it was shown. Open the Prompt view again."


@access()
@never_cache
@vary_on_headers("HX-Request")
@require_safe
def prompt_part(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """A piece to put in place for htmx; for a plain request the whole text."""
    workspace = get_workspace_to_look_at(request.user, workspace_id)
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    number, start = (_number(request.GET.get(name, "")) for name in ("part", "from"))
    parts = parts_of(packed).parts if packed is not None else ()
    if packed is None or number >= len(parts):
        raise Http404("There is no such part of the prompt")
    part = parts[number]
    if not request.htmx:
        return HttpResponse(_plain(packed, part).encode("utf-8", "replace"), content_type="text/plain; charset=utf-8")
    is_changed = part.digest != request.GET.get("of")
    by_token = request.GET.get("tokens") == "1"
    opened = None if is_changed else opened_part(packed, part, start=start, by_token=by_token)
    context = {"workspace": workspace, "opened": opened, "changed": CHANGED}
    return render(request, "workbench/prompt_part.html", context)


def _plain(packed: Packed, part: PromptPart) -> str:
    if not part.is_placeholder:
        return part.span.text
    opened: OpenedPart = opened_part(packed, part, start=0, by_token=False)
    return "\n".join(f"{row.name}\t{row.tokens}" for row in opened.items)


def _number(text: str) -> int:
    """A number of at most nine digits, 0 for anything else."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else 0
