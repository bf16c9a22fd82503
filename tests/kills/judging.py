"""What is left when nothing is killed any more: every row and file against what was asked and against a calm run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.core.files.storage import default_storage
from django.db import connections

from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.services import stored_names
from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.content.source_items import SourceItems
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.history.summary import SummaryRequest, extractive_summary
from budgeteer.engine.rendering.validity import check_packing
from budgeteer.formats.detect import import_bytes
from budgeteer.jobs.models import FINISHED, Job
from budgeteer.reports.models import Report
from budgeteer.reports.services import frozen
from budgeteer.sources.files.contents import plain, streams_of
from budgeteer.sources.loading import contents_of, forget_loaded, measures_of
from budgeteer.sources.measures.measuring import AT_IMPORT, Measures, dump_measures, measure
from budgeteer.sources.models import Source, stored_files
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Summary, Workspace
from budgeteer.workbench.preview import forget_previews, pack_workspace
from budgeteer.workbench.workspace_inputs import links_of, readiness_of
from tests.kills import studying
from tests.kills.material import Upload
from tests.kills.people import Memory
from tests.kills.verdict import Verdict

SETTLE_SECONDS = 180.0


def settle(verdict: Verdict) -> None:
    """Wait until every job has ended; those that have not are stuck."""
    deadline = time.monotonic() + SETTLE_SECONDS
    unfinished = Job.objects.exclude(state__in=FINISHED)
    under_way = EvaluationRun.objects.filter(state__in=("queued", "waiting", "running"))
    while (unfinished.exists() or under_way.exists()) and time.monotonic() < deadline:
        time.sleep(0.2)
    verdict.stuck += [f"evaluation {run.pk} is {run.state}" for run in under_way]
    verdict.stuck += [f"{job} attempt {job.attempt}, {job.log[-2:]}" for job in unfinished]


def judge(memories: Sequence[Memory]) -> Verdict:
    """Look at everything."""
    connections.close_all()  # this process's own may be to a database that was killed
    forget_loaded()
    forget_previews()
    verdict = Verdict()
    settle(verdict)
    for memory in memories:
        verdict.failed += memory.refused
    _look_at_jobs(verdict)
    uploads = {opened.upload.name: opened.upload for memory in memories for opened in memory.opened}
    for memory in memories:
        verdict.lost += [f"upload {each.upload.name}" for each in memory.opened if not _has_source(each.upload)]
    sources = list(Source.objects.all())
    for source in sources:
        _look_at_source(verdict, source, uploads.get(source.name))
    _look_at_reports(verdict, [title for memory in memories for title in memory.reports])
    _look_at_summaries(verdict)
    studying.look_at_evaluations(verdict, [path for memory in memories for path in memory.evaluations])
    studying.look_at_calibrations(verdict, [each for memory in memories for each in memory.calibrations])
    verdict.checked |= {
        "answered uploads": len(uploads),
        "unanswered requests": sum(len(memory.unanswered) for memory in memories),
        "sources": len(sources),
        "orphaned files": len(_orphans(sources)),
    }
    return verdict


def _look_at_jobs(verdict: Verdict) -> None:
    jobs = list(Job.objects.all())
    verdict.failed += [f"{job}: {job.error}" for job in jobs if job.state in ("failed", "cancelled")]
    done: dict[tuple[str, str], list[Job]] = {}
    for job in sorted(jobs, key=lambda job: job.created_at):
        if job.state == "succeeded" and job.kind not in studying.KINDS_AGAIN:
            done.setdefault((job.kind, job.subject), []).append(job)
    verdict.doubled += [f"{asked}: {[_life_of(job) for job in same]}" for asked, same in done.items() if len(same) > 1]
    verdict.checked["jobs"] = len(jobs)
    verdict.checked["jobs that lost a worker"] = sum(job.lost_workers > 0 for job in jobs)


def _life_of(job: Job) -> str:
    times = (job.created_at, job.started_at, job.finished_at)
    return f"{' '.join(f'{at:%T.%f}' if at else '-' for at in times)} attempt {job.attempt} {job.result}"


def _has_source(upload: Upload) -> bool:
    return Source.objects.filter(name=upload.name).exists()


def _look_at_source(verdict: Verdict, source: Source, upload: Upload | None) -> None:
    """The stored bytes, items and arrays of one source against a calm import of the same bytes."""
    if source.state != Source.State.READY:
        verdict.half_written.append(f"{source.name} is {source.state}: {source.error}")
        return
    if source.revision != 1:
        verdict.doubled.append(f"{source.name} was published {source.revision} times")
    with source.upload.open("rb") as file:
        data = file.read()
    if upload is not None and data != upload.data:
        verdict.half_written.append(f"{source.name}: the stored upload differs from what was sent")
        return
    imported = import_bytes(data, name=source.name)
    if upload is not None and source.counts.get(upload.what) != upload.items:
        verdict.wrong_totals.append(f"{source.name}: {source.counts} and {upload.items} {upload.what} were sent")
    reader = contents_of(source).reader
    for stream, items in streams_of(imported).items():
        if reader.read(stream) != [plain(item) for item in items]:
            verdict.half_written.append(f"{source.name}: the stored {stream} differ")
    what = SourceItems(
        conversations=imported.conversations, skills=imported.skills, tools=imported.tools, text=imported.text
    )
    for tokenizer in AT_IMPORT:
        calm = measure(what, counter=counter_for(tokenizer))
        stored = measures_of(source, tokenizer)
        if stored is None or not _are_equal(stored, calm):
            verdict.wrong_totals.append(f"{source.name}: counts under {tokenizer} differ")
        if source.counts["tokens"][tokenizer] != calm.total_tokens(what.conversations):
            verdict.wrong_totals.append(f"{source.name}: the total under {tokenizer} differs")


def _are_equal(stored: Measures, calm: Measures) -> bool:
    first, second = (_arrays(one) for one in (stored, calm))
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def _arrays(measures: Measures) -> dict[str, Any]:
    import io

    with np.load(io.BytesIO(dump_measures(measures)), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _look_at_reports(verdict: Verdict, answered: Sequence[str]) -> None:
    reports = list(Report.objects.select_related("workspace"))
    times = Counter(report.title for report in reports)
    verdict.lost += [f"report {title}" for title in answered if not times[title]]
    verdict.doubled += [f"report {title}: {number}" for title, number in times.items() if number > 1]
    for report in reports:
        if report.document is None:
            verdict.half_written.append(f"{report.title} has no document")
            continue
        packing = frozen(report)["packing"]
        calm = _calm_packing(report.workspace)
        if packing["total"] != calm["total"] or _sums(packing) != packing["total"]:
            verdict.wrong_totals.append(f"{report.title}: {packing['total']}, calm {calm['total']}")
    verdict.checked["reports"] = len(reports)


def _calm_packing(workspace: Workspace | None) -> dict[str, Any]:
    assert workspace is not None
    current = EditableConfig.of(workspace)
    readiness = readiness_of(links_of(workspace), tokenizer="o200k_base")

    def summarise(request: SummaryRequest) -> str:
        return extractive_summary(request)

    forget_previews()
    packing = pack_workspace(workspace, current, readiness=readiness, summarise=summarise).packing
    return packing_to_json(packing, validity=check_packing(packing))


def _sums(packing: dict[str, Any]) -> dict[str, int]:
    pieces: Iterable[dict[str, int]] = [
        *(decision["after"] for decision in packing["decisions"]),
        *packing["overhead"],
    ]
    listed = list(pieces)
    return {unit: sum(piece[unit] for piece in listed) for unit in ("tokens", "chars")}


def _look_at_summaries(verdict: Verdict) -> None:
    rows = list(Summary.objects.all())
    verdict.checked["summaries"] = len(rows)
    verdict.half_written += [f"summary {row.key[:12]} is empty" for row in rows if not row.text]


def _orphans(sources: Sequence[Source]) -> list[str]:
    """Files that no row names: what killed attempts left, for the housekeeping to sweep."""
    named = {file.name for source in sources for file in stored_files(source)}
    named |= {name for collection in Collection.objects.all() for name in stored_names(collection)}
    return [name for name in _files("") if name not in named]


def _files(folder: str) -> list[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return []
    prefix = f"{folder}/" if folder else ""
    return [f"{prefix}{file}" for file in files] + [name for each in folders for name in _files(f"{prefix}{each}")]
