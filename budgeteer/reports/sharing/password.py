"""The password of a report: kept as a hash, tried within limits, remembered by the browser that knew it.

The browser keeps a signed cookie for this report's address only. It holds no password and ends with the report's: it
is derived from the stored hash. The server stores nothing about who opened what.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from budgeteer.reports.models import Report

LEAST_CHARS: Final = 8
MOST_CHARS: Final = 128
"""Django's hashers take any length; a form field takes this much."""
REMEMBERED_FOR: Final = timedelta(hours=12)

_COOKIE: Final = "report_key"
_SALT: Final = "budgeteer.reports.sharing.password"


def hashed(password: str) -> str:
    """A password as it is stored; "" for none."""
    return make_password(password) if password else ""


def is_right(report: Report, password: str) -> bool:
    """Whether this is the report's password."""
    return bool(report.password) and check_password(password[:MOST_CHARS], report.password)


def is_unlocked(request: HttpRequest, report: Report) -> bool:
    """Whether the report has no password, or this browser gave the right one not long ago."""
    if not report.password:
        return True
    kept = request.get_signed_cookie(_COOKIE, default="", salt=_SALT, max_age=REMEMBERED_FOR)
    return constant_time_compare(kept or "", _key_of(report))


def remember(response: HttpResponse, report: Report) -> None:
    """Let this browser in for REMEMBERED_FOR."""
    response.set_signed_cookie(
        _COOKIE,
        _key_of(report),
        salt=_SALT,
        max_age=int(REMEMBERED_FOR.total_seconds()),
        path=report.get_absolute_url(),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _key_of(report: Report) -> str:
    return salted_hmac(_SALT, f"{report.pk}:{report.password}", algorithm="sha256").hexdigest()
