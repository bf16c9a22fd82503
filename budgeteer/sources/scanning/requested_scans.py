"""Ask for the scan of a source: where its page is looked at, and by the scheduler for those nobody has looked at."""

from __future__ import annotations

from typing import Any, Final

from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources.models import Source, SourceQuerySet
from budgeteer.sources.uploads import queue_of

ASKED_AT_ONCE: Final = 20
"""So many scans are asked for in one round, so that what somebody waits for is never behind many of them."""
_LOOKED_AT: Final = 500
"""Among so many sources, the newest, one round looks for those that were not asked for."""


def findings(source: Source) -> dict[str, Any] | None:
    """What was found in the source as it is now (see kept_findings.py), None where nobody has looked yet."""
    scan: dict[str, Any] | None = source.scan
    return scan if scan and scan["revision"] == source.revision else None


def ensure_scanned(source: Source) -> Job | None:
    """None where the source was scanned; else the job that does it, one at a time, or that failed or was called off."""
    if findings(source) is not None or not source.is_ready:
        return None
    subject = _subject(source)
    last = jobs.latest_for(subject)
    if last is not None and last.state != "succeeded":
        return last
    try:
        return jobs.enqueue_once(
            "sources.scan",
            arguments={"source_id": str(source.id), "revision": source.revision},
            owner=source.owner,
            subject=subject,
            queue=queue_of(source),
            is_done=_scanned(source).exists,
        )
    except jobs.AlreadyDone:
        source.refresh_from_db(fields=["scan"])
        return None


def ask_for_unscanned() -> int:
    """Ask for some scans of sources that nobody has looked at since their import, the newest first; how many."""
    waiting = Source.objects.filter(state=Source.State.READY, deleted_at__isnull=True, scan__isnull=True)
    asked = 0
    for source in waiting.order_by("-updated_at")[:_LOOKED_AT]:
        if asked == ASKED_AT_ONCE:
            break
        if jobs.latest_for(_subject(source)) is None:
            asked += ensure_scanned(source) is not None
    return asked


def _subject(source: Source) -> str:
    return f"{source.subject}:scan:{source.revision}"


def _scanned(source: Source) -> SourceQuerySet:
    return Source.objects.filter(pk=source.pk, scan__revision=source.revision)
