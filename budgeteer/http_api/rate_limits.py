"""Rate limit of the API: requests in each minute, counted in the database so that all web processes share it.

A token is counted by itself, whoever sends it from wherever; a request without a valid token counts against its
address. The headers are those of the IETF's draft "RateLimit header fields for HTTP" (its tenth version).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponseBase

from budgeteer.access.audit import keyed
from budgeteer.access.bearer import TokenHolder, bearer_of
from budgeteer.accounts.throttling import counted_address
from budgeteer.http_api.models import RequestCount

WINDOW_SECONDS: Final = 60
KEEP_MINUTES: Final = 10
"""How long a count is kept after its minute; long enough for hosts whose clocks differ."""


@dataclass(frozen=True, slots=True)
class RateStanding:
    """How a sender stands in this minute, the present request counted."""

    policy: str
    limit: int
    requests: int
    seconds_left: int

    @property
    def is_over(self) -> bool:
        """Whether the present request is one too many."""
        return self.requests > self.limit

    def write_headers(self, response: HttpResponseBase) -> None:
        """Say on an answer what is left, and on a refusal when to come again."""
        left = max(self.limit - self.requests, 0)
        response.headers["RateLimit-Policy"] = f'"{self.policy}";q={self.limit};w={WINDOW_SECONDS}'
        response.headers["RateLimit"] = f'"{self.policy}";r={left};t={self.seconds_left}'
        if self.is_over:
            response.headers["Retry-After"] = str(self.seconds_left)


def count(request: HttpRequest, *, now: float | None = None) -> RateStanding:
    """Count one request; `now` is the time in seconds since 1970."""
    now = time.time() if now is None else now
    holder = bearer_of(request)
    if isinstance(holder, TokenHolder):
        policy, who, limit = "token", holder.key, int(settings.API_REQUESTS_PER_MINUTE)
    else:
        address = keyed(f"api:{counted_address(request)}")
        policy, who, limit = "address", f"address:{address}", int(settings.API_STRANGERS_PER_MINUTE)
    minute = int(now // WINDOW_SECONDS)
    seconds_left = max(math.ceil((minute + 1) * WINDOW_SECONDS - now), 1)
    return RateStanding(policy, limit, _add(who, minute), seconds_left)


def forget(*, before: float) -> int:
    """Remove counts of minutes that ended KEEP_MINUTES before that time, in seconds since 1970; how many."""
    return RequestCount.objects.filter(minute__lt=int(before // WINDOW_SECONDS) - KEEP_MINUTES).delete()[0]


def _add(who: str, minute: int) -> int:
    """One more request of this sender in this minute; how many that makes."""
    rows = RequestCount.objects.filter(who=who, minute=minute)
    if not rows.update(requests=F("requests") + 1):
        try:
            with transaction.atomic():
                RequestCount.objects.create(who=who, minute=minute, requests=1)
        except IntegrityError:  # another process was quicker
            rows.update(requests=F("requests") + 1)
    return rows.values_list("requests", flat=True).get()
