"""The summary of older history: edit it, restore it, or have it written again."""

from __future__ import annotations

import uuid
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.engine.errors import InputError
from budgeteer.workbench import summary_store
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.state import ViewState
from budgeteer.workbench.views.responses import (
    back_to,
    build_page,
    get_workspace_for_user,
    render_page,
    render_swaps,
)


@access()
@require_POST
def summary(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Save the wording; or, with `act`, restore what was written or have it written again."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    state = ViewState.read(request.POST)
    row = found_or_404(summary_store.find(workspace.owner_id, request.POST.get("key", "")), "summary")
    act = request.POST.get("act", "")
    if act == "again":
        return _write_again(request, workspace, row.key, state)
    if act == "restore":
        summary_store.restore(row)
        return _answer(request, workspace, state)
    text = request.POST.get("text", "")
    try:
        summary_store.edit(row, text, max_chars=EditableConfig.of(workspace).config.history.summary_max_chars)
    except InputError as error:
        page = build_page(workspace, state, refused_summary=(text, error.sentence))
        if request.htmx:
            return render_swaps(request, page, whole_form=False)
        return render_page(request, page, status=422)
    return _answer(request, workspace, state)


def _write_again(request: SignedInRequest, workspace: Workspace, key: str, state: ViewState) -> HttpResponse:
    """To the job's page, and from there back to the summary."""
    job = summary_store.write_again(workspace, key)
    back = state.address(workspace.get_absolute_url())
    there = f"{reverse('jobs:detail', args=[job.id])}?{urlencode({'then': back})}"
    return HttpResponseClientRedirect(there) if request.htmx else redirect(there)


def _answer(request: SignedInRequest, workspace: Workspace, state: ViewState) -> HttpResponse:
    if request.htmx:
        return render_swaps(request, build_page(workspace, state), whole_form=False)
    messages.success(request, "The summary is in use.")
    return back_to(workspace, state)
