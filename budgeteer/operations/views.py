"""Health endpoints for supervisors and load balancers; public, so they reveal nothing useful to an attacker."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from budgeteer.access.rules import public
from budgeteer.operations import broker, database, files, processes  # noqa: F401 — loaded before the first question
from budgeteer.operations.readiness import readers


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
