"""The owner's pages: share a workspace, list its reports, revoke them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import get_text_list
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from budgeteer.access.lookups import found_or_404
from budgeteer.access.rules import access
from budgeteer.collections import services as collections
from budgeteer.collections.models import EvaluationRun
from budgeteer.engine.errors import BudgeteerError, InputError
from budgeteer.engine.packing.verdict_text import kept_sentence
from budgeteer.jobs.job_view import REFRESH_SECONDS
from budgeteer.reports import services
from budgeteer.reports.document import PACKING, KindName
from budgeteer.reports.forms import PublishForm
from budgeteer.reports.kinds.base import ReportSubject
from budgeteer.reports.kinds.registry import KINDS
from budgeteer.reports.models import Report
from budgeteer.reports.scanning.findings import found_values
from budgeteer.reports.sharing.publish_request import PublishRequest
from budgeteer.scanning.rules import label_of
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.models import Workspace

EVALUATION: Final[KindName] = "evaluation"
_MASK_DIGITS = 9
"""No place in a list of findings has more digits."""


ROWS_OF_DIALOG = 3
"""The dialog lists so many of the reports that there are, the newest; its page lists all."""


@dataclass(frozen=True, slots=True)
class SharedRow:
    """One report of a list, with its whole address ("" once it has ended) and where it stands."""

    report: Report
    address: str
    standing: services.Standing
    sentence: str

    @property
    def frame(self) -> str:
        """The markup that shows it on another site, "" where none may."""
        if not (self.address and self.report.embed_on):
            return ""
        return f'<iframe src="{self.address}embed/" title="Budget report" width="100%" height="640"></iframe>'

    @property
    def found(self) -> str:
        """How many values the scan found, in a sentence without its full stop."""
        return found_values(self.report.findings).sentence if self.report.findings else ""

    @property
    def models(self) -> str:
        """The models that it is about, "" before it is made and where an earlier version made it."""
        return str(get_text_list([*(self.report.verdict or {}).get("models", ())], "and"))

    @property
    def verdict(self) -> str:
        """The verdict in words, "" before there is one; put right where an earlier version froze it."""
        kept = self.report.verdict
        return kept_sentence(kept["level"], kept["sentence"]) if kept else ""


@access()
@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Every report the reader has shared."""
    owner = _owner(request)
    rows = _rows(request, services.reports_of(owner))
    return _refreshing(request, render(request, "reports/list.html", {"rows": rows}), rows)


@access()
@require_safe
@vary_on_headers("HX-Request")
def share(request: HttpRequest, workspace_id: UUID) -> HttpResponse:
    """What is shared of one workspace, and the form that shares it: a page, or the dialog's inside.

    The address may name another kind than the packed prompt, and its question.
    """
    workspace = _workspace(request, workspace_id)
    kind = KINDS.get(request.GET.get("kind", ""), KINDS[PACKING])
    question = {name: request.GET.get(name, "")[:200] for name in kind.question}
    try:
        sentence = kind.describe(ReportSubject(_owner(request), workspace=workspace, question=question))
    except BudgeteerError as error:
        messages.error(request, error_parts(error)["sentence"])
        return redirect("reports:share", workspace.id)
    form = _fresh_form(kind.name, question)
    form.fields["title"].widget.attrs["autofocus"] = True
    return _share_answer(request, _of_workspace(workspace, sentence), form)


@access()
@require_POST
@vary_on_headers("HX-Request")
def publish(request: HttpRequest, workspace_id: UUID) -> HttpResponse:
    """Share a workspace as it stands, or a comparison or a sweep of it."""
    workspace = _workspace(request, workspace_id)
    form = PublishForm(request.POST)
    return _publish(
        request, _of_workspace(workspace), form, lambda order, owner: services.publish(workspace, order, owner=owner)
    )


@access()
@require_safe
@vary_on_headers("HX-Request")
def share_evaluation(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What is shared of an evaluation, and the form that shares it."""
    target = _of_evaluation(_run(request, run_id))
    return _share_answer(request, target, _fresh_form(EVALUATION, {}))


@access()
@require_POST
@vary_on_headers("HX-Request")
def publish_evaluation(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Share what an evaluation found."""
    run = _run(request, run_id)
    form = PublishForm(request.POST, kind=EVALUATION)
    return _publish(
        request, _of_evaluation(run), form, lambda order, owner: services.publish_evaluation(run, order, owner=owner)
    )


def _publish(
    request: HttpRequest, target: ShareTarget, form: PublishForm, publish_it: Callable[[PublishRequest, User], Report]
) -> HttpResponse:
    if not form.is_valid():
        return _share_answer(request, target, form)
    try:
        publish_it(form.order(), _owner(request))
    except BudgeteerError as error:
        form.add_error(None, f"There is nothing to share yet: {error_parts(error)['sentence']}")
        return _share_answer(request, target, form)
    if _is_partial(request):
        return _share_answer(request, target, _fresh_form(target.kind, {}, content=form.cleaned_data["content"]))
    return redirect(f"{target.share_url}#shared")


@access()
@require_safe
@vary_on_headers("HX-Request")
def row(request: HttpRequest, report_id: UUID) -> HttpResponse:
    """One row of a list, asked for again while its report is being made."""
    report = _report(request, report_id)
    if not _is_partial(request):
        return redirect(f"{reverse('reports:list')}#report-{report.id}")
    return render(request, "reports/row.html", {"row": _row(request, report), "arrived": True})


@access()
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, report_id: UUID) -> HttpResponse:
    """What the scan of a report found, by place; a post masks what is chosen, or nothing, and opens the link."""
    report = _report(request, report_id)
    back = reverse("reports:list") + f"#report-{report.id}"
    if services.state_of(report).standing != "held":
        return redirect(back)
    if request.method == "POST":
        chosen = None if request.POST.get("as") == "is" else _chosen(request)
        try:
            services.decide(report, masks=chosen)
        except InputError as error:
            return _review_page(request, report, error=error_parts(error)["sentence"])
        return redirect(back)
    return _review_page(request, report)


def _chosen(request: HttpRequest) -> list[int]:
    """The finds whose boxes are ticked; what is no number is no find."""
    return [
        int(mask) if mask.isdecimal() and len(mask) <= _MASK_DIGITS else -1 for mask in request.POST.getlist("mask")
    ]


def _review_page(request: HttpRequest, report: Report, *, error: str = "") -> HttpResponse:
    findings = report.findings or {"finds": [], "isWhole": True, "more": 0}
    finds = [{**find, "label": label_of(find["kind"])} for find in findings["finds"]]
    found = found_values(findings).sentence
    context = {"report": report, "findings": {**findings, "finds": finds}, "found": found, "error": error}
    return render(request, "reports/review.html", context, status=400 if error else 200)


@access()
@require_POST
@vary_on_headers("HX-Request")
def revoke(request: HttpRequest, report_id: UUID) -> HttpResponse:
    """End a report's link for good."""
    report = _report(request, report_id)
    services.revoke(report)
    if _is_partial(request):
        return render(request, "reports/row.html", {"row": _row(request, report)})
    if request.POST.get("from") == "share":
        if report.workspace_id:
            return redirect(reverse("reports:share", args=(report.workspace_id,)) + "#shared")
        if report.evaluation_id:
            return redirect(reverse("reports:share_evaluation", args=(report.evaluation_id,)) + "#shared")
    return redirect("reports:list")


@dataclass(frozen=True, slots=True)
class ShareTarget:
    """What the page shares: its name and addresses, and what of it in a sentence, "" where the page says it."""

    name: str
    url: str
    share_url: str
    publish_url: str
    kind: str
    noun: str
    sentence: str = ""
    workspace: Workspace | None = None
    run: EvaluationRun | None = None


def _of_workspace(workspace: Workspace, sentence: str = "") -> ShareTarget:
    return ShareTarget(
        workspace.name,
        workspace.get_absolute_url(),
        reverse("reports:share", args=(workspace.id,)),
        reverse("reports:publish", args=(workspace.id,)),
        PACKING,
        "workspace",
        sentence,
        workspace=workspace,
    )


def _of_evaluation(run: EvaluationRun) -> ShareTarget:
    return ShareTarget(
        f"Evaluation of {run.collection.name}",
        run.get_absolute_url(),
        reverse("reports:share_evaluation", args=(run.id,)),
        reverse("reports:publish_evaluation", args=(run.id,)),
        EVALUATION,
        "evaluation",
        "The report holds the sums of the evaluation and never the text of a conversation, at any level.",
        run=run,
    )


def _fresh_form(kind: str, question: Mapping[str, str], *, content: str = "") -> PublishForm:
    """The form with no title: a workspace is mostly called like a file, and numbers only tells no names.

    `content` is what was chosen last, where the kind offers it.
    """
    form = PublishForm(initial={"form_key": uuid4(), "kind": kind, **question}, kind=kind)
    if content in KINDS[kind].levels:
        form.initial["content"] = content
    return form


def _share_answer(request: HttpRequest, target: ShareTarget, form: PublishForm) -> HttpResponse:
    rows = _rows(request, services.reports_of(_owner(request), workspace=target.workspace, run=target.run))
    context: dict[str, Any] = {"target": target, "form": form, "rows": rows}
    if _is_partial(request):
        hidden = len(rows) > ROWS_OF_DIALOG
        newest = {"rows": rows[:ROWS_OF_DIALOG], "all_rows": len(rows) if hidden else 0}
        return render(request, "reports/share_panel.html", context | newest)
    return _refreshing(request, render(request, "reports/share_page.html", context), rows)


def _rows(request: HttpRequest, reports: Iterable[Report]) -> list[SharedRow]:
    return [_row(request, report) for report in reports]


def _row(request: HttpRequest, report: Report) -> SharedRow:
    state = services.state_of(report)
    sentence = ""
    if state.standing == "failed":
        error = (state.job.error if state.job else None) or {}
        sentence = error.get("sentence", "The work was called off.")
    elif state.standing == "preparing" and state.job:
        sentence = state.job.sentence or "Waiting to start"
    address = report.get_absolute_url()
    return SharedRow(report, address and request.build_absolute_uri(address), state.standing, sentence)


def _refreshing(request: HttpRequest, response: HttpResponse, rows: Iterable[SharedRow]) -> HttpResponse:
    """Without script the page asks again by itself while a report is being made.

    The address is named because a browser that stands at `#shared` would only scroll, not ask.
    """
    if any(each.standing == "preparing" for each in rows):
        response["Refresh"] = f"{REFRESH_SECONDS}; url={request.path}"
    return response


def _is_partial(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _owner(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def _workspace(request: HttpRequest, workspace_id: UUID) -> Workspace:
    return found_or_404(workbench.of(_owner(request), workspace_id), "workspace")


def _run(request: HttpRequest, run_id: UUID) -> EvaluationRun:
    return found_or_404(collections.run_of(_owner(request), run_id), "evaluation")


def _report(request: HttpRequest, report_id: UUID) -> Report:
    return found_or_404(services.of(_owner(request), report_id), "report")
