"""Letters that tell somebody how the sign-in of their account was changed, so that a change by another is noticed.

A letter is a job: a mail server that is away delays it and undoes no change. It goes where the account's mail went
before the change, names no new value and holds no link.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage

from budgeteer.jobs.services import enqueue

JOB: Final = "accounts.mail_change"
SUBJECT: Final = "Your Budgeteer account was changed"
LETTER: Final = """{change}

This is about the Budgeteer account "{name}"{at}.

If this was you, there is nothing to do. If not, reset your password at once ("Forgot your password?" on the sign-in
page) and tell an administrator.
"""
DELETED_LETTER: Final = """{change}

This is about the Budgeteer account "{name}"{at}.

If this was you, there is nothing to do. If not, tell an administrator at once: the account cannot be restored here,
but there may be a backup.
"""


class AccountChange(StrEnum):
    """What a letter tells of; the value is its first line."""

    PASSWORD = "The password was changed."  # noqa: S105 - a sentence
    ADDRESS = "The email address was changed; later messages go to the new one."
    FACTOR_SET = "The second factor was set up."
    FACTOR_REMOVED = "The second factor was turned off."
    RECOVERY_CODES = "The recovery codes were replaced."
    PASSKEY_ADDED = "A passkey was added."
    PASSKEY_REMOVED = "A passkey was removed."
    PROVIDER_CONNECTED = "An account of the sign-in provider was connected; it can sign in from now on."
    PROVIDER_REMOVED = "The sign-in provider was disconnected; it can no longer sign in."
    LINK_MADE = "An administrator made a link that sets a new password."
    DELETED = "The account was deleted by its owner, with everything in it."


def notify_of_change(user: User, change: AccountChange, *, address: str | None = None) -> None:
    """Mail the account's person that this was changed, once the transaction commits.

    Nothing is mailed in local mode, without a mail server, or to an account that has no mail address.

    Args:
        user: whose account it is.
        change: what was changed.
        address: where the letter goes; None for the account's own address.
    """
    to = user.email if address is None else address
    if settings.BUDGETEER_MODE == "local" or not settings.MAILERS or not to:
        return
    # The address as it is now: whoever changes a password may change the address before the letter is written.
    arguments = {"account": user.pk, "change": change.name, "address": to}
    if change is AccountChange.DELETED:  # the account may be gone when the letter is written
        arguments["name"] = user.get_username()
    enqueue(JOB, arguments=arguments, owner=None)


def change_letter(name: str, change: AccountChange, *, address: str) -> EmailMessage:
    """The letter to an address about the account of that name."""
    at = f" at {settings.MAIL_SITE}" if settings.MAIL_SITE else ""
    words = DELETED_LETTER if change is AccountChange.DELETED else LETTER
    text = words.format(change=change, name=name, at=at)
    return EmailMessage(SUBJECT, text, settings.DEFAULT_FROM_EMAIL, [address])
