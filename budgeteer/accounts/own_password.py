"""The password that comes with a change of how one signs in; of an account without one, a sign-in of minutes ago."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.utils import timezone

from budgeteer.access.requests import SignedInRequest
from budgeteer.accounts import throttling
from budgeteer.accounts.sessions.services import SIGNED_IN_AT

RECENT: Final = timedelta(minutes=10)
"""How long after signing in an account that has no password changes how it signs in."""


def is_confirmed(request: SignedInRequest) -> bool:
    """Whether the form's `password` is the reader's own. An account without one has to have signed in just before.

    Raises:
        TooManyAttempts: it was tried too often.
    """
    user = request.user
    if not user.has_usable_password():
        return bool(timezone.now().timestamp() - request.session.get(SIGNED_IN_AT, 0.0) <= RECENT.total_seconds())
    counted = throttling.count_password(request, user.get_username())
    if not user.check_password(request.POST.get("password", "")):
        return False
    counted.succeeded()
    return True


def refusal(request: SignedInRequest) -> str:
    """Why `is_confirmed` was not true, as a sentence."""
    if request.user.has_usable_password():
        return "That is not your password."
    minutes = int(RECENT.total_seconds() // 60)
    return (
        f"You signed in more than {minutes} minutes ago, and your account has no password: sign out and in again first."
    )
