"""What every way to sign in has in common: where it may lead, and the answer to too many tries."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.accounts.sign_in_log import origin_of
from budgeteer.accounts.throttling import TooManyAttempts


def is_ours(request: HttpRequest, address: str) -> bool:
    """Whether an address that a request names is one of this dashboard's own; "" is no address."""
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())


def too_many(request: HttpRequest, template: str, refusal: TooManyAttempts, **context: Any) -> HttpResponse:
    """The page with the limit's sentence as `refusal`, status 429 and how long to wait; it is recorded."""
    record_limit(request, refusal)
    response = render(request, template, {**context, "refusal": str(refusal)}, status=429)
    response.headers["Retry-After"] = str(refusal.seconds)
    return response


def record_limit(request: HttpRequest, refusal: TooManyAttempts) -> None:
    """Record that a try was not made."""
    record(SecurityEvent.SIGN_IN_LIMITED, address_key=origin_of(request), seconds=refusal.seconds)
