"""Rate limit of sign-in attempts, counted in the database so that all web processes share it.

A try is written down before the password is looked at and struck out when it was right. So of many tries at the same
moment no more get through than one after another would. A try that is refused is not counted: who waits gets in, even
while somebody else goes on trying.
"""

from __future__ import annotations

import ipaddress
import math
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from budgeteer.accounts.models import SignInTry

IPV6_PREFIX = 64
"""One household or host gets a /64 of IPv6 addresses to choose from (RFC 6177); they count as one."""

NAME_CHARS = 150
"""The longest name an account can have (Django's `User.username`); the sign-in form refuses a longer one."""

MAIL_CHARS = 254
"""The longest address of mail (RFC 5321, 4.5.3.1.3, with its brackets taken off), as in Django's `User.email`."""

LETTERS = 3
"""Letters to one mail address within the window of sign-in tries: nobody is to be flooded in our name."""


USER_NAMES = 20
"""User names of others that one account may type within the window of sign-in tries and that nobody has."""


class TooManyAttempts(Exception):
    """This try was not made; `seconds` is how long to wait for the next one."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"Too many attempts to sign in. Wait {waiting_time(seconds)}, then try again.")


@dataclass(frozen=True, slots=True)
class Attempts:
    """What was written down for one try."""

    pks: tuple[int, ...]
    name_key: str

    def succeeded(self) -> None:
        """Strike this try out, and all that counted against the account's name."""
        SignInTry.objects.filter(pk__in=self.pks).delete()
        SignInTry.objects.filter(key=self.name_key).delete()


def count_password(request: HttpRequest, name: str) -> Attempts:
    """Count a try with this account name from this request's address.

    Raises:
        TooManyAttempts: there were as many as are allowed for the name, or for the address.
    """
    name_key = _name_key(name)
    limits = {
        name_key: settings.SIGN_IN_TRIES,
        _key("address", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS,
    }
    return Attempts(_count(limits), name_key)


def count_link(request: HttpRequest) -> Attempts:
    """Count a try of a one-time link from this request's address.

    Raises:
        TooManyAttempts: there were as many as are allowed for the address.
    """
    return Attempts(_count({_key("link", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS}), "")


def count_letter(request: HttpRequest, address: str) -> Attempts:
    """Count a request for a letter to this mail address; a letter that is sent is not struck out.

    Raises:
        TooManyAttempts: there were as many as are allowed for the mail address, or for the address of the request.
    """
    short = address.strip()[:MAIL_CHARS]
    limits = {
        _key("letter", unicodedata.normalize("NFKC", short).casefold()): LETTERS,
        _key("letters", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS,
    }
    return Attempts(_count(limits), "")


def forget_name(name: str) -> None:
    """Strike out what counted against an account's name: its password is a new one."""
    SignInTry.objects.filter(key=_name_key(name)).delete()


def count_report(request: HttpRequest, report_id: str) -> Attempts:
    """Count a try of a report's password from this request's address; each report counts by itself.

    Raises:
        TooManyAttempts: there were as many as are allowed for the report, or for the address.
    """
    report_key = _key("report", report_id)
    limits = {
        report_key: settings.SIGN_IN_TRIES,
        _key("address", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS,
    }
    return Attempts(_count(limits), report_key)


def count_code(request: HttpRequest, account: int) -> Attempts:
    """Count a try of a second factor's code of this account from this request's address.

    Raises:
        TooManyAttempts: there were as many as are allowed for the account, or for the address.
    """
    code_key = _key("code", str(account))
    limits = {
        code_key: settings.SIGN_IN_TRIES,
        _key("address", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS,
    }
    return Attempts(_count(limits), code_key)


def count_passkey(request: HttpRequest) -> Attempts:
    """Count a challenge for a passkey that this request's address asks for, until one signs in with it.

    Raises:
        TooManyAttempts: there were as many as are allowed for the address.
    """
    return Attempts(_count({_key("passkey", counted_address(request)): settings.SIGN_IN_TRIES_PER_ADDRESS}), "")


def count_user_name(account: int) -> Attempts:
    """Count a user name that this account types to add somebody, until it is somebody's.

    Raises:
        TooManyAttempts: there were as many as are allowed for the account.
    """
    return Attempts(_count({_key("user name", str(account)): USER_NAMES}), "")


def client_address(request: HttpRequest) -> str:
    """The address of whoever sent this request, as far as it can be believed.

    That is the other end of the connection. Where proxies of ours stand in front (TRUST_PROXY), it is the entry of
    X-Forwarded-For that the outermost of them wrote: PROXY_HOPS from the right; what stands left of it is hearsay.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.TRUST_PROXY:
        return peer
    told = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    claimed = told[-settings.PROXY_HOPS] if len(told) >= settings.PROXY_HOPS else ""
    try:
        return str(ipaddress.ip_address(claimed))
    except ValueError:
        return peer


def counted_address(request: HttpRequest) -> str:
    """The address that counts: a client's own, of IPv6 the network that one household has."""
    address = client_address(request)
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, IPV6_PREFIX), strict=False))


def waiting_time(seconds: int) -> str:
    """A time to wait in words, never less than it is."""
    if seconds <= 60:
        return "a minute"
    return f"{math.ceil(seconds / 60)} minutes"


def _count(limits: dict[str, int]) -> tuple[int, ...]:
    now = timezone.now()
    since = now - timedelta(minutes=settings.SIGN_IN_WINDOW_MINUTES)
    SignInTry.objects.filter(at__lt=since).delete()
    pks = {key: SignInTry.objects.create(key=key, at=now).pk for key in limits}
    free_at = max(_free_at(key, pks[key], most, since) for key, most in limits.items())
    if free_at <= now:
        return tuple(pks.values())
    SignInTry.objects.filter(pk__in=pks.values()).delete()
    raise TooManyAttempts(max(1, math.ceil((free_at - now).total_seconds())))


def _free_at(key: str, own: int, most: int, since: datetime) -> datetime:
    """When a try against this key is allowed: when the last but `most - 1` of the earlier ones is forgotten."""
    earlier = SignInTry.objects.filter(key=key, at__gte=since).exclude(pk=own).order_by("-at")
    last = earlier.values_list("at", flat=True)[most - 1 : most].first()
    return last + timedelta(minutes=settings.SIGN_IN_WINDOW_MINUTES) if last else since


def _name_key(name: str) -> str:
    # Cut before it is normalised: sorting a run of combining marks takes time with the square of its length.
    short = name.strip()[:NAME_CHARS]
    return _key("name", unicodedata.normalize("NFKC", short).casefold().strip())


def _key(kind: str, value: str) -> str:
    return salted_hmac("budgeteer.accounts.throttling", f"{kind}:{value}", algorithm="sha256").hexdigest()
