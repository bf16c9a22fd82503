"""A sign-in that was sent to the provider, kept in a signed cookie of the browser until it comes back.

In no session: whoever only looks at the link would leave a row in the database each time.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

TIME: Final = timedelta(minutes=10)
COOKIE: Final = "budgeteer_provider"
_SALT: Final = "budgeteer.accounts.single_sign_on"


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """What has to come back, and what for.

    Attributes:
        state, nonce, verifier: what the provider's answer is held against (RFC 6749, OpenID Connect, RFC 7636).
        wanted: the address the reader wanted to go to; "" for none.
        account: of whoever is signed in and connects their account; None to sign in.
    """

    state: str
    nonce: str
    verifier: str
    wanted: str = ""
    account: int | None = None


def keep(response: HttpResponse, pending: PendingSignIn) -> None:
    """Set the cookie: for ten minutes, for the address the provider leads back to, out of reach of scripts."""
    response.set_cookie(
        COOKIE,
        signing.dumps(asdict(pending), salt=_SALT),
        max_age=TIME,
        path=reverse("accounts:provider_return"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def kept(request: HttpRequest) -> PendingSignIn | None:
    """What this browser's cookie says; None without one, for one that is too old or that we did not sign."""
    try:
        fields: dict[str, Any] = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=TIME)
    except signing.BadSignature:
        return None
    return PendingSignIn(**fields)


def forget(response: HttpResponse) -> None:
    """Remove the cookie: an answer is taken once."""
    response.delete_cookie(COOKIE, path=reverse("accounts:provider_return"), samesite="Lax")
