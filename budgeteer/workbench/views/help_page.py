"""The help page: glossary, formats and keyboard shortcuts."""

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
    """Show it, signed in or not."""
    return render(request, "workbench/help.html", {"formats": sources.formats(), "tab_keys": tab_keys()})
