"""Make, look up and revoke personal access tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.bearer import TokenHolder, TokenProblem
from budgeteer.access.rules import role_of
from budgeteer.engine.errors import InputError
from budgeteer.tokens.models import PREFIX, SHOWN_CHARS, AccessToken
from budgeteer.tokens.scopes import Scope, scope_named, scopes_for

TOKEN_BYTES: Final = 32
"""Bytes of randomness in a token; 256 bits cannot be guessed, so a fast hash keeps them."""

MOST_OPEN: Final = 50
"""Tokens that one account may have at a time."""

MOST_DAYS: Final = 366
KEEP_ENDED: Final = timedelta(days=90)
"""How long a token that has ended stays in its owner's list."""

_USE_NOTED_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What somebody chose for a new token. `form_key` tells two orders from one that was sent twice."""

    name: str
    scopes: Sequence[Scope]
    days: int
    form_key: UUID | None = None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made; `secret` is the token itself, "" where the same form had made it before."""

    token: AccessToken
    secret: str


def make(owner: User, order: TokenRequest) -> NewToken:
    """Make a token; its secret is in the result and nowhere else.

    Raises:
        InputError: no scope, one that the account's role has no use of, too long a time, or too many tokens.
    """
    _check(owner, order)
    secret = f"{PREFIX}{secrets.token_urlsafe(TOKEN_BYTES)}"
    try:
        with transaction.atomic():
            token = AccessToken.objects.create(
                owner=owner,
                name=order.name,
                token_hash=_hash(secret),
                beginning=secret[:SHOWN_CHARS],
                scopes=[scope.label for scope in Scope if scope in order.scopes],
                form_key=order.form_key,
                expires_at=timezone.now() + timedelta(days=order.days),
            )
    except IntegrityError:
        return NewToken(AccessToken.objects.get(owner=owner, form_key=order.form_key), "")
    record(SecurityEvent.TOKEN_MADE, token=str(token.pk), by=owner.pk, scopes=list(token.scopes), days=order.days)
    return NewToken(token, secret)


def look_up(secret: str) -> TokenHolder | TokenProblem:
    """Whom a token speaks for now; its use is noted once a minute."""
    token = AccessToken.objects.select_related("owner").filter(token_hash=_hash(secret)).first()
    if token is None:
        return TokenProblem.UNKNOWN
    if token.revoked_at is not None:
        return TokenProblem.REVOKED
    if token.is_expired:
        return TokenProblem.EXPIRED
    if not token.owner.is_active:
        return TokenProblem.CLOSED
    _note_use(token)
    known = frozenset(label for label in token.scopes if scope_named(label) is not None)
    return TokenHolder(token.owner, f"token:{token.pk}", known)


def tokens_of(owner: User) -> QuerySet[AccessToken]:
    """The owner's tokens, newest first, those that have ended too."""
    return AccessToken.objects.filter(owner=owner)


def of(owner: User, token_id: UUID) -> AccessToken | None:
    """The owner's token, None when there is none or it is another's."""
    return tokens_of(owner).filter(pk=token_id).first()


def of_holder(holder: TokenHolder) -> AccessToken:
    """The row of the token that a request came with."""
    return AccessToken.objects.get(pk=UUID(holder.key.removeprefix("token:")))


def revoke(token: AccessToken) -> None:
    """End a token for good; a second time changes nothing."""
    if AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(SecurityEvent.TOKEN_REVOKED, token=str(token.pk), by=token.owner_id)
    token.refresh_from_db()


def purge(*, before: datetime) -> int:
    """Remove the rows of tokens that ended KEEP_ENDED before that time; how many."""
    long_ago = before - KEEP_ENDED
    return AccessToken.objects.filter(Q(expires_at__lt=long_ago) | Q(revoked_at__lt=long_ago)).delete()[0]


def _check(owner: User, order: TokenRequest) -> None:
    if not order.scopes:
        raise InputError("a token needs a scope", where="scopes", mend="Choose what it may be used for")
    useless = [scope for scope in order.scopes if scope not in scopes_for(role_of(owner))]
    if useless:
        what = f"your role has no use of {', '.join(scope.label for scope in useless)}"
        raise InputError(what, where="scopes", mend="Leave it out")
    if not 1 <= order.days <= MOST_DAYS:
        raise InputError(f"{order.days} days", where="days", mend=f"Choose from 1 to {MOST_DAYS}")
    if tokens_of(owner).filter(revoked_at=None, expires_at__gt=timezone.now()).count() >= MOST_OPEN:
        raise InputError(f"you have {MOST_OPEN} tokens, and there may be no more", mend="Revoke one first")


def _note_use(token: AccessToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - _USE_NOTED_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
