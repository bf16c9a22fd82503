"""What the API keeps for itself: answers by idempotency key, and how many requests came in a minute."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class KeyedAnswer(models.Model):
    """The answer to a request that came with an idempotency key, given again when the request comes again.

    Attributes:
        key: as the client chose it; one owner has it once.
        fingerprint: of method, address and body (SHA-256), so that the key is not used for another request.
        status: of the answer; None while the request is being answered.
        headers: those of the answer that belong to it: Content-Type, ETag, Location.
        body: of the answer.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=128)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("owner", "key"), name="http_api_key_once"),)

    def __str__(self) -> str:
        return f"answer {self.pk} of {self.created_at:%Y-%m-%d %H:%M}"


class RequestCount(models.Model):
    """How many requests of one token, or from one address, came in one minute.

    Attributes:
        who: the token's key, or a keyed hash of the address.
        minute: minutes since 1970, UTC.
    """

    who = models.CharField(max_length=64)
    minute = models.BigIntegerField(db_index=True)
    requests = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("who", "minute"), name="http_api_count_once"),)

    def __str__(self) -> str:
        return f"{self.requests} requests in minute {self.minute}"
