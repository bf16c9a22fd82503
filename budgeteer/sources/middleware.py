"""If storage is unreachable, pages answer 503 with an explanation."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from budgeteer.access.bearer import is_api
from budgeteer.access.problems import ProblemKind, problem
from budgeteer.sources.files.storage import StorageAway

log = structlog.get_logger(__name__)


class StorageAwayMiddleware:
    """Answers 503 with a sentence where a view could not read or write stored files."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Hand the request on; `process_exception` is where the work is."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for a storage that is away; every other error is for others."""
        if not isinstance(exception, StorageAway):
            return None
        log.warning("storage away", reason=exception.sentence)
        if is_api(request.path_info):
            return problem(ProblemKind.AWAY, exception.sentence, hint="Try again in a minute")
        return render(request, "sources/storage_away.html", {"error": exception}, status=503)
