"""A span for every request, named by its URL pattern as the metrics are."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from budgeteer.telemetry.tracing import TRACE_PARENT, current_trace_id, traced


class RequestTraceMiddleware:
    """Traces each request, and puts the id of its trace on each line that is logged meanwhile.

    A trace that a proxy of ours began is continued; anybody else's header is not believed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.TRACES_URL:
            return self.get_response(request)
        method = request.method or ""
        parent = request.headers.get(TRACE_PARENT, "") if settings.TRUST_PROXY else ""
        with (
            traced(method, role="request", parent=parent) as work,
            structlog.contextvars.bound_contextvars(trace_id=current_trace_id()),
        ):
            response = self.get_response(request)
            match = request.resolver_match
            if match is not None:
                work.name(f"{method} /{match.route}")
                work.note({"http.route": f"/{match.route}", "budgeteer.view": match.view_name or match.route})
            work.note({"http.request.method": method, "http.response.status_code": response.status_code})
            work.note({"budgeteer.request": getattr(request, "request_id", "")})
            if response.status_code >= 500:
                work.fail()
        return response
