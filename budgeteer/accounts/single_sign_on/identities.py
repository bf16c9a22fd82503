"""Whose account the provider's answer means. An account is known by issuer and subject, never by mail alone.

Mail counts once, when somebody first comes, and only if the provider has verified it: for an account that was made for
this address and that nobody has used yet (an invitation), or to make one where the address has an allowed domain. An
account that somebody uses is never taken over: whoever owns it connects it, signed in and with its password.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.accounts.change_letters import AccountChange, notify_of_change
from budgeteer.accounts.models import SignInIdentity
from budgeteer.accounts.password_links import accounts_of
from budgeteer.accounts.single_sign_on.refusals import RefusalReason, SignInRefused
from budgeteer.accounts.single_sign_on.settings import ProviderSettings
from budgeteer.accounts.throttling import MAIL_CHARS, NAME_CHARS

if TYPE_CHECKING:
    from budgeteer.accounts.single_sign_on.provider import ProviderClaims

SUBJECT_CHARS: Final = 255
"""The longest subject there is (OpenID Connect Core, 2)."""

_ASCII_SMALL: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def provider_settings() -> ProviderSettings | None:
    """The provider that signs people in; None where none is set, and in local mode."""
    provider: ProviderSettings | None = settings.OIDC_PROVIDER
    return provider if settings.BUDGETEER_MODE == "team" else None


def account_of(claims: ProviderClaims, provider: ProviderSettings) -> User:
    """The account that the claims sign in; the first time it is connected, or made as a viewer's.

    Raises:
        SignInRefused: there is none, it is closed, or it may not be connected without its owner.
    """
    known = _connected_account(claims)
    try:
        user = known or _account_of_first_visit(claims, provider)
    except IntegrityError:  # the same person came twice at once, and the other one was first
        known = _connected_account(claims)
        if known is None:
            raise
        user = known
    if not user.is_active:
        raise SignInRefused(RefusalReason.ACCOUNT_CLOSED)
    SignInIdentity.objects.filter(issuer=claims.issuer, subject=claims.subject).update(last_used_at=timezone.now())
    return user


@transaction.atomic
def connect(user: User, claims: ProviderClaims) -> None:
    """Connect an account with whom the provider signed in; it stays as it is where it is connected already.

    Raises:
        SignInRefused: one of both is connected to another.
    """
    _within_limits(claims)
    locked = User.objects.select_for_update().get(pk=user.pk)
    own = identity_of(locked, claims.issuer)
    if own is not None and own.subject != claims.subject:
        raise SignInRefused(RefusalReason.CONNECTED_ALREADY)
    identity, made = SignInIdentity.objects.get_or_create(
        issuer=claims.issuer, subject=claims.subject, defaults={"user": locked}
    )
    if identity.user_id != locked.pk:
        raise SignInRefused(RefusalReason.CONNECTED_TO_ANOTHER)
    if made:
        record(SecurityEvent.IDENTITY_CONNECTED, account=locked.pk, by=locked.pk)
        notify_of_change(locked, AccountChange.PROVIDER_CONNECTED)


def disconnect(user: User, *, by: int | None) -> bool:
    """Take every connection of an account away; whether there was one. `by` is who did it."""
    gone, _ = SignInIdentity.objects.filter(user=user).delete()
    if gone:
        record(SecurityEvent.IDENTITY_REMOVED, account=user.pk, by=by)
        notify_of_change(user, AccountChange.PROVIDER_REMOVED)
    return bool(gone)


def identity_of(user: User, issuer: str) -> SignInIdentity | None:
    """How an account is known to a provider, with a slash at the end of its name or without; None for not at all."""
    plain = issuer.rstrip("/")
    return SignInIdentity.objects.filter(user=user, issuer__in=(plain, f"{plain}/")).first()


def _connected_account(claims: ProviderClaims) -> User | None:
    found = SignInIdentity.objects.select_related("user")
    identity = found.filter(issuer=claims.issuer, subject=claims.subject).first()
    return identity.user if identity else None


@transaction.atomic
def _account_of_first_visit(claims: ProviderClaims, provider: ProviderSettings) -> User:
    """An invited account, or a new one.

    Raises:
        SignInRefused: neither the one nor the other is allowed.
    """
    _within_limits(claims)
    if not claims.mail or not claims.is_mail_verified:
        raise SignInRefused(RefusalReason.UNVERIFIED_MAIL)
    # The database may take other letters for these (ı for i, the Kelvin sign for k), so they are compared here.
    wanted = _small(claims.mail)
    found = [user for user in accounts_of(claims.mail).select_for_update() if _small(user.email) == wanted]
    if len(found) > 1:
        raise SignInRefused(RefusalReason.SEVERAL_ACCOUNTS)
    if not found and _domain(wanted) not in provider.domains:
        raise SignInRefused(RefusalReason.NOT_INVITED)
    if found and not _is_invitation(found[0]):
        raise SignInRefused(RefusalReason.ACCOUNT_IN_USE)
    user = found[0] if found else _new_account(claims.mail)
    SignInIdentity.objects.create(user=user, issuer=claims.issuer, subject=claims.subject)
    record(SecurityEvent.IDENTITY_CONNECTED, account=user.pk, by=None)
    if found:
        notify_of_change(user, AccountChange.PROVIDER_CONNECTED)
    return user


def _is_invitation(user: User) -> bool:
    """Whether an account waits for its first visit: no password was ever set, nobody signed in, nobody is connected."""
    is_connected = SignInIdentity.objects.filter(user=user).exists()
    return not user.has_usable_password() and user.last_login is None and not is_connected


def _new_account(mail: str) -> User:
    """A viewer's account without a password, named by its mail address."""
    if len(mail) > MAIL_CHARS:
        raise SignInRefused(RefusalReason.NOT_INVITED, detail="mail too long")
    plain = "".join(letter for letter in mail if letter.isalnum() or letter in "@.+-_")[: NAME_CHARS - 10]
    taken = set(User.objects.filter(username__istartswith=plain).values_list("username", flat=True))
    small = {_small(name) for name in taken}
    name, number = plain, 1
    while _small(name) in small:
        number += 1
        name = f"{plain}-{number}"
    user = User.objects.create_user(name, email=mail)
    record(SecurityEvent.ACCOUNT_CREATED, account=user.pk, by=None)
    return user


def _within_limits(claims: ProviderClaims) -> None:
    if not claims.subject or len(claims.subject) > SUBJECT_CHARS or len(claims.issuer) > SUBJECT_CHARS:
        raise SignInRefused(RefusalReason.UNUSABLE_TOKEN, detail="sub too long")


def _domain(small_mail: str) -> str:
    return small_mail.rpartition("@")[2]


def _small(text: str) -> str:
    return text.translate(_ASCII_SMALL)
