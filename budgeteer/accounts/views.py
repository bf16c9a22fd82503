"""Signing in and out, and the health check."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """Says that the web process answers."""
    return JsonResponse({"status": "ok"})
