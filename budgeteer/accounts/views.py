"""Signing in and out, and the health check."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from budgeteer.accounts import services


@login_not_required
@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """Says that the web process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_GET
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Spend a one-time link and sign its user in; a spent one says how to get another.

    A browser that fetches links ahead of a click does not spend them.
    """
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return HttpResponse(status=204)
    user = services.spend_sign_in_token(token)
    if user is not None:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    elif not request.user.is_authenticated:
        minutes = settings.SIGN_IN_LINK_MINUTES
        return render(request, "accounts/link_used.html", {"minutes": minutes}, status=410)
    return redirect(settings.LOGIN_REDIRECT_URL)


@method_decorator(never_cache, name="dispatch")
class SignIn(LoginView):
    """Name and password; in local mode, how to get a sign-in link."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True
