"""What a device was asked to sign, kept in the session until its answer comes: once, and for five minutes."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from django.http import HttpRequest
from django.utils import timezone

TIME: Final = timedelta(minutes=5)
_BYTES: Final = 32


class ChallengePurpose(StrEnum):
    """What the answer is for; one for the one is none for the other."""

    MAKE = "make"
    SIGN_IN = "sign in"


@dataclass(frozen=True, slots=True)
class PasskeyChallenge:
    """One question.

    Attributes:
        value: in hexadecimal.
        at: when it was asked, in seconds since 1970.
        account: whose passkey it has to be; None for anybody's.
        handle: the account's name that went to the device with it.
        tries: what was written down of it to limit tries (throttling.py).
    """

    value: str
    at: float
    account: int | None
    handle: str = ""
    tries: tuple[int, ...] = ()

    @property
    def signed(self) -> bytes:
        """What the device signs."""
        return bytes.fromhex(self.value)


def new_challenge(account: int | None) -> PasskeyChallenge:
    """A random one."""
    return PasskeyChallenge(secrets.token_hex(_BYTES), timezone.now().timestamp(), account)


def keep(request: HttpRequest, purpose: ChallengePurpose, challenge: PasskeyChallenge) -> None:
    """Keep it; an earlier one for the same purpose is worth nothing any more."""
    request.session[_key(purpose)] = asdict(challenge)


def take(request: HttpRequest, purpose: ChallengePurpose) -> PasskeyChallenge | None:
    """The one that was asked last, once; None where there is none, or it was too long ago."""
    kept = request.session.pop(_key(purpose), None)
    if kept is None:
        return None
    challenge = PasskeyChallenge(**kept | {"tries": tuple(kept["tries"])})
    return challenge if timezone.now().timestamp() - challenge.at <= TIME.total_seconds() else None


def _key(purpose: ChallengePurpose) -> str:
    return f"passkey to {purpose}"
