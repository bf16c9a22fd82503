"""The URLs of the API, of its description, and of the page that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpResponseBase
from django.urls import URLPattern, path, re_path

from budgeteer.access.bearer import API_ROOT
from budgeteer.access.body_limits import takes_documents, takes_uploads
from budgeteer.http_api import views
from budgeteer.http_api.interface import api, operations_by_route
from budgeteer.http_api.routing import Declared, guarded, rule_of_operations

app_name = "http_api"

_ROOT = API_ROOT.lstrip("/")


def _patterns() -> Iterator[URLPattern]:
    """One pattern for each address: the library's view, behind our checks and with its rule."""
    views_by_route: dict[str, URLPattern] = {}
    for pattern in api.urls[0]:
        if isinstance(pattern, URLPattern):
            views_by_route.setdefault(str(pattern.pattern), pattern)
    for route, operations in operations_by_route():
        found = views_by_route[route]
        yield path(f"{_ROOT}{route}", _view(found.callback, operations), name=found.name)


def _view(view: Any, operations: dict[str, Declared]) -> Callable[..., HttpResponseBase]:
    checked = guarded(view, operations)
    checked.csrf_exempt = True  # type: ignore[attr-defined]  # no cookie lets anybody in here, so none can be misused
    checked.access_rule = rule_of_operations(operations)  # type: ignore[attr-defined]  # as @access declares it
    if any(one.takes_documents for one in operations.values()):
        takes_documents(checked)
    if any(one.takes_uploads for one in operations.values()):
        takes_uploads(checked)
    return checked


urlpatterns = [
    path("api/", views.reference, name="reference"),
    path(f"{_ROOT}openapi.json", views.openapi, name="openapi"),
    *_patterns(),
    re_path(rf"^{_ROOT}(?P<rest>.*)$", views.unknown, name="unknown"),
]
