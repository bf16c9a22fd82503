"""One-time sign-in links: only their hash is kept, so the table opens nothing."""

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
