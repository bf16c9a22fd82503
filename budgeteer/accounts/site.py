"""Django's admin site without its own sign-in, sign-out and password pages: the dashboard's are rate-limited."""

from __future__ import annotations

from typing import Any, override

from django.contrib import admin
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST


class Site(admin.AdminSite):
    """The admin of the dashboard."""

    site_header = "Budgeteer admin"

    @override
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """To the dashboard's own sign-in page."""
        return redirect_to_login(reverse("admin:index"), resolve_url("accounts:sign_in"))

    @override
    @method_decorator(require_POST)
    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]
        """End the session, as the dashboard's own menu does."""
        logout(request)
        return redirect("accounts:sign_in")

    @override
    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]
        """To the dashboard's own page."""
        return redirect("accounts:password")

    @override
    def password_change_done(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]
        """Nothing leads here any more."""
        return redirect("accounts:password")
