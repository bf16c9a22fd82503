"""Security events: what matters for an investigation, as log lines of one logger with a closed set of names.

A line names accounts, workspaces and reports by their ids, and the request by its id. It holds no password, token,
text or name that somebody typed: an address and the name of a failed sign-in stand there as keyed hashes, so that
lines about the same one are found together and nobody reads a password that was typed in the wrong field.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import structlog
from django.dispatch import Signal
from django.utils.crypto import salted_hmac

LOGGER: Final = "budgeteer.security"
_HASH_DIGITS: Final = 16

log = structlog.get_logger(LOGGER)

recorded = Signal()
"""Sent with `event` and `details` after each line: an app that keeps events listens to it."""


class SecurityEvent(StrEnum):
    """Everything that is recorded."""

    SIGNED_IN = "signed in"
    SIGNED_OUT = "signed out"
    SESSIONS_ENDED = "sessions ended"
    SIGN_IN_FAILED = "sign-in failed"
    SIGN_IN_LIMITED = "sign-in limited"
    PASSWORD_CHANGED = "password changed"  # noqa: S105 - a name of an event
    PASSWORD_LINK_ASKED = "password link asked for"  # noqa: S105 - as above
    PASSWORD_LINK_MADE = "password link made"  # noqa: S105 - as above
    SECOND_FACTOR_SET = "second factor set up"
    SECOND_FACTOR_REMOVED = "second factor removed"
    SECOND_FACTOR_FAILED = "second factor failed"
    RECOVERY_CODES_MADE = "recovery codes made"
    RECOVERY_CODE_USED = "recovery code used"
    PASSKEY_ADDED = "passkey added"
    PASSKEY_REMOVED = "passkey removed"
    PASSKEY_FAILED = "passkey failed"
    PROVIDER_REFUSED = "sign-in by the provider refused"
    IDENTITY_CONNECTED = "account connected to the provider"
    IDENTITY_REMOVED = "account disconnected from the provider"
    ACCOUNT_CREATED = "account created"
    ACCOUNT_CHANGED = "account changed"
    ACCOUNT_DELETION_ASKED = "account deletion asked for"
    ACCOUNT_DELETED = "account deleted"
    DATA_DOWNLOADED = "own data downloaded"
    ROLE_SET = "role set"
    TOKEN_MADE = "access token made"  # noqa: S105 - as above
    TOKEN_REVOKED = "access token revoked"  # noqa: S105 - as above
    TOKEN_REFUSED = "access token refused"  # noqa: S105 - as above
    TEAM_CREATED = "team created"
    TEAM_RENAMED = "team renamed"
    TEAM_DELETED = "team deleted"
    TEAM_MEMBER_ADDED = "team member added"
    TEAM_MEMBER_REMOVED = "team member removed"
    TEAM_ROLE_SET = "team role set"
    WORKSPACE_SHARED = "workspace shared"
    WORKSPACE_UNSHARED = "workspace no longer shared"
    WORKSPACE_COPIED = "workspace copied"
    COLLECTION_SHARED = "collection shared"
    COLLECTION_UNSHARED = "collection no longer shared"
    REPORT_PUBLISHED = "report published"
    REPORT_DECIDED = "report opened after its scan"
    REPORT_REVOKED = "report revoked"
    REPORT_REFUSED = "report password failed"
    REPORT_LIMITED = "report password limited"
    PRESET_PUBLISHED = "preset published"
    PRESET_RETIRED = "preset retired"
    PRESET_OFFERED = "preset offered again"
    PRESET_PROPOSED = "preset proposed"
    PRESET_DECLINED = "preset proposal declined"


#: Those that may be somebody trying their luck.
WARNINGS: Final = frozenset(
    {
        SecurityEvent.SIGN_IN_FAILED,
        SecurityEvent.SIGN_IN_LIMITED,
        SecurityEvent.SECOND_FACTOR_FAILED,
        SecurityEvent.PASSKEY_FAILED,
        SecurityEvent.PROVIDER_REFUSED,
        SecurityEvent.TOKEN_REFUSED,
        SecurityEvent.REPORT_REFUSED,
        SecurityEvent.REPORT_LIMITED,
    }
)


def record(event: SecurityEvent, **details: str | int | list[str] | None) -> None:
    """Write one line; `details` are ids, numbers, roles and names of fields."""
    (log.warning if event in WARNINGS else log.info)(str(event), **details)
    recorded.send(SecurityEvent, event=event, details=details)


def keyed(value: str) -> str:
    """A hash that names a value without telling it, the same for as long as SECRET_KEY is."""
    return salted_hmac("budgeteer.access.audit", value, algorithm="sha256").hexdigest()[:_HASH_DIGITS]
