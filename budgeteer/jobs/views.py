"""A job's page, which is its progress card, and the two buttons on it."""

from __future__ import annotations

import uuid
from typing import Final
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.jobs import registry, services
from budgeteer.jobs.job_view import job_card
from budgeteer.jobs.models import Job, JobState

#: The most of an address that is printed as what a job works on: a file's name.
ABOUT_CHARS: Final = 200


@access()
@never_cache
@vary_on_headers("HX-Request")
@require_GET
def detail(request: SignedInRequest, job_id: uuid.UUID) -> HttpResponse:
    """The job's page, or only its card for htmx; `?then=<path>` is where to go once it succeeded.

    A job that ended otherwise leads there as well where that page tells how it ended.
    """
    return _shown(request, _get_job_for_user(request.user, job_id))


@access()
@require_POST
def cancel(request: SignedInRequest, job_id: uuid.UUID) -> HttpResponse:
    """Call the job off."""
    job = _get_job_for_user(request.user, job_id)
    services.cancel(job)
    return _shown(request, job)


@access()
@require_POST
def retry(request: SignedInRequest, job_id: uuid.UUID) -> HttpResponse:
    """Queue a stopped job again."""
    job = _get_job_for_user(request.user, job_id)
    services.retry(job)
    return _shown(request, job)


def _get_job_for_user(user: User, job_id: uuid.UUID) -> Job:
    """Only the owner sees a job; for anybody else it does not exist."""
    return get_object_or_404(Job, id=job_id, owner=user)


def _shown(request: SignedInRequest, job: Job) -> HttpResponse:
    about = request.GET.get("about", "").replace("\0", "")[:ABOUT_CHARS]
    card = job_card(job, then=request.GET.get("then", ""), about=about)
    if request.htmx:
        is_told = job.is_finished and registry.is_told_by_page(job.kind)
        if card.then and (job.state == JobState.SUCCEEDED or is_told):
            return _go_on(request, card.then)
        return render(request, "jobs/detail.html#card", {"card": card})
    if request.method == "POST":
        return redirect(card.url)
    return render(request, "jobs/detail.html", {"card": card})


def _go_on(request: SignedInRequest, then: str) -> HttpResponse:
    """Reload the page the card stands on, or go to another one."""
    here = urlsplit(request.htmx.current_url_abs_path or "")
    there = urlsplit(then)
    if (here.path, here.query) == (there.path, there.query):
        return HttpResponseClientRefresh()
    return HttpResponseClientRedirect(then)
