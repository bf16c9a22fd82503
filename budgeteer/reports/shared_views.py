"""The public pages of a report, for anyone with the link and its password. Of readers, how many came is stored."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Final

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import public
from budgeteer.accounts import throttling
from budgeteer.accounts.sign_in_log import origin_of
from budgeteer.jobs.job_view import REFRESH_SECONDS
from budgeteer.reports import services
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.registry import kind_for
from budgeteer.reports.models import Report
from budgeteer.reports.report_prompt import PIECES_A_PAGE, prompt_pieces, prompt_text
from budgeteer.reports.sharing import password
from budgeteer.reports.sharing.embedding import allow_frames
from budgeteer.reports.standalone import to_html

PDF: Final = "application/pdf"

type SharedView = Callable[Concatenate[HttpRequest, Report, Document, ...], HttpResponse]


def _shared(view: SharedView) -> Callable[..., HttpResponse]:
    """Open the report behind a token for a view; every link that leads nowhere gets the same calm page."""

    @public
    @require_safe
    @gzip_page  # the page holds no secret of a reader's that its size could tell
    @functools.wraps(view)
    def open_and_show(request: HttpRequest, token: str, **rest: Any) -> HttpResponse:
        report = services.by_token(token)
        if report is None:
            return _private(render(request, "reports/gone.html", status=404))
        if not (password.is_unlocked(request, report) or _is_owner(request, report)):
            return _locked(request, report)
        state = services.state_of(report)
        if state.standing == "failed":
            return _private(render(request, "reports/gone.html", status=404))
        if state.standing == "preparing":
            waiting = render(request, "reports/preparing.html", {"report": report})
            waiting["Refresh"] = str(REFRESH_SECONDS)
            return _private(waiting)
        return _private(view(request, report, services.frozen(report), **rest))

    return open_and_show


@public
@require_POST
def unlock(request: HttpRequest, token: str) -> HttpResponse:
    """Take a report's password, and remember in this browser that it was right."""
    report = services.by_token(token)
    if report is None:
        return _private(render(request, "reports/gone.html", status=404))
    try:
        counted = throttling.count_report(request, str(report.pk))
    except throttling.TooManyAttempts as refusal:
        record(
            SecurityEvent.REPORT_LIMITED,
            report=str(report.pk),
            address_key=origin_of(request),
            seconds=refusal.seconds,
        )
        limited = _locked(request, report, status=429, wait=throttling.waiting_time(refusal.seconds))
        limited["Retry-After"] = str(refusal.seconds)
        return limited
    if report.password and not password.is_right(report, request.POST.get("password", "")):
        record(SecurityEvent.REPORT_REFUSED, report=str(report.pk), address_key=origin_of(request))
        return _locked(request, report, is_wrong=True)
    counted.succeeded()
    response = _private(redirect(report.get_absolute_url()))
    password.remember(response, report)
    return response


def _locked(request: HttpRequest, report: Report, *, status: int = 403, **context: Any) -> HttpResponse:
    """The page that asks for the password, whatever of the report was asked for; it tells nothing of the report.

    A browser that may send no referrer sends its form without an origin, and a form without one is refused.
    """
    response = _private(render(request, "reports/locked.html", {"token": report.token, **context}, status=status))
    response["Referrer-Policy"] = "same-origin"
    return response


def _is_owner(request: HttpRequest, report: Report) -> bool:
    """Whether its owner looks. Without a session's cookie nothing is asked: an answer then depends on no cookie."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.pk == report.owner_id


@_shared
def page(request: HttpRequest, report: Report, document: Document) -> HttpResponse:
    """The report. Opening it counts, turning its pages and filtering does not."""
    if request.method == "GET" and not request.GET and not _is_owner(request, report):
        services.count_opening(report)
    kind = kind_for(document)
    context = {
        "report": report,
        "document": document,
        "kind": kind,
        "picture": ""
        if report.password
        else request.build_absolute_uri(reverse("reports:picture", args=(report.token,))),
        **kind.context(document, request.GET),
    }
    return render(request, "reports/shared.html", context)


@_shared
def prompt(request: HttpRequest, report: Report, document: Document) -> HttpResponse:
    """The packed prompt in prompt order, with placeholders for what went."""
    if document["prompt"] is None:
        return render(request, "reports/gone.html", status=404)
    pieces = Paginator(prompt_pieces(document), PIECES_A_PAGE).get_page(request.GET.get("page"))
    context = {"report": report, "document": document, "pieces": pieces}
    return render(request, "reports/prompt.html", context)


@_shared
def prompt_file(request: HttpRequest, _report: Report, document: Document) -> HttpResponse:
    """The packed prompt as plain text."""
    if document["prompt"] is None:
        return render(request, "reports/gone.html", status=404)
    return _file(prompt_text(document), document, kind="text/plain", suffix="txt")


@_shared
def embed(request: HttpRequest, report: Report, document: Document) -> HttpResponse:
    """The figures without the items, for frames on the sites that the owner named; nothing where none is."""
    if not report.embed_on:
        return render(request, "reports/gone.html", status=404)
    if request.method == "GET" and not _is_owner(request, report):
        services.count_opening(report)
    kind = kind_for(document)
    context = {"report": report, "document": document, "kind": kind, **kind.context(document, QueryDict())}
    response = render(request, "reports/embed.html", context)
    allow_frames(response, report.embed_on.split())
    return response


@_shared
def picture(request: HttpRequest, report: Report, document: Document) -> HttpResponse:
    """The picture that previews of the link show: numbers and the bar. A report with a password has none."""
    if report.password:
        return render(request, "reports/gone.html", status=404)
    return HttpResponse(kind_for(document).to_png(document), content_type="image/png")


@_shared
def html_file(_request: HttpRequest, _report: Report, document: Document) -> HttpResponse:
    """The report as one file that needs nothing else."""
    return _file(to_html(document), document, kind="text/html", suffix="html")


@_shared
def json_file(_request: HttpRequest, report: Report, document: Document) -> HttpResponse:
    """The frozen document, byte for byte."""
    return _file(services.frozen_bytes(report), document, kind="application/json", suffix="json")


@_shared
def csv_file(_request: HttpRequest, _report: Report, document: Document) -> HttpResponse:
    """Its table: of a packed prompt every item as a row."""
    return _file(kind_for(document).to_csv(document), document, kind="text/csv", suffix="csv")


@_shared
def markdown_file(_request: HttpRequest, _report: Report, document: Document) -> HttpResponse:
    """The report as Markdown."""
    return _file(kind_for(document).to_markdown(document), document, kind="text/markdown", suffix="md")


@_shared
def pdf_file(_request: HttpRequest, _report: Report, document: Document) -> HttpResponse:
    """The report as pages to print."""
    from budgeteer.reports.files.pdf import to_pdf  # compiles ReportLab's patterns, which nothing else needs

    content = to_pdf(document, kind_for(document).to_blocks(document))
    return _file(content, document, kind=PDF, suffix="pdf")


def _file(content: str | bytes, document: Document, *, kind: str, suffix: str) -> HttpResponse:
    """A download. Its name is made from the frozen title alone: a public answer says nothing beside the document."""
    is_text = kind != PDF
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8" if is_text else kind)
    name = f"{slugify(document['report']['title'])[:60] or 'report'}.{suffix}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _private(response: HttpResponse) -> HttpResponse:
    """Out of search engines and caches, and no address in anybody's referrer log."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
