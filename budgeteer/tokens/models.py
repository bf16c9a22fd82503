"""Personal access tokens: the rows. Only hashes are stored, so a stolen table opens no account."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

#: What a token begins with, so that people and scanners of secrets know one when they see it.
PREFIX = "bgt_"
SHOWN_CHARS = 10
"""How much of a token its row keeps readable: enough to tell two apart, far too little to guess the rest."""


class AccessToken(models.Model):
    """A token that speaks for one account until `expires_at`, for what its scopes allow and its account may.

    Attributes:
        name: what its owner calls it.
        token_hash: the SHA-256 of the token in hexadecimal; the token itself was shown once.
        beginning: its first SHOWN_CHARS characters.
        scopes: names of scopes.py, in its order.
        form_key: drawn with the form it was made with, so that the same form sent twice makes one token.
        last_used_at: a time within a minute of its last use; None before.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=80)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    beginning = models.CharField(max_length=SHOWN_CHARS, editable=False)
    scopes = models.JSONField(default=list)
    form_key = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=("owner", "form_key"), name="tokens_one_a_form"),)

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}…)"

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at <= timezone.now()

    @property
    def is_open(self) -> bool:
        """Whether it still speaks for its account."""
        return self.revoked_at is None and not self.is_expired
