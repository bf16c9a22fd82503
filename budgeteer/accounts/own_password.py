"""The password that comes with a change of how one signs in."""

from __future__ import annotations

from budgeteer.access.requests import SignedInRequest
from budgeteer.accounts import throttling


def is_confirmed(request: SignedInRequest) -> bool:
    """Whether the form's `password` is the reader's own. An account without one has none to give.

    Raises:
        TooManyAttempts: it was tried too often.
    """
    user = request.user
    if not user.has_usable_password():
        return True
    counted = throttling.count_password(request, user.get_username())
    if not user.check_password(request.POST.get("password", "")):
        return False
    counted.succeeded()
    return True
