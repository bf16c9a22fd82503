"""Reports: list, share, revoke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import Field, field_validator, model_validator

from budgeteer.access.lookups import found_or_404
from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.collections import services as collections
from budgeteer.engine.errors import BudgeteerError, InputError
from budgeteer.http_api.cursors import MOST_ROWS, PAGE_ROWS, page_of
from budgeteer.http_api.operations.jobs import ErrorOut
from budgeteer.http_api.operations.texts import Line, Text
from budgeteer.http_api.routing import ApiSchema, InputSchema, owner_of, route
from budgeteer.reports import services
from budgeteer.reports.kinds.registry import KINDS
from budgeteer.reports.models import DEFAULT_DAYS, LONGEST_DAYS, Content, Report
from budgeteer.reports.sharing.embedding import MOST_CHARS as MOST_ORIGIN_CHARS
from budgeteer.reports.sharing.embedding import origins_in
from budgeteer.reports.sharing.password import LEAST_CHARS, MOST_CHARS
from budgeteer.reports.sharing.publish_request import PublishRequest
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench import services as workbench
from budgeteer.workbench.comparing.model_table import MOST_MODELS, SEPARATOR
from budgeteer.workbench.config_form.apply import error_parts

router = Router()


class ShareIn(InputSchema):
    """How to share: `content` is how much the report tells, `days` how long its link is good for.

    With a `password` the link alone opens nothing. `embedOn` are the sites that may show the report in a frame, as
    origins separated by blanks; a report has one of the two at most.
    """

    title: Annotated[Line, Field(max_length=120)] = ""
    content: Content = Content.NUMBERS
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = DEFAULT_DAYS
    password: Annotated[Text, Field(max_length=MOST_CHARS)] = ""
    embed_on: Annotated[Line, Field(max_length=MOST_ORIGIN_CHARS)] = ""

    @field_validator("password")
    @classmethod
    def _is_long_enough(cls, password: str) -> str:
        if password and len(password) < LEAST_CHARS:
            raise ValueError(f"a password has at least {LEAST_CHARS} characters")
        return password

    @field_validator("embed_on")
    @classmethod
    def _are_origins(cls, text: str) -> str:
        try:
            return " ".join(origins_in(text))
        except InputError as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if self.password and self.embed_on:
            raise ValueError("a report with a password cannot be embedded: a frame keeps no cookie")
        return self


class ReportIn(ShareIn):
    """What to share of a workspace, and how.

    `kind` is the packed prompt where nothing is said; a comparison of two sides `a` and `b`, each `own`,
    `preset:SLUG@VERSION`, `model:NAME` or `workspace:ID`; the sweep `over` a limit, such as `inputBudget`; or the
    configuration on up to five `models`.
    """

    kind: Literal["packing", "comparison", "sweep", "models"] = "packing"
    a: Annotated[Line, Field(max_length=200)] = ""
    b: Annotated[Line, Field(max_length=200)] = ""
    over: Annotated[Line, Field(max_length=200)] = ""
    models: Annotated[list[Annotated[Line, Field(max_length=80)]], Field(max_length=MOST_MODELS)] = Field(
        default_factory=list
    )


class ReportOut(ApiSchema):
    """A report: preparing, held, ready, failed, expired or revoked. `url` is its public link, "" once it has ended.

    Its `kind` is packing, comparison, sweep, evaluation or models.

    A report in which a scan found secrets or personal data is held: the link opens nothing until its owner has decided
    about them on the page of shared reports.
    """

    id: UUID
    kind: str
    title: str
    content: str
    state: str
    url: str
    workspace_id: UUID | None
    evaluation_id: UUID | None
    has_password: bool
    embed_on: str
    error: ErrorOut | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class ReportListOut(ApiSchema):
    """A page of reports; `next` is the cursor of the next one, null on the last."""

    items: list[ReportOut]
    next: str | None


@route(router, "GET", "/reports", scope=Scope.REPORTS_READ, response=ReportListOut)
def list_reports(
    request: HttpRequest, cursor: str = "", limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS
) -> ReportListOut:
    """List the reports that the account has shared, newest first."""
    page = page_of(services.reports_of(owner_of(request)), cursor=cursor, limit=limit)
    return ReportListOut(items=[_shown(request, row) for row in page.rows], next=page.next_cursor or None)


@route(router, "GET", "/reports/{uuid:report_id}", scope=Scope.REPORTS_READ, response=ReportOut)
def get_report(request: HttpRequest, report_id: UUID) -> ReportOut:
    """Read how a report stands."""
    return _shown(request, _report(request, report_id))


@route(
    router,
    "POST",
    "/workspaces/{uuid:workspace_id}/reports",
    scope=Scope.REPORTS_WRITE,
    response=ReportOut,
    status=201,
    body="json",
    is_keyed=True,
)
def create_report(request: HttpRequest, workspace_id: UUID, payload: ReportIn) -> Status[ReportOut]:
    """Share a workspace as it stands now: a frozen copy behind a link that nobody can guess. A worker makes it."""
    owner = owner_of(request)
    workspace = found_or_404(workbench.of(owner, workspace_id), "workspace")
    given = {**payload.dict(), "models": SEPARATOR.join(payload.models)}
    question = {name: given[name] for name in KINDS[payload.kind].question}
    order = replace(_order(payload), kind=payload.kind, question=question)
    report = _published(lambda: services.publish(workspace, order, owner=owner), where="workspace")
    return Status(201, _shown(request, report))


@route(
    router,
    "POST",
    "/evaluations/{uuid:run_id}/reports",
    scope=Scope.REPORTS_WRITE,
    response=ReportOut,
    status=201,
    body="json",
    is_keyed=True,
)
def create_evaluation_report(request: HttpRequest, run_id: UUID, payload: ShareIn) -> Status[ReportOut]:
    """Share what an evaluation found: sums and no text, behind a link that nobody can guess."""
    owner = owner_of(request)
    run = found_or_404(collections.run_of(owner, run_id), "evaluation")
    report = _published(lambda: services.publish_evaluation(run, _order(payload), owner=owner), where="evaluation")
    return Status(201, _shown(request, report))


def _order(payload: ShareIn) -> PublishRequest:
    return PublishRequest(
        title=payload.title,
        content=payload.content.value,
        days=payload.days,
        password=payload.password,
        embed_on=payload.embed_on,
    )


def _published(publish: Callable[[], Report], *, where: str) -> Report:
    try:
        return publish()
    except BudgeteerError as error:
        parts = error_parts(error)
        raise ApiProblem(
            ProblemKind.CONFLICT, parts["what"], where=parts["where"] or where, hint=parts["mend"]
        ) from error


@route(router, "POST", "/reports/{uuid:report_id}/revoke", scope=Scope.REPORTS_WRITE, response=ReportOut, is_keyed=True)
def revoke_report(request: HttpRequest, report_id: UUID) -> ReportOut:
    """End a report's link for good and erase what it showed."""
    report = _report(request, report_id)
    services.revoke(report)
    return _shown(request, report)


def _report(request: HttpRequest, report_id: UUID) -> Report:
    return found_or_404(services.of(owner_of(request), report_id), "report")


def _shown(request: HttpRequest, report: Report) -> ReportOut:
    state = services.state_of(report)
    path = report.get_absolute_url()
    error = state.job.error if state.job is not None and state.standing == "failed" else None
    return ReportOut(
        id=report.id,
        kind=report.kind,
        title=report.title,
        content=report.content,
        state=state.standing,
        url=request.build_absolute_uri(path) if path else "",
        workspace_id=report.workspace_id,
        evaluation_id=report.evaluation_id,
        has_password=bool(report.password),
        embed_on=report.embed_on,
        error=ErrorOut.of(error) if error else None,
        created_at=report.created_at,
        expires_at=report.expires_at,
        revoked_at=report.revoked_at,
    )
