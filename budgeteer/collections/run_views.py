"""The page of an evaluation, its files, and the actions on it."""

from __future__ import annotations

import importlib.util
import json
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.collections import runs, services
from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_columns import RowName
from budgeteer.collections.row_search import every_row, names_of, revisions_of, source_changes
from budgeteer.collections.run_page.page import run_page
from budgeteer.collections.run_records import evaluation_of, with_names
from budgeteer.collections.run_state import RunState
from budgeteer.collections.turns import TooManyEvaluations
from budgeteer.collections.views import REFRESH_SECONDS, may_change
from budgeteer.engine.config.overlay import delta_between
from budgeteer.engine.errors import InputError
from budgeteer.presentation.csv_text import csv_lines
from budgeteer.presentation.evaluation_rows import BESIDE, COLUMNS, named_parquet_rows, records_of
from budgeteer.presets import services as presets
from budgeteer.sources import services as sources
from budgeteer.workbench import services as workbench


def _run_to_look_at(user: User, run_id: uuid.UUID) -> EvaluationRun:
    """Who may look at a collection may look at its evaluations.

    Raises:
        Http404: its collection is another's and not shared, deleted, or was never there.
    """
    return found_or_404(services.run_to_look_at(user, run_id), "evaluation")


def _run_for_user(user: User, run_id: uuid.UUID) -> EvaluationRun:
    """Only the owner of a collection may change its evaluations.

    Raises:
        Http404: the collection is another's, deleted, or was never there.
    """
    return found_or_404(services.run_of(user, run_id), "evaluation")


def _done(user: User, run_id: uuid.UUID) -> EvaluationRun:
    """An evaluation with figures.

    Raises:
        Http404: there is none, or it has none yet.
    """
    return _with_figures(_run_to_look_at(user, run_id))


def _with_figures(run: EvaluationRun) -> EvaluationRun:
    """The evaluation, if it is done: what is read of one before stays in the process's memory as all there is.

    Raises:
        Http404: it is not.
    """
    if run.state != EvaluationRun.State.DONE:
        raise Http404("The evaluation is not done")
    return run


@access()
@never_cache
@require_safe
def show(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """What configurations do to all conversations of a collection; how far it is while it is under way."""
    run = runs.refresh_state(_run_to_look_at(request.user, run_id))
    state = RunState.read(request.GET, configs=len(run.configs))
    page = run_page(run, state, now=timezone.now())
    context = {
        "page": page,
        "run": run,
        "collection": run.collection,
        "can_change": may_change(request.user, run.collection),
        "has_parquet": importlib.util.find_spec("pyarrow") is not None,
    }
    response = render(request, "collections/run.html", context)
    if run.is_under_way:
        response["Refresh"] = str(REFRESH_SECONDS)
    return response


@access()
@require_POST
def cancel(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """Call an evaluation off; what is done of it is kept."""
    run = _run_for_user(request.user, run_id)
    runs.cancel(run)
    return redirect(run)


@access()
@require_POST
def resume(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """Go on with an evaluation that was cancelled or has stopped."""
    run = _run_for_user(request.user, run_id)
    try:
        runs.resume(runs.refresh_state(run))
    except TooManyEvaluations as error:
        messages.error(request, error.sentence)
    return redirect(run)


@access()
@require_POST
def remove(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """Delete an evaluation with everything it found."""
    run = _run_for_user(request.user, run_id)
    collection = run.collection
    runs.remove(run)
    messages.success(request, "The evaluation was deleted.")
    return redirect(collection)


@access()
@require_POST
def open_conversation(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """Open one conversation in a new workspace, under the configuration that it was looked at with."""
    run = _with_figures(_run_for_user(request.user, run_id))
    try:
        row = RowName.read(request.POST.get("conversation", ""))
        chosen = run.configs[int(request.POST.get("config", "0"))]
    except (ValueError, IndexError):
        raise Http404("There is no such conversation") from None
    source = sources.visible_source(request.user, row.source_id)
    if source is None or row.number not in range(max(source.counts.get("conversations", 1), 1)):
        messages.error(request, "Its source was deleted, so that it cannot be opened any more.")
        return redirect(run)
    version = presets.default()
    delta = delta_between(presets.config_of(version), chosen["config"])
    name = names_of([row], revisions_of(run))[row]
    workspace = workbench.open_with_sources(
        request.user, [source], name=name.text, preset_slug=version.preset.slug, config_delta=delta
    )
    workbench.keep_preset_model(workspace)  # its model is the evaluation's, whatever the conversation names
    workbench.choose_conversation(workspace, workspace.links.get().pk, row.number)
    if name.is_changed:
        messages.warning(
            request, "Its source was read anew since the evaluation: the workspace shows what it holds now."
        )
    return redirect(workspace)


@access()
@require_safe
def as_json(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse:
    """Every figure, as `budgeteer evaluate --json` prints them."""
    run = _done(request.user, run_id)
    figures = {
        "leftOut": run.left_out,
        "sources": source_changes(run).to_json(),
        **with_names(evaluation_of(run)).to_json(),
    }
    response = HttpResponse(json.dumps(figures, ensure_ascii=False, indent=1), content_type="application/json")
    response.headers["Content-Disposition"] = 'attachment; filename="evaluation.json"'
    return response


@access()
@require_safe
def as_csv(request: SignedInRequest, run_id: uuid.UUID) -> StreamingHttpResponse:
    """One row a conversation and configuration, with the columns of `budgeteer evaluate --csv` and of its source."""
    run = _done(request.user, run_id)
    found = evaluation_of(run)
    names = [one.name for one in found.totals]

    def lines() -> Iterator[str]:
        columns = (*COLUMNS, *BESIDE)
        yield csv_lines([columns])
        for rows in every_row(run, found):
            records = records_of(rows.by_config, names, rows.beside)
            yield csv_lines([record[column] for column in columns] for record in records)

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="evaluation.csv"'
    return response


@access()
@require_safe
def as_parquet(request: SignedInRequest, run_id: uuid.UUID) -> HttpResponse | FileResponse:
    """The same as a Parquet file."""
    run = _done(request.user, run_id)
    found = evaluation_of(run)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        with tempfile.TemporaryDirectory(prefix="budgeteer-evaluation-") as folder:
            path = Path(folder) / "rows.parquet"
            with named_parquet_rows(str(path), [one.name for one in found.totals]) as write:
                for rows in every_row(run, found):
                    write(rows.by_config, rows.beside)
            with path.open("rb") as written:
                while block := written.read(1_000_000):
                    file.write(block)
    except InputError as error:
        file.close()
        messages.error(request, error.sentence)
        return redirect(run)
    file.seek(0)
    response = FileResponse(file, as_attachment=True, filename="evaluation.parquet")
    response.headers["Content-Type"] = "application/vnd.apache.parquet"
    return response
