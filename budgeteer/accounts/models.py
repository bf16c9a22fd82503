"""Sign-in links and tries, second factors, passkeys, who accounts are to a sign-in provider, and the audit log.

Of links, names and recovery codes only hashes are stored. The secret of a second factor has to be read to check a code.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class SignInLink(models.Model):
    """A link that signs one user in once, before `expires_at`.

    `token_hash` is the SHA-256 of the token in hexadecimal; the token itself stands only in the link.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        """Latest first."""

        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"sign-in link of {self.user} made {self.created_at:%Y-%m-%d %H:%M}"


class SignInTry(models.Model):
    """One try to sign in that did not succeed, as far as anybody knows yet (see throttling.py).

    `key` is a keyed hash of whom it counts against: an account name, an address.
    """

    key = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Indexed for counting and for sweeping."""

        verbose_name_plural = "sign-in tries"
        indexes = [
            models.Index(fields=["key", "at"], name="accounts_tries_by_key"),
            models.Index(fields=["at"], name="accounts_tries_by_age"),
        ]

    def __str__(self) -> str:
        return f"try {self.pk} at {self.at:%Y-%m-%d %H:%M}"


class SecondFactor(models.Model):
    """The second factor of one account; while there is one, more is asked for after the password.

    Attributes:
        secret: of the authenticator app, in base 32; whoever has it can make codes. "" where the account has passkeys
            alone, and never less than one.
        last_step: the step of the last code that was taken; earlier ones and this one are not taken again.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="second_factor")
    secret = models.CharField(max_length=64, blank=True)
    last_step = models.BigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"second factor of {self.user}"


class RecoveryCode(models.Model):
    """A code that stands in for the app or the passkey once; `digest` is a keyed hash of it. A used one is deleted."""

    factor = models.ForeignKey(SecondFactor, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)

    class Meta:
        """Each code of a factor once."""

        constraints = [models.UniqueConstraint(fields=["factor", "digest"], name="accounts_recovery_code_once")]

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class Passkey(models.Model):
    """A key of WebAuthn by which one account signs in; its private half never leaves the device.

    Attributes:
        credential_id: the key's own name, in base64url. public_key: as COSE writes it, in base64url.
        user_handle: the account's name towards devices, random, in base64url; the same for all keys of an account.
        sign_count: of its last use; a device that counts never goes back.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="passkeys")
    credential_id = models.CharField(max_length=1400, unique=True)
    public_key = models.TextField()
    user_handle = models.CharField(max_length=100)
    sign_count = models.BigIntegerField(default=0)
    name = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        """Latest last."""

        ordering = ["pk"]

    def __str__(self) -> str:
        return f"passkey {self.pk}"


class SignInIdentity(models.Model):
    """Who an account is to an OpenID Connect provider, which signs it in.

    Attributes:
        issuer, subject: the provider's name and its name of the person, which stay when mail addresses change.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        """One account a person, one person an account."""

        verbose_name_plural = "sign-in identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="accounts_identity_once"),
            models.UniqueConstraint(fields=["user", "issuer"], name="accounts_one_identity_an_issuer"),
        ]

    def __str__(self) -> str:
        return f"identity of {self.user}"


class AuditEntry(models.Model):
    """One thing that was done to an account, a preset or something that is shared.

    Attributes:
        event: a SecurityEvent.
        account_id, by_id: of the account it was done to, and of who did it; None where there is none. No foreign keys:
            an entry outlives both.
        about: the rest of the event's details: ids, numbers, roles and names of fields.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    event = models.CharField(max_length=60)
    account_id = models.BigIntegerField(null=True)
    by_id = models.BigIntegerField(null=True)
    about = models.JSONField(default=dict)

    class Meta:
        """In the order in which it happened, the latest first."""

        ordering = ["-at", "-pk"]
        verbose_name = "audit entry"
        verbose_name_plural = "audit log"

    def __str__(self) -> str:
        return f"{self.event} at {self.at:%Y-%m-%d %H:%M}"
