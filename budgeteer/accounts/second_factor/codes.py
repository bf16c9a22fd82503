"""Codes of an authenticator app by pyotp (MIT; RFC 6238); their secret as a link, and as a QR code by segno (BSD)."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Final

import pyotp
import segno
from django.utils.safestring import SafeString, mark_safe

STEP_SECONDS: Final = 30
DIGITS: Final = 6
ISSUER: Final = "Budgeteer"

_DRIFT_STEPS: Final = (0, -1, 1)
"""A clock may be a step off either way (RFC 6238, 5.2)."""


def new_secret() -> str:
    """A secret of 160 bits, in base 32."""
    return pyotp.random_base32()


def matching_step(secret: str, code: str, *, now: datetime) -> int | None:
    """The step whose code this is, of the one of now and its neighbours; None where it is none of theirs."""
    digits = "".join(code.split())
    if not (digits.isascii() and digits.isdecimal() and len(digits) == DIGITS):
        return None
    codes, step = pyotp.TOTP(secret, digits=DIGITS, interval=STEP_SECONDS), int(now.timestamp()) // STEP_SECONDS
    expected = {step + drift: codes.at(now, counter_offset=drift) for drift in _DRIFT_STEPS}
    return next((at for at, one in expected.items() if hmac.compare_digest(one, digits)), None)


def setup_link(secret: str, *, name: str) -> str:
    """What an authenticator app reads."""
    return pyotp.TOTP(secret, digits=DIGITS, interval=STEP_SECONDS).provisioning_uri(name=name, issuer_name=ISSUER)


def qr_code(link: str) -> SafeString:
    """A link as an SVG of one path, black on white in either theme, without styles or scripts."""
    drawn = segno.make(link, error="m").svg_inline(border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr")
    return mark_safe(drawn)  # noqa: S308 - drawn from modules; nothing of the link stands in it as text
