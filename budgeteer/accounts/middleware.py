"""Local mode answers this computer only, whatever address a server was bound to."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

REFUSAL = "This dashboard runs in local mode and answers this computer only. Set BUDGETEER_MODE=team to serve others.\n"


class LoopbackOnlyMiddleware:
    """Refuses a request that comes from another computer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_loopback(request.META.get("REMOTE_ADDR", "")):
            return self.get_response(request)
        return HttpResponse(REFUSAL, status=403, content_type="text/plain")


def is_loopback(address: str) -> bool:
    """Whether an IP address is this computer's own; "" (a local socket) is."""
    try:
        return not address or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
