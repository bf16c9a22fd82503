"""Links by which somebody sets a password: an invitation, or the mend for a lost one.

A link holds a signed value that is bound to the account's password, mail address and last sign-in, and to the time it
was made; nothing of it is stored. So it ends once it was used, once the account signs in, and after
PASSWORD_RESET_TIMEOUT. Whoever has it gets into the account: it is shown once, or mailed.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

LINKS_JOB: Final = "accounts.mail_password_links"
SUBJECT = "Set your password for Budgeteer"
LETTER = """Somebody, probably you, asked for a new password for the Budgeteer account "{name}" at {site}.

Open this link within {hours} to choose one:

{link}

If you did not ask for it, do nothing: the password stays the same.
"""


def password_link(user: User, *, site: str) -> str:
    """A whole link that sets the user's password; `site` is the dashboard's address ("https://host")."""
    token, uid = default_token_generator.make_token(user), urlsafe_base64_encode(force_bytes(user.pk))
    return site.rstrip("/") + reverse("accounts:new_password", args=[uid, token])


def accounts_of(address: str) -> QuerySet[User]:
    """The open accounts with this mail address, whatever its capitals."""
    return User.objects.filter(email__iexact=address, is_active=True).order_by("pk")


def letter(user: User, *, site: str) -> EmailMessage:
    """The letter with the link."""
    text = LETTER.format(name=user.username, site=site, hours=valid_time(), link=password_link(user, site=site))
    return EmailMessage(SUBJECT, text, settings.DEFAULT_FROM_EMAIL, [user.email])


def valid_time() -> str:
    """How long a link can be used, in words."""
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    return f"{hours} hour{'' if hours == 1 else 's'}"
