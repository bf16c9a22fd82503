"""Proposals of preset versions: the list, the comparison with the current version, and the decision."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access
from budgeteer.engine.errors import BudgeteerError
from budgeteer.jobs.job_view import REFRESH_SECONDS
from budgeteer.presets import proposals
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetProposal
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.preset_editing.impact_view import start_impact
from budgeteer.workbench.preset_editing.proposal_forms import ProposalForm
from budgeteer.workbench.preset_editing.proposal_page import ProposalReader, proposal_page

#: How many proposals the list shows, the last changed first.
LISTED = 200
ANSWER_CHARS = 240


@access()
@never_cache
@require_safe
def listing(request: SignedInRequest) -> HttpResponse:
    """A person's own proposals and drafts; everybody's proposals for those who may publish presets."""
    rows = list(proposals.visible_to(request.user)[:LISTED])
    context = {
        "pending": [row for row in rows if row.is_pending],
        "decided": [row for row in rows if not row.is_pending],
        "may_publish": presets.may_edit(request.user),
    }
    return render(request, "workbench/proposals.html", context)


@access()
@never_cache
@require_safe
def proposal(request: SignedInRequest, proposal_id: int) -> HttpResponse:
    """One proposal, setting by setting beside the current version."""
    return _page(request, get_proposal(request, proposal_id))


@access(write=AccountRole.ADMIN)
@require_POST
def impact(request: SignedInRequest, proposal_id: int) -> HttpResponse:
    """Try a proposal on every workspace that follows its preset."""
    chosen = get_proposal_to_decide(request, proposal_id)
    if chosen.preset is not None and chosen.is_pending:
        start_impact(chosen, request.user)
    return HttpResponseRedirect(chosen.get_absolute_url(), status=303)


@access(write=AccountRole.ADMIN)
@require_POST
def publish(request: SignedInRequest, proposal_id: int) -> HttpResponse:
    """Publish a proposal with the words of the form, as the next version."""
    chosen = get_proposal_to_decide(request, proposal_id)
    form = ProposalForm(request.POST, instance=chosen)
    seen = request.POST.get("seen", "")
    if not chosen.is_pending:
        messages.error(request, f"This is {chosen.get_state_display().lower()} already.")
    elif not form.is_valid():
        return _page(request, get_proposal(request, proposal_id), form=form)
    else:
        try:
            form.save(commit=False).save(update_fields=[*form.fields, "updated_at"])
            number = int(seen) if seen.isdecimal() and len(seen) < 10 else -1
            version = proposals.publish(chosen, by=request.user, seen=number)
        except BudgeteerError as error:
            messages.error(request, error_parts(error)["sentence"])
        else:
            messages.success(
                request,
                f"{version.preset.title} v{version.number} is published. New workspaces use it; existing ones are "
                "offered it.",
            )
            return HttpResponseRedirect(version.get_absolute_url(), status=303)
    return HttpResponseRedirect(chosen.get_absolute_url(), status=303)


@access(write=AccountRole.ADMIN)
@require_POST
def decline(request: SignedInRequest, proposal_id: int) -> HttpResponse:
    """Decline a proposal with a note for its author, or discard one's own draft."""
    chosen = get_proposal_to_decide(request, proposal_id)
    answer = " ".join(request.POST.get("answer", "").replace("\0", " ").split())[:ANSWER_CHARS]
    is_draft = chosen.state == PresetProposal.State.DRAFT
    if not answer and not is_draft:
        messages.error(request, "Say in a few words why: it is shown to the author.")
        return HttpResponseRedirect(chosen.get_absolute_url(), status=303)
    try:
        proposals.decline(chosen, by=request.user, answer=answer)
    except BudgeteerError as error:
        messages.error(request, error_parts(error)["sentence"])
    else:
        messages.success(request, "The draft is discarded." if is_draft else "Declined; its author reads why.")
    return HttpResponseRedirect(chosen.get_absolute_url(), status=303)


def get_proposal(request: SignedInRequest, proposal_id: int) -> PresetProposal:
    """The proposal, for its author and for those who may publish it.

    Raises:
        Http404: it is somebody else's, or there is none.
    """
    return found_or_404(proposals.visible_to(request.user).filter(pk=proposal_id).first(), "proposal")


def get_proposal_to_decide(request: SignedInRequest, proposal_id: int) -> PresetProposal:
    """The proposal, for those who may publish it.

    Raises:
        Http404: there is none.
        PermissionDenied: this administrator may not change presets.
    """
    if not presets.may_edit(request.user):
        raise PermissionDenied("You may not change presets.")
    return get_proposal(request, proposal_id)


def _page(request: SignedInRequest, chosen: PresetProposal, *, form: ProposalForm | None = None) -> HttpResponse:
    page = proposal_page(chosen, ProposalReader.of(request.user), form=form)
    response = render(request, "workbench/proposal.html", {"page": page}, status=422 if form else 200)
    if page.impact is not None and page.impact.is_under_way:
        response["Refresh"] = str(REFRESH_SECONDS)
    return response
