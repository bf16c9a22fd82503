"""Keep security events that change something; those that strangers can cause stand in the log's lines alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.dispatch import receiver

from budgeteer.access.audit import WARNINGS, SecurityEvent, recorded
from budgeteer.accounts.models import AuditEntry
from budgeteer.jobs.cleanup import sweep

#: What is not kept: signing in and out, and what somebody tried without getting in. It comes as often as anybody likes.
NOT_KEPT: Final = WARNINGS | {
    SecurityEvent.SIGNED_IN,
    SecurityEvent.SIGNED_OUT,
    SecurityEvent.PASSWORD_LINK_ASKED,
}


@receiver(recorded)
def keep(event: SecurityEvent, details: Mapping[str, Any], **_signal: Any) -> None:
    """Write an entry in the transaction of what it tells of, so that both are kept or neither."""
    if event in NOT_KEPT:
        return
    rest = {name: value for name, value in details.items() if name not in ("account", "by")}
    AuditEntry.objects.create(event=str(event), account_id=details.get("account"), by_id=details.get("by"), about=rest)


@sweep("old entries of the audit log")
def forget(now: datetime) -> int:
    """Entries from before AUDIT_DAYS ago."""
    return AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.AUDIT_DAYS)).delete()[0]
