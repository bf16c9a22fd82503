"""Record who signs in and out, and who tries in vain, whichever way it is done."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import signals
from django.contrib.auth.models import User
from django.dispatch import receiver
from django.http import HttpRequest

from budgeteer.access.audit import SecurityEvent, keyed, record
from budgeteer.accounts.throttling import NAME_CHARS, client_address


def origin_of(request: HttpRequest | None) -> str:
    """The address a request comes from, as a keyed hash; "" outside of requests."""
    return keyed(client_address(request)) if request is not None else ""


def name_key(name: object) -> str:
    """The name that was typed, as a keyed hash."""
    return keyed(str(name)[:NAME_CHARS].strip().casefold())


@receiver(signals.user_logged_in)
def _signed_in(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    record(
        SecurityEvent.SIGNED_IN, account=user.pk, name_key=name_key(user.get_username()), address_key=origin_of(request)
    )


@receiver(signals.user_logged_out)
def _signed_out(request: HttpRequest, user: User | None, **_kwargs: Any) -> None:
    if user is not None:
        record(SecurityEvent.SIGNED_OUT, account=user.pk, address_key=origin_of(request))


@receiver(signals.user_login_failed)
def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_kwargs: Any) -> None:
    # Whether there is such an account is not looked up: it would take time that tells a stranger.
    record(
        SecurityEvent.SIGN_IN_FAILED,
        name_key=name_key(credentials.get("username", "")),
        address_key=origin_of(request),
    )
