"""Clean-up of tokens that ended long ago."""

from __future__ import annotations

from datetime import datetime

from budgeteer.jobs.cleanup import sweep
from budgeteer.tokens import services


@sweep("ended access tokens")
def forget_tokens(now: datetime) -> int:
    """Tokens that expired or were revoked, once their time in the list is over."""
    return services.purge(before=now)
