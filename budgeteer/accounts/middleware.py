"""Who is let in: in local mode this computer only, and nobody past sign-in without signing in."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

REFUSAL = "This dashboard runs in local mode and answers this computer only. Set BUDGETEER_MODE=team to serve others.\n"


class LoopbackOnlyMiddleware:
    """Refuses a request that comes from another computer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_loopback(request.META.get("REMOTE_ADDR", "")):
            return self.get_response(request)
        return HttpResponse(REFUSAL, status=403, content_type="text/plain")


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    """Every page needs a signed-in user unless its view says otherwise.

    A part of a page that is asked for after the session ended sends the whole page to sign-in;
    a redirect would put the sign-in form inside the part.
    """

    def handle_no_permission(  # type: ignore[override]  # htmx's redirect is one too, of another class
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponse:
        htmx = HtmxDetails(request)
        if not htmx:
            return super().handle_no_permission(request, view_func)
        sign_in = resolve_url(self.get_login_url(view_func))
        return HttpResponseClientRedirect(redirect_to_login(htmx.current_url_abs_path or "/", sign_in).url)


def is_loopback(address: str) -> bool:
    """Whether an IP address is this computer's own; "" (a local socket) is."""
    try:
        return not address or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
