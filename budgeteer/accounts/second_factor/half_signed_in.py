"""Somebody who gave a right password and owes a code: kept in the session for some minutes."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

TIME: Final = timedelta(minutes=5)
_KEY: Final = "half_signed_in"


def begin(request: HttpRequest, user: User, *, backend: str) -> None:
    """Remember who owes a code; the session gets another key, so that one from before is worth nothing."""
    request.session.cycle_key()
    request.session[_KEY] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "backend": backend,
        "at": timezone.now().timestamp(),
    }


def who(request: HttpRequest) -> tuple[User, str] | None:
    """Who owes a code, and by which backend they came; None for nobody, or where it was too long ago.

    An account that was closed, or whose password was changed, meanwhile, begins anew.
    """
    kept = request.session.get(_KEY)
    if not kept or timezone.now().timestamp() - kept["at"] > TIME.total_seconds():
        return None
    user = User.objects.filter(pk=kept["user"], is_active=True).first()
    if user is None or not constant_time_compare(kept["hash"], user.get_session_auth_hash()):
        return None
    return user, kept["backend"]


def end(request: HttpRequest) -> None:
    """Forget it."""
    request.session.pop(_KEY, None)
