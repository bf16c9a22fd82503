"""Make a preset of a workspace's configuration, or propose it to those who may."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access
from budgeteer.presets import proposals
from budgeteer.presets import services as presets
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preset_editing.proposal_forms import SaveAsPresetForm
from budgeteer.workbench.preset_editing.workspace_config import PresetSettings, settings_of
from budgeteer.workbench.views.responses import get_workspace_for_user
from budgeteer.workbench.views.unusable_config import page_or_way_back


@access(read=AccountRole.EDITOR)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def save_as_preset(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """The form, and what it makes: a new preset, a draft of a preset's next version, or a proposal of either."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    return page_or_way_back(request, workspace, lambda: _answer(request, workspace))


def _answer(request: SignedInRequest, workspace: Workspace) -> HttpResponse:
    settings = settings_of(workspace)
    offered = [version.preset for version in presets.newest_versions()]
    form = SaveAsPresetForm(request.POST or None, presets=offered)
    if request.method == "POST" and form.is_valid():
        return _save(request, settings, form)
    context = {
        "workspace": workspace,
        "settings": settings,
        "form": form,
        "may_publish": presets.may_edit(request.user),
    }
    status = 422 if form.errors else 200
    return render(request, "workbench/save_as_preset.html", context, status=status)


def _save(request: SignedInRequest, settings: PresetSettings, form: SaveAsPresetForm) -> HttpResponse:
    proposal = proposals.propose(request.user, settings.config, form.words, preset=form.preset)
    if not presets.may_edit(request.user):
        messages.success(request, "Proposed. The administrators see it in the list of proposals.")
    elif proposal.preset is None:  # nobody follows it, so that there is nothing to look at first
        version = proposals.publish(proposal, by=request.user, seen=0)
        messages.success(request, f"{version.preset.title} v{version.number} is published.")
        return HttpResponseRedirect(version.get_absolute_url(), status=303)
    return HttpResponseRedirect(proposal.get_absolute_url(), status=303)
