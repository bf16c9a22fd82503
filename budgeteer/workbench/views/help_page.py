"""The help page: words, formats, keys."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from budgeteer.access.rules import public
from budgeteer.sources import services as sources
from budgeteer.workbench.panels.tabs import tab_keys


@public
@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Glossary, formats, shortcuts."""
    return render(request, "workbench/help.html", {"formats": sources.formats(), "tab_keys": tab_keys()})
