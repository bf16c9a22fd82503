"""Health endpoints for supervisors and load balancers, and the page of an error that nobody handled.

They are public, so they reveal nothing useful to an attacker.
"""

from __future__ import annotations

import sys
from typing import Final

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from budgeteer.access.bearer import is_api
from budgeteer.access.problems import ProblemKind, problem
from budgeteer.access.rules import public
from budgeteer.operations import broker, database, files, processes  # noqa: F401 — loaded before the first question
from budgeteer.operations.metrics.exposition import exposition, is_allowed
from budgeteer.operations.readiness import readers

RETRY_SECONDS: Final = 10


@public
def server_error(request: HttpRequest) -> HttpResponse:
    """The page of an error; 503 where the database does not answer, which passes. Neither needs the database."""
    if is_api(request.path_info):
        return _problem()
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": str(RETRY_SECONDS)})
    return HttpResponse(render_to_string("500.html"), status=500)


def _problem() -> HttpResponse:
    if not isinstance(sys.exception(), OperationalError | InterfaceError):
        return problem(
            ProblemKind.SERVER, "it was logged", hint="Try again; if it stays, tell whoever runs this server"
        )
    answer = problem(ProblemKind.AWAY, "the database does not answer", hint="Try again in a moment")
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


@public
@never_cache
@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """The web process answers: liveness. Whatever stands behind it may be down."""
    return JsonResponse({"status": "ok"})


@public
@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 where the database, the broker and the storage can be worked with, 503 where one cannot."""
    readiness = readers.look()
    return JsonResponse(readiness.to_json(), status=200 if readiness.is_ready else 503)


@public
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The measurements for Prometheus; 404 unless a token is set, 401 without it."""
    if not settings.METRICS_TOKEN:
        return HttpResponse("Not found: BUDGETEER_METRICS_TOKEN is not set.\n", status=404, content_type="text/plain")
    if not is_allowed(request):
        said = "Send the header Authorization: Bearer with the value of BUDGETEER_METRICS_TOKEN.\n"
        return HttpResponse(said, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return exposition(readers.look())
