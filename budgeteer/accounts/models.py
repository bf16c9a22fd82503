"""One-time sign-in links and sign-in attempts. Only hashes are stored, so a stolen table opens no account."""

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
