"""Clean-up of what the API keeps for itself."""

from __future__ import annotations

from datetime import datetime

from budgeteer.http_api import idempotency, rate_limits
from budgeteer.jobs.cleanup import sweep


@sweep("answers by idempotency key")
def forget_answers(now: datetime) -> int:
    """Answers that are given again no longer."""
    return idempotency.forget(now=now)


@sweep("counts of API requests")
def forget_counts(now: datetime) -> int:
    """Counts of minutes that are over."""
    return rate_limits.forget(before=now.timestamp())
