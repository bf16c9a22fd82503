"""The single user of local mode, and the one-time links that sign them in."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from budgeteer.accounts.models import SignInLink
from budgeteer.engine.errors import InputError

LOCAL_USERNAME = "you"
TOKEN_BYTES = 32
DEFAULT_ADDRESS = "http://127.0.0.1:8000"


class NotLocal(InputError):
    """A thing of local mode was asked for in another mode."""


def local_user() -> User:
    """The one user of local mode, made on first need: an administrator with no password."""
    user, created = User.objects.get_or_create(
        username=LOCAL_USERNAME, defaults={"is_staff": True, "is_superuser": True}
    )
    if created:
        user.set_unusable_password()
        user.save()
    return user


def make_sign_in_token() -> str:
    """A fresh token of the local user's; links that are used up or expired are swept away.

    Raises:
        NotLocal: outside local mode nobody is signed in by a link.
    """
    if settings.BUDGETEER_MODE != "local":
        raise NotLocal("Sign-in links are for local mode", mend="Sign in with your name and password at /sign-in/")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    with transaction.atomic():
        SignInLink.objects.filter(expires_at__lt=now).delete()
        SignInLink.objects.create(
            user=local_user(),
            token_hash=_hash(token),
            expires_at=now + timedelta(minutes=settings.SIGN_IN_LINK_MINUTES),
        )
    return token


def make_sign_in_link(base: str = "") -> str:
    """A whole one-time link.

    Args:
        base: the dashboard's address ("http://127.0.0.1:8000"); "" for where `serve` last ran it.

    Raises:
        NotLocal: see `make_sign_in_token`.
    """
    path = reverse("accounts:enter", args=[make_sign_in_token()])
    return (base or served_address()).rstrip("/") + path


def remember_served_address(address: str) -> None:
    """Keep where the dashboard runs, so that a later link can name it."""
    (settings.DATA_DIR / "address").write_text(address)


def served_address() -> str:
    """Where `serve` last ran the dashboard; its default address if it never did."""
    try:
        return (settings.DATA_DIR / "address").read_text()
    except FileNotFoundError:
        return DEFAULT_ADDRESS


def spend_sign_in_token(token: str) -> User | None:
    """The user whose token this is, once; None for a token that is used, expired or made up."""
    if settings.BUDGETEER_MODE != "local":
        return None
    now = timezone.now()
    unspent = SignInLink.objects.filter(token_hash=_hash(token), used_at=None, expires_at__gt=now)
    if not unspent.update(used_at=now):
        return None
    return SignInLink.objects.select_related("user").get(token_hash=_hash(token)).user


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
