"""The masked copy of a source: asked for by one press, and what the copy's row keeps of how it was made.

{"of": "<id>", "name": "session.jsonl", "kinds": [{"kind": "AWS key", "places": 2}], "missing": 0, "left": 0,
 "isWhole": true}
"""

from __future__ import annotations

from typing import Any

from budgeteer.engine.errors import InputError
from budgeteer.formats.reading.compressed_files import HEAD_BYTES
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources.models import Source
from budgeteer.sources.scanning.masked_bytes import MaskedBytes, check_can_be_masked
from budgeteer.sources.scanning.requested_scans import findings
from budgeteer.sources.uploads import queue_of


def ask_for_copy(source: Source) -> Job:
    """The job that makes the copy, one at a time.

    Raises:
        InputError: nothing was found in the source, or its file is not written as text.
        StorageAway: the file cannot be read now.
    """
    found = findings(source)
    if not found or not found["kinds"]:
        raise InputError(
            "nothing to mask is known here", where=source.name, mend="Wait until the source has been scanned"
        )
    with source.upload.open("rb") as file:
        check_can_be_masked(file.read(HEAD_BYTES), name=source.name)
    return jobs.enqueue_once(
        "sources.mask",
        arguments={"source_id": str(source.id), "revision": source.revision},
        owner=source.owner,
        subject=_subject(source),
        queue=queue_of(source),
    )


def copy_job(source: Source) -> Job | None:
    """The youngest job that makes or made a copy of what the source holds now."""
    return jobs.latest_for(_subject(source))


def copy_of(source: Source, job: Job) -> Source | None:
    """The copy that the job has made, None where there is none any more."""
    made = (job.result or {}).get("copy")
    return Source.objects.visible_to(source.owner).filter(pk=made).first() if made else None


def how_it_was_masked(source: Source, masked: MaskedBytes, *, is_whole: bool) -> dict[str, Any]:
    """What the row of a copy of `source` keeps."""
    return {
        "of": str(source.id),
        "name": source.name,
        "kinds": [{"kind": kind, "places": places} for kind, places in masked.kinds.items()],
        "missing": masked.missing,
        "left": masked.left,
        "isWhole": is_whole,
    }


def _subject(source: Source) -> str:
    return f"{source.subject}:mask:{source.revision}"
