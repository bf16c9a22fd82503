"""Letters with password links and of changes, and clean-up of expired sign-in links and old sign-in attempts."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.mail import EmailMessage
from django.db.models import Q

from budgeteer.accounts.change_letters import JOB, AccountChange, change_letter
from budgeteer.accounts.models import SignInLink, SignInTry
from budgeteer.accounts.password_links import LINKS_JOB, letter
from budgeteer.engine.errors import InputError
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import JobContext, Outage
from budgeteer.jobs.models import Job, JobState
from budgeteer.jobs.registry import job
from budgeteer.jobs.services import retry

# A used link still says "used" rather than "unknown" for this long.
LINK_TIME = timedelta(days=1)
# A letter is tried for this long.
LETTER_TIME = timedelta(days=1)
LETTER_JOBS = (LINKS_JOB, JOB)
_PERMANENT = 500


@job(LINKS_JOB, title="Mail password links")
def mail_password_links(context: JobContext, *, accounts: Sequence[int], site: str) -> dict[str, int]:
    """Mail each of these accounts, one or none, where it is open still, a link that sets its password.

    Raises:
        Outage: the mail server does not answer, or refuses for now; the job is tried again.
    """
    sent = 0
    for user in User.objects.filter(pk__in=accounts, is_active=True).exclude(email="").order_by("pk"):
        _send(letter(user, site=site))
        sent += 1
    context.progress(sent, len(accounts), "letters", "Mailed.")
    return {"letters": sent}


@job(JOB, title="Mail what was changed")
def mail_change(context: JobContext, *, account: int, change: str, address: str, name: str = "") -> dict[str, int]:
    """Tell the person of an account how its sign-in was changed; nobody where the account is gone by now.

    `account` is its key, `change` the name of what was changed, `address` where the letter goes. `name` is that of
    the account where it may be gone by then and the letter goes all the same.

    Raises:
        Outage: the mail server does not answer, or refuses for now.
    """
    user = User.objects.filter(pk=account).first()
    named = name or (user.get_username() if user else "")
    if not named:
        return {"letters": 0}
    _send(change_letter(named, AccountChange[change], address=address))
    context.progress(1, 1, "letters", "Mailed.")
    return {"letters": 1}


def _send(letter: EmailMessage) -> None:
    """Hand a letter to the mail server.

    Raises:
        InputError: it refuses the letter for good.
        Outage: it does not answer, or refuses for now.
    """
    try:
        letter.send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
        if _is_for_good(error):
            raise InputError("The mail server refuses the letter", mend="Look at the account's mail address") from error
        raise Outage("The mail server did not take a letter") from error
    except (OSError, smtplib.SMTPException) as error:
        raise Outage("The mail server did not take a letter") from error


def _is_for_good(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError) -> bool:
    """Whether every answer is a permanent one (5xx: RFC 5321, 4.2.1)."""
    if isinstance(error, smtplib.SMTPDataError):
        return error.smtp_code >= _PERMANENT
    return all(code >= _PERMANENT for code, _said in error.recipients.values())


@sweep("letters that no mail server took")
def send_again(now: datetime) -> int:
    """Try letters again that failed of an outage which lasted longer than a job is tried; for a day."""
    # A job that ended by what it raised itself, such as a letter that is refused for good, has lost fewer workers.
    broken = Job.objects.filter(
        kind__in=LETTER_JOBS,
        state=JobState.FAILED,
        lost_workers__gte=settings.JOB_MAX_ATTEMPTS - 1,
        created_at__gt=now - LETTER_TIME,
    )
    again = list(broken)
    for one in again:
        retry(one)
    return len(again)


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
