"""Set a second factor up, check its codes, remove it. Recovery codes are kept as keyed hashes and shown once."""

from __future__ import annotations

import secrets
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.accounts.change_letters import AccountChange, notify_of_change
from budgeteer.accounts.models import Passkey, RecoveryCode, SecondFactor
from budgeteer.accounts.second_factor.codes import matching_step
from budgeteer.accounts.second_factor.passkeys import remove_passkeys

RECOVERY_CODES: Final = 10
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are taken for others: 31 letters, so that a code of 16 has 79 bits."""
_GROUPS, _GROUP_LETTERS = 4, 4


def is_set_up(user: User) -> bool:
    """Whether more is asked for after this account's password; never in local mode, which has no passwords."""
    return settings.BUDGETEER_MODE == "team" and SecondFactor.objects.filter(user=user).exists()


def has_app(user: User) -> bool:
    """Whether an authenticator app is part of the factor."""
    return SecondFactor.objects.filter(user=user).exclude(secret="").exists()


@transaction.atomic
def set_up(user: User, secret: str, code: str) -> list[str] | None:
    """Turn the factor on with the first code of the app, or add the app to one of passkeys alone.

    Its recovery codes, in the place of any before; None where the code is wrong. An account that has an app keeps it,
    and gets None.
    """
    step = matching_step(secret, code, now=timezone.now())
    if step is None:
        return None
    factor, made = SecondFactor.objects.get_or_create(user=user, defaults={"secret": secret, "last_step": step})
    if not (made or SecondFactor.objects.filter(pk=factor.pk, secret="").update(secret=secret, last_step=step)):
        return None
    record(SecurityEvent.SECOND_FACTOR_SET, account=user.pk, by=user.pk)
    notify_of_change(user, AccountChange.FACTOR_SET)
    return _new_codes(factor)


@transaction.atomic
def set_up_with_passkeys(user: User) -> list[str] | None:
    """Turn the factor on with the account's passkeys alone; its recovery codes.

    None where there is no passkey, or a factor already.
    """
    locked = User.objects.select_for_update().get(pk=user.pk)
    if not Passkey.objects.filter(user=locked).exists():
        return None
    factor, made = SecondFactor.objects.get_or_create(user=locked, defaults={"secret": "", "last_step": 0})
    if not made:
        return None
    record(SecurityEvent.SECOND_FACTOR_SET, account=user.pk, by=user.pk)
    notify_of_change(user, AccountChange.FACTOR_SET)
    return _new_codes(factor)


@transaction.atomic
def renew_recovery_codes(user: User) -> list[str]:
    """New recovery codes in the place of the old ones; none where there is no factor."""
    factor = SecondFactor.objects.select_for_update().filter(user=user).first()
    if factor is None:
        return []
    record(SecurityEvent.RECOVERY_CODES_MADE, account=user.pk, by=user.pk)
    notify_of_change(user, AccountChange.RECOVERY_CODES)
    return _new_codes(factor)


def is_right(user: User, code: str) -> bool:
    """Whether this is a code of the app, or a recovery code; either is good once."""
    factor = SecondFactor.objects.filter(user=user).first()
    if factor is None:
        return False
    # Without an app there is no secret that a code could be held against.
    step = matching_step(factor.secret, code, now=timezone.now()) if factor.secret else None
    if step is not None:
        later = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
        return later.update(last_step=step) == 1
    used, _ = RecoveryCode.objects.filter(factor=factor, digest=_digest(code)).delete()
    if used:
        record(SecurityEvent.RECOVERY_CODE_USED, account=user.pk, left=factor.recovery_codes.count())
    return bool(used)


def remove(user: User, *, by: int | None) -> bool:
    """Turn the factor off, with its recovery codes; whether there was one. `by` is who did it."""
    gone, _ = SecondFactor.objects.filter(user=user).delete()
    if gone:
        record(SecurityEvent.SECOND_FACTOR_REMOVED, account=user.pk, by=by)
        notify_of_change(user, AccountChange.FACTOR_REMOVED)
    return bool(gone)


def remove_all(user: User, *, by: int | None) -> bool:
    """Take the factor and every passkey away, for somebody who lost a device; whether there was one."""
    return any([remove(user, by=by), remove_passkeys(user, by=by)])


def codes_left(user: User) -> int:
    """How many recovery codes an account has."""
    return RecoveryCode.objects.filter(factor__user=user).count()


def _new_codes(factor: SecondFactor) -> list[str]:
    factor.recovery_codes.all().delete()
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(factor=factor, digest=_digest(code)) for code in codes)
    return codes


def _new_code() -> str:
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(_GROUP_LETTERS)) for _ in range(_GROUPS))
    return "-".join(groups)


def _digest(code: str) -> str:
    plain = "".join(letter for letter in code.casefold()[:100] if letter in _LETTERS)
    return salted_hmac("budgeteer.accounts.second_factor", plain, algorithm="sha256").hexdigest()
