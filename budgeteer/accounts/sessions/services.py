"""The sessions of an account: which there are, and their end.

Sessions are rows of Django's own table; whose one is stands in its data alone, so each search reads every row. A
session's key signs in whoever has it: nobody is shown it, and a keyed hash names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.auth import SESSION_KEY, signals
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from budgeteer.access.audit import keyed
from budgeteer.accounts.sessions.browsers import AGENT_CHARS

SIGNED_IN_AT: Final = "signed_in_at"
_AGENT: Final = "user_agent"


@dataclass(frozen=True, slots=True)
class SignedInSession:
    """One session of an account.

    Attributes:
        mark: names it; the session's key cannot be found from it.
        user_agent: what the browser said it is when it signed in, "" where nothing is known of it.
        signed_in_at: None for a session from before this was noted.
        expires_at: when it ends unless it is used.
        is_this: whether it is the one that asks.
    """

    mark: str
    user_agent: str
    signed_in_at: datetime | None
    expires_at: datetime
    is_this: bool


def sessions_of(user: User, *, this: str | None) -> list[SignedInSession]:
    """The sessions of an account, the one with the key `this` first, then the newest first."""
    found = [
        SignedInSession(
            mark=keyed(session.session_key),
            user_agent=str(data.get(_AGENT, "")),
            signed_in_at=_time(data.get(SIGNED_IN_AT)),
            expires_at=session.expire_date,
            is_this=session.session_key == this,
        )
        for session, data in _rows(user)
        if _is_live(session)
    ]
    earliest = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda one: (one.is_this, one.signed_in_at or earliest, one.mark), reverse=True)


def end_sessions(user: User, *, besides: str | None = None) -> int:
    """Remove every session of an account but the one with the key `besides`, so that none works again.

    Expired ones, which hold the name of a browser still, go too; returns how many had not expired.
    """
    ended = [session for session, _ in _rows(user) if session.session_key != besides]
    _delete(ended)
    return sum(map(_is_live, ended))


def end_session(user: User, mark: str) -> bool:
    """Remove the session of an account that has this mark; whether there was one."""
    ended = [session for session, _ in _rows(user) if keyed(session.session_key) == mark]
    _delete(ended)
    return bool(ended)


def _rows(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    for session in Session.objects.iterator():
        data = session.get_decoded()
        if data.get(SESSION_KEY) == str(user.pk):
            yield session, data


def _delete(sessions: Iterable[Session]) -> None:
    Session.objects.filter(pk__in=[session.pk for session in sessions]).delete()


def _is_live(session: Session) -> bool:
    return session.expire_date >= timezone.now()


def _time(stamp: object) -> datetime | None:
    return datetime.fromtimestamp(stamp, tz=UTC) if isinstance(stamp, float | int) else None


@receiver(signals.user_logged_in)
def _note_sign_in(request: HttpRequest, **_kwargs: Any) -> None:
    request.session[SIGNED_IN_AT] = timezone.now().timestamp()
    request.session[_AGENT] = request.headers.get("User-Agent", "")[:AGENT_CHARS]
