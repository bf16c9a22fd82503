"""What evaluations and calibrations came to, against the same worked out at once by a process that nobody kills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from budgeteer.collections.chunks import ChunkReader, chunks_of, configs_of
from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_search import segments_of_run
from budgeteer.collections.survey import conversations_of, take_survey
from budgeteer.engine.analysis.calibration.calibration import calibrate
from budgeteer.engine.analysis.evaluation.chunk import empty_totals
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation
from budgeteer.engine.analysis.evaluation.records import evaluation_to_record
from budgeteer.formats.detect import import_bytes
from budgeteer.jobs.models import Job
from budgeteer.workbench.calibrating import result_of
from tests.kills.people import Opened
from tests.kills.verdict import Verdict

KINDS_AGAIN: Final = frozenset({"collections.evaluate", "workbench.calibrate"})
"""Kinds of which several may succeed about one thing: lanes of an evaluation, and a calibration that somebody asked for
again because no answer came. What they came to is held against a calm run instead."""
ANY_DAY: Final = "2026-01-01"


def look_at_evaluations(verdict: Verdict, answered: Sequence[str]) -> None:
    """Every evaluation: done, each conversation in one row, and its figures those of a calm run."""
    found = list(EvaluationRun.objects.select_related("collection"))
    known = {run.get_absolute_url() for run in found}
    verdict.lost += [f"evaluation {path}" for path in answered if path not in known]
    for run in found:
        if run.state != EvaluationRun.State.DONE:
            verdict.failed.append(f"evaluation {run.pk} is {run.state}: {run.error}")
            continue
        if run.chunks.exists():
            verdict.half_written.append(f"evaluation {run.pk} is done and has chunks")
        rows = Counter(segment.name(at) for segment in segments_of_run(run) for at in range(len(segment)))
        verdict.doubled += [f"evaluation {run.pk}: {name} {count} times" for name, count in rows.items() if count > 1]
        if len(rows) != run.conversations:
            verdict.lost.append(f"evaluation {run.pk}: {len(rows)} rows of {run.conversations}")
        if run.record != _calm_record(run):
            verdict.wrong_totals.append(f"evaluation {run.pk}: its figures differ")
    verdict.checked["evaluations"] = len(found)
    lanes = Job.objects.filter(kind="collections.evaluate")
    verdict.checked["lanes that lost a worker"] = lanes.filter(lost_workers__gt=0).count()


def _calm_record(run: EvaluationRun) -> dict[str, Any]:
    """What an evaluation comes to, cut as the workers cut it, and done by this process alone."""
    configs = configs_of(run)
    found = Evaluation([empty_totals(named, sessions=run.replays_sessions) for named in configs])
    reader = ChunkReader(configs, sessions=run.replays_sessions)
    survey = take_survey(list(conversations_of(run.collection)), lambda _done, _total: None)
    for chunk in chunks_of(run, survey):
        found.merge(reader.evaluate(chunk, lambda: None).evaluation)
    return evaluation_to_record(found)


def look_at_calibrations(verdict: Verdict, answered: Sequence[Opened]) -> None:
    """Every calibration: there, and what it found is what a calm one finds in the same file."""
    for opened in answered:
        subject = f"calibration:{opened.workspace.strip('/').rpartition('/')[2]}"
        jobs = Job.objects.filter(kind="workbench.calibrate", subject=subject, state="succeeded")
        conversations = import_bytes(opened.upload.data, name=opened.upload.name).conversations
        calm = result_of(calibrate(conversations), made=ANY_DAY, used=1, passed_over=0)
        if not jobs:
            verdict.lost.append(f"calibration with {opened.upload.name}")
        for job in jobs:
            result = job.result or {}
            kept = [entry | {"made": ANY_DAY} for entry in result.get("kept", ())]
            if {**result, "kept": kept} != calm:
                verdict.wrong_totals.append(f"calibration with {opened.upload.name}: {result}, calm {calm}")
    verdict.checked["calibrations"] = len(answered)
