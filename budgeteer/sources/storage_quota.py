"""The quota of storage: how many bytes of sources one person may keep (STORAGE_EACH_BYTES, 0 for any number).

What counts is the bytes of the uploads as they came. Deleted sources count while they can be brought back; where room
is needed, those that were deleted first are removed for good, and only then is an upload refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from budgeteer.engine.errors import InputError
from budgeteer.formats.reading.limits import readable_bytes
from budgeteer.sources.cleanup import purge_one
from budgeteer.sources.models import Source


class QuotaExceeded(InputError):
    """An upload for which its owner's quota of storage has no room; nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class StorageUse:
    """What one person's sources take, in bytes: those in the lists, and deleted ones that can be brought back."""

    listed_bytes: int
    deleted_bytes: int
    limit_bytes: int

    @property
    def words(self) -> str:
        """As in "1.2 GB of 10 GB of storage used"; "" where there is no limit."""
        if not self.limit_bytes:
            return ""
        return f"{readable_bytes(self.listed_bytes)} of {readable_bytes(self.limit_bytes)} of storage used"

    @property
    def deleted(self) -> str:
        """The size of deleted sources, "" where there are none."""
        return readable_bytes(self.deleted_bytes) if self.deleted_bytes else ""


def use_of(owner: User | AnonymousUser) -> StorageUse:
    """How much storage somebody uses and may use."""
    sums = Source.objects.filter(owner_id=owner.pk).aggregate(
        listed=Sum("size_bytes", filter=Q(deleted_at__isnull=True)),
        deleted=Sum("size_bytes", filter=Q(deleted_at__isnull=False)),
    )
    return StorageUse(sums["listed"] or 0, sums["deleted"] or 0, settings.STORAGE_EACH_BYTES)


def check_room(owner: User, added_bytes: int, *, name: str) -> None:
    """Refuse what cannot have room, before it is stored; `make_room` decides for good.

    Raises:
        QuotaExceeded: says how much is used, how much may be, and how to mend it.
    """
    if settings.STORAGE_EACH_BYTES:
        _refuse_above(use_of(owner), added_bytes, name=name)


def lock_quota(owner: User) -> None:
    """Let one upload of a person after the other through `make_room`; to be called first in their transaction."""
    if settings.STORAGE_EACH_BYTES:
        # SQLite has no locks of rows and needs none: its transactions that write come one after the other.
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def make_room(source: Source, *, added_bytes: int) -> None:
    """See that its owner is within the quota, once the row of a source that has grown by so many bytes is written.

    To be called in that transaction, under `lock_quota`. Deleted sources go for good, the first deleted first, as far
    as that takes.

    Raises:
        QuotaExceeded: there is no room; the transaction has to be rolled back.
    """
    if not settings.STORAGE_EACH_BYTES:
        return
    use = use_of(source.owner)
    before = StorageUse(use.listed_bytes - added_bytes, use.deleted_bytes, use.limit_bytes)
    _refuse_above(before, added_bytes, name=source.name)
    excess = use.listed_bytes + use.deleted_bytes - use.limit_bytes
    if excess > 0:
        _remove_deleted(source, excess)


def _refuse_above(use: StorageUse, added_bytes: int, *, name: str) -> None:
    if use.listed_bytes + added_bytes <= use.limit_bytes:
        return
    taken, limit = readable_bytes(use.listed_bytes), readable_bytes(use.limit_bytes)
    raise QuotaExceeded(
        f"this would add {readable_bytes(added_bytes)} to the {taken} of the {limit} that you may store",
        where=name,
        mend="Delete sources that you no longer need, or send less "
        "(an admin sets the limit with BUDGETEER_STORAGE_EACH_MB)",
    )


def _remove_deleted(source: Source, excess_bytes: int) -> None:
    now = timezone.now()
    gone = Source.objects.filter(owner=source.owner, deleted_at__isnull=False).exclude(pk=source.pk)
    for pk, size_bytes in list(gone.order_by("deleted_at", "pk").values_list("pk", "size_bytes")):
        if excess_bytes <= 0:
            return
        with transaction.atomic():
            purge_one(pk, before=now)
        excess_bytes -= size_bytes
