"""Requests by page: how many, with which status, how long they took.

Pages are named by their URL pattern, never by an address, so that no id, title or token becomes a label and the number
of series is bounded by the URL configuration.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.multiprocess import MultiProcessCollector

MULTIPROCESS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable of prometheus_client: several web processes then count in files of one folder."""

SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
OTHER_METHOD: Final = "other"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_VIEW: Final = "none"

_registry = CollectorRegistry()
ProcessCollector(registry=_registry)
PlatformCollector(registry=_registry)
GCCollector(registry=_registry)
_requests = Counter(
    "budgeteer_http_requests",
    "Requests answered, by view, method and status.",
    ("view", "method", "status"),
    registry=_registry,
)
_seconds = Histogram(
    "budgeteer_http_request_seconds",
    "Seconds until a request's answer begins, by view and method.",
    ("view", "method"),
    buckets=SECONDS,
    registry=_registry,
)


class RequestMetricsMiddleware:
    """Counts every request and times it, those that a middleware below refuses included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        view = NO_VIEW if match is None else match.view_name or match.route
        method = request.method if request.method in _METHODS else OTHER_METHOD
        _requests.labels(view, method, str(response.status_code)).inc()
        _seconds.labels(view, method).observe(time.perf_counter() - started)
        return response


def request_registry() -> CollectorRegistry:
    """The requests of every web process of this host; of a single one its memory and processor time as well."""
    if not os.environ.get(MULTIPROCESS_FOLDER):
        return _registry
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # prometheus_client types it in part
    return registry
