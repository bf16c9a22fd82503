"""Clean-up of expired sign-in links and old sign-in attempts."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db.models import Q

from budgeteer.accounts.models import SignInLink, SignInTry
from budgeteer.jobs.cleanup import sweep

# A used link still says "used" rather than "unknown" for this long.
LINK_TIME = timedelta(days=1)


@sweep("spent sign-in links")
def forget_links(now: datetime) -> int:
    """Links that were used, or that nobody can use any more."""
    spent = Q(used_at__lt=now - LINK_TIME) | Q(expires_at__lt=now - LINK_TIME)
    return SignInLink.objects.filter(spent).delete()[0]


@sweep("ended sessions")
def forget_sessions(now: datetime) -> int:
    """Sessions that have run out."""
    ended = Session.objects.filter(expire_date__lt=now).count()
    SessionStore.clear_expired()
    return ended


@sweep("tries to sign in")
def forget_tries(now: datetime) -> int:
    """Tries that count no more; the next one would sweep them too, if there is a next one."""
    return SignInTry.objects.filter(at__lt=now - timedelta(minutes=settings.SIGN_IN_WINDOW_MINUTES)).delete()[0]
