"""Passkeys (WebAuthn) by py_webauthn (BSD): made by an account, and held against what a device answers.

A passkey signs in without a password where the device has verified its user (a PIN, a finger); after a password it
stands in for a code, and its presence is enough. What device it is, is not asked for. The library is read when it is
asked for first: with what it needs of cryptography it takes as long as Django.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog
from django.contrib.auth.models import User
from django.db import Error as DatabaseError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.accounts.change_letters import AccountChange, notify_of_change
from budgeteer.accounts.models import Passkey, SecondFactor
from budgeteer.accounts.second_factor.challenges import PasskeyChallenge
from budgeteer.accounts.second_factor.codes import ISSUER

if TYPE_CHECKING:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

log = structlog.get_logger(__name__)

MOST: Final = 20
"""Passkeys of one account."""
MOST_ID_BYTES: Final = 1023
"""The longest name of a key (WebAuthn, 7.1)."""
NAME_CHARS: Final = 60
UNNAMED: Final = "Passkey"


class PasskeyRefused(Exception):
    """What the device answered makes no passkey, or signs nobody in; the text is a sentence for the reader."""


@dataclass(frozen=True, slots=True)
class WebSite:
    """Who asks a device: it signs for this host and this origin alone.

    Attributes:
        host: without a port.
        origin: with scheme and port, as the browser names it.
    """

    host: str
    origin: str

    @classmethod
    def of(cls, request: HttpRequest) -> WebSite:
        """The site of this request."""
        named = request.get_host()
        host = named if named.endswith("]") else named.rpartition(":")[0] or named
        return cls(host, f"{request.scheme}://{named}")


def creation_options(user: User, challenge: bytes, site: WebSite) -> str:
    """What a browser asks a device with to make a passkey, as JSON."""
    from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
    from webauthn.helpers import generate_user_handle
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    made = list(Passkey.objects.filter(user=user))
    return options_to_json(
        generate_registration_options(
            rp_id=site.host,
            rp_name=ISSUER,
            user_name=user.get_username(),
            user_id=base64url_to_bytes(made[0].user_handle) if made else generate_user_handle(),
            challenge=challenge,
            exclude_credentials=_descriptors(made),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.PREFERRED,
                user_verification=UserVerificationRequirement.PREFERRED,
            ),
        )
    )


def sign_in_options(user: User | None, challenge: bytes, site: WebSite) -> str:
    """What a browser asks a device with to sign in, as JSON: with any key, or with one of the account's own."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    own = _descriptors(list(Passkey.objects.filter(user=user))) if user else None
    verified = UserVerificationRequirement.DISCOURAGED if user else UserVerificationRequirement.REQUIRED
    return options_to_json(
        generate_authentication_options(
            rp_id=site.host, challenge=challenge, allow_credentials=own, user_verification=verified
        )
    )


@transaction.atomic
def add(user: User, answer: str, *, challenge: PasskeyChallenge, site: WebSite, name: str) -> Passkey:
    """Keep the passkey that a device made.

    Args:
        user: whose it is.
        answer: the device's, as JSON.
        challenge: what was asked with.
        site: where it was asked.
        name: what its owner calls it; cut, and a plain word for "".

    Raises:
        PasskeyRefused: it is none, it is known already, or the account has as many as it may.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url

    with _refusing("What the device answered is no passkey for this site. Try again."):
        made = verify_registration_response(
            credential=answer,
            expected_challenge=challenge.signed,
            expected_rp_id=site.host,
            expected_origin=site.origin,
        )
    locked = User.objects.select_for_update().get(pk=user.pk)
    if Passkey.objects.filter(user=locked).count() >= MOST:
        raise PasskeyRefused(f"An account has {MOST} passkeys at most. Remove one first.")
    if len(made.credential_id) > MOST_ID_BYTES:
        raise PasskeyRefused("The name of this key is longer than the standard allows.")
    try:
        with transaction.atomic():
            passkey = Passkey.objects.create(
                user=locked,
                credential_id=bytes_to_base64url(made.credential_id),
                public_key=bytes_to_base64url(made.credential_public_key),
                user_handle=challenge.handle,
                sign_count=made.sign_count,
                name=name.strip()[:NAME_CHARS] or UNNAMED,
            )
    except IntegrityError as error:
        raise PasskeyRefused("This passkey is known already.") from error
    record(SecurityEvent.PASSKEY_ADDED, account=user.pk, by=user.pk)
    notify_of_change(user, AccountChange.PASSKEY_ADDED)
    return passkey


def account_of(answer: str, *, challenge: PasskeyChallenge, site: WebSite) -> User:
    """Whom a device's answer signs in; it is good once, as the challenge is.

    Where the challenge is for no account, whose password was given, the device has to have verified its user.

    Raises:
        PasskeyRefused: nobody, or another account.
    """
    from webauthn import base64url_to_bytes, verify_authentication_response
    from webauthn.helpers import bytes_to_base64url, parse_authentication_credential_json

    sentence = "That passkey signs nobody in here."
    with _refusing(sentence):
        credential = parse_authentication_credential_json(answer)
        passkey = Passkey.objects.select_related("user").filter(credential_id=credential.id).first()
        if passkey is None or challenge.account not in {None, passkey.user_id}:
            raise PasskeyRefused(sentence)
        handle = credential.response.user_handle
        if handle and bytes_to_base64url(handle) != passkey.user_handle:
            raise PasskeyRefused(sentence)
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge.signed,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=challenge.account is None,
        )
    if not passkey.user.is_active:
        raise PasskeyRefused(sentence)
    # Held against the count that was read, so that of two answers at once one signs in where the device counts.
    unused = Passkey.objects.filter(pk=passkey.pk, sign_count=passkey.sign_count)
    if not unused.update(sign_count=verified.new_sign_count, last_used_at=timezone.now()):
        raise PasskeyRefused(sentence)
    return passkey.user


@transaction.atomic
def remove_passkey(user: User, passkey_id: int) -> bool:
    """Remove one of the account's own; whether it was there.

    Raises:
        PasskeyRefused: it is the last one of an account that has nothing else to show after its password.
    """
    locked = User.objects.select_for_update().get(pk=user.pk)
    own = Passkey.objects.filter(user=locked)
    is_last = own.filter(pk=passkey_id).exists() and own.count() == 1
    if is_last and SecondFactor.objects.filter(user=locked, secret="").exists():
        raise PasskeyRefused(
            "This passkey is all that your second factor has. Add another one or an authenticator app first, "
            "or turn the second factor off."
        )
    gone, _ = own.filter(pk=passkey_id).delete()
    if gone:
        record(SecurityEvent.PASSKEY_REMOVED, account=user.pk, by=user.pk)
        notify_of_change(user, AccountChange.PASSKEY_REMOVED)
    return bool(gone)


def remove_passkeys(user: User, *, by: int | None) -> bool:
    """Remove every passkey of an account; whether there was one. `by` is who did it."""
    gone, _ = Passkey.objects.filter(user=user).delete()
    if gone:
        record(SecurityEvent.PASSKEY_REMOVED, account=user.pk, by=by)
        notify_of_change(user, AccountChange.PASSKEY_REMOVED)
    return bool(gone)


def handle_in(options: dict[str, object]) -> str:
    """The account's name towards devices in what `creation_options` gave, read from JSON."""
    user = options["user"]
    return str(user["id"]) if isinstance(user, dict) else ""


@contextmanager
def _refusing(sentence: str) -> Iterator[None]:
    """Refuse what the library cannot read; it raises more than its own errors, such as for a key without its kind."""
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        yield
    except (PasskeyRefused, DatabaseError):
        raise
    except Exception as error:
        if not isinstance(error, WebAuthnException | ValueError):
            log.info("unreadable answer of a device", error=type(error).__name__)
        raise PasskeyRefused(sentence) from error


def _descriptors(passkeys: list[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    from webauthn import base64url_to_bytes
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(passkey.credential_id)) for passkey in passkeys]
