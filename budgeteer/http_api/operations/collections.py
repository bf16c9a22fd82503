"""Collections and their evaluations: list, make, evaluate, read progress and figures, cancel."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import Field

from budgeteer.access.lookups import found_or_404
from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.collections import runs, services
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.named_configs import named_configs, on_model
from budgeteer.collections.row_search import source_changes
from budgeteer.collections.run_records import evaluation_of, with_names
from budgeteer.collections.runs import MOST_CONFIGS
from budgeteer.collections.turns import TooManyEvaluations
from budgeteer.engine.config.overlay import merge
from budgeteer.http_api.cursors import MOST_ROWS, PAGE_ROWS, page_of
from budgeteer.http_api.operations.jobs import ErrorOut
from budgeteer.http_api.operations.texts import Line, check_storable
from budgeteer.http_api.operations.workspaces import PresetIn
from budgeteer.http_api.routing import ApiSchema, InputSchema, owner_of, route
from budgeteer.presets import configuration
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.sources import services as sources
from budgeteer.teams.sharing import audience_of
from budgeteer.tokens.scopes import Scope

router = Router()

MOST_SOURCES: Final = 1_000


class CollectionIn(InputSchema):
    """A new collection of sources that are here, each once."""

    name: Annotated[Line, Field(max_length=services.NAME_CHARS)] = ""
    sources: Annotated[list[UUID], Field(max_length=MOST_SOURCES)] = []


class CollectionOut(ApiSchema):
    """A collection; `sources` is how many it has.

    `sharedWithTeam` says whether others may look: everyone who has an account here, where `team` names none.
    """

    id: UUID
    name: str
    is_own: bool
    shared_with_team: bool
    team: str | None
    sources: int
    url: str
    created_at: datetime
    updated_at: datetime


class CollectionListOut(ApiSchema):
    """A page of collections; `next` is the cursor of the next one, null on the last."""

    items: list[CollectionOut]
    next: str | None


class EvaluatedConfigIn(InputSchema):
    """A configuration to evaluate: `changes` of a preset, of the engine's defaults where none is named.

    `model` puts it on another model. `name` is how the figures call it.
    """

    name: Annotated[Line, Field(max_length=120)] = ""
    preset: PresetIn | None = None
    changes: dict[str, Any] = {}
    model: Annotated[Line, Field(max_length=120)] = ""


class EvaluationIn(InputSchema):
    """What to evaluate a collection under.

    With `keepDuplicates` conversations that occur more than once count each time. With `replaySessions` every request
    of each conversation is packed, with the provider's cache.
    """

    configs: Annotated[list[EvaluatedConfigIn], Field(min_length=1, max_length=MOST_CONFIGS)]
    keep_duplicates: bool = False
    replay_sessions: bool = False


class EvaluationProgressOut(ApiSchema):
    """How far an evaluation is, in conversations; `secondsLeft` is null while nothing can be told."""

    done: int
    total: int
    seconds_left: float | None


class EvaluationSourcesOut(ApiSchema):
    """Of how many sources an evaluation read conversations, and what became of them since.

    `readAnew` grew, were replaced or imported again; of `notKnown` an earlier version did not note what was read.
    """

    total: int
    read_anew: int
    deleted: int
    not_known: int


class EvaluationRowOut(ApiSchema):
    """An evaluation of a list: queued, waiting, running, done, stopped or cancelled."""

    id: UUID
    collection_id: UUID
    state: str
    configs: list[str]
    url: str
    created_at: datetime
    finished_at: datetime | None


class EvaluationListOut(ApiSchema):
    """A page of evaluations; `next` is the cursor of the next one, null on the last."""

    items: list[EvaluationRowOut]
    next: str | None


class EvaluationOut(EvaluationRowOut):
    """An evaluation. `figures` are those of `budgeteer evaluate --json`, null until it is done.

    `sources` says whether they are still what was evaluated, null until it is done. `leftOut` says how many
    conversations were not evaluated, by reason; `error` why an evaluation has stopped.
    """

    progress: EvaluationProgressOut
    sources: EvaluationSourcesOut | None
    left_out: dict[str, int]
    figures: dict[str, Any] | None
    error: ErrorOut | None


@route(router, "GET", "/collections", scope=Scope.COLLECTIONS_READ, response=CollectionListOut)
def list_collections(
    request: HttpRequest,
    cursor: str = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS,
    shared: bool = False,  # noqa: FBT001, FBT002 - a parameter of the address
) -> CollectionListOut:
    """List the account's collections, newest first; with `shared=true` those that others share with it."""
    owner = owner_of(request)
    rows = services.shared_with(owner) if shared else services.live(owner)
    page = page_of(rows, cursor=cursor, limit=limit)
    items = [_shown(request, row, services.members_of(row).count()) for row in page.rows]
    return CollectionListOut(items=items, next=page.next_cursor or None)


@route(
    router,
    "POST",
    "/collections",
    scope=Scope.EVALUATE,
    response=CollectionOut,
    status=201,
    body="json",
    is_keyed=True,
)
def create_collection(request: HttpRequest, payload: CollectionIn) -> Status[CollectionOut]:
    """Make a collection of sources that are here already."""
    owner = owner_of(request)
    found = {source.pk: source for source in sources.recent(owner, limit=None).filter(pk__in=payload.sources)}
    for at, source_id in enumerate(payload.sources):
        if source_id not in found:
            raise ApiProblem(ProblemKind.INVALID, "there is no such source", where=f"sources.{at}")
    collection = services.create(owner, name=payload.name, members=[found[one] for one in payload.sources])
    return Status(201, _shown(request, collection, len(found)))


@route(router, "GET", "/collections/{uuid:collection_id}", scope=Scope.COLLECTIONS_READ, response=CollectionOut)
def get_collection(request: HttpRequest, collection_id: UUID) -> CollectionOut:
    """Read a collection."""
    collection = _to_look_at(request, collection_id)
    return _shown(request, collection, services.members_of(collection).count())


@route(
    router,
    "GET",
    "/collections/{uuid:collection_id}/evaluations",
    scope=Scope.COLLECTIONS_READ,
    response=EvaluationListOut,
)
def list_evaluations(
    request: HttpRequest,
    collection_id: UUID,
    cursor: str = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS,
) -> EvaluationListOut:
    """List the evaluations of a collection, newest first."""
    rows = _to_look_at(request, collection_id).runs.defer("record")
    page = page_of(rows, cursor=cursor, limit=limit)
    items = [EvaluationRowOut(**_row(request, runs.refresh_state(run))) for run in page.rows]
    return EvaluationListOut(items=items, next=page.next_cursor or None)


@route(
    router,
    "POST",
    "/collections/{uuid:collection_id}/evaluations",
    scope=Scope.EVALUATE,
    response=EvaluationOut,
    status=201,
    body="json",
    is_keyed=True,
)
def evaluate(request: HttpRequest, collection_id: UUID, payload: EvaluationIn) -> Status[EvaluationOut]:
    """Evaluate a collection under one or several configurations; workers do it. Read how far they are by its id."""
    owner = owner_of(request)
    collection = found_or_404(services.of(owner, collection_id), "collection")
    configs = named_configs([_config(one, at) for at, one in enumerate(payload.configs)])
    if services.waiting_for(collection):
        raise ApiProblem(
            ProblemKind.CONFLICT,
            "sources of the collection are still being imported",
            where="collection",
            hint="Evaluate it when all of them are imported",
        )
    try:
        run = runs.begin(
            collection,
            configs,
            owner=owner,
            keeps_duplicates=payload.keep_duplicates,
            replays_sessions=payload.replay_sessions,
        )
    except TooManyEvaluations as error:
        raise ApiProblem(ProblemKind.BUSY, error.what, where="evaluations", hint=error.mend) from None
    return Status(201, _evaluation(request, run))


@route(router, "GET", "/evaluations/{uuid:run_id}", scope=Scope.COLLECTIONS_READ, response=EvaluationOut)
def get_evaluation(request: HttpRequest, run_id: UUID) -> EvaluationOut:
    """Read how far an evaluation is, and what it found once it is done."""
    run = found_or_404(services.run_to_look_at(owner_of(request), run_id), "evaluation")
    return _evaluation(request, runs.refresh_state(run))


@route(
    router,
    "POST",
    "/evaluations/{uuid:run_id}/cancel",
    scope=Scope.EVALUATE,
    response=EvaluationOut,
    is_keyed=True,
)
def cancel_evaluation(request: HttpRequest, run_id: UUID) -> EvaluationOut:
    """Call an evaluation off; what is done of it is kept. One that has ended stays as it is."""
    run = found_or_404(services.run_of(owner_of(request), run_id), "evaluation")
    runs.cancel(run)
    return _evaluation(request, run)


def _to_look_at(request: HttpRequest, collection_id: UUID) -> Collection:
    return found_or_404(services.to_look_at(owner_of(request), collection_id), "collection")


def _config(given: EvaluatedConfigIn, at: int) -> tuple[str, dict[str, Any]]:
    """A configuration's name and canonical data."""
    check_storable(given.changes, where=f"configs.{at}.changes")
    version = _version(given.preset, at)
    base = {} if version is None else presets.config_of(version)
    data = configuration.full_config(merge(base, given.changes))
    name, data = on_model(_name_of(version, given), data, given.model)
    return given.name or name, data


def _version(wanted: PresetIn | None, at: int) -> PresetVersion | None:
    if wanted is None:
        return None
    try:
        if wanted.version is None:
            return presets.current(wanted.slug)
        rows = PresetVersion.objects.select_related("preset")
        return rows.get(preset__slug=wanted.slug, number=wanted.version)
    except PresetVersion.DoesNotExist:
        raise ApiProblem(
            ProblemKind.INVALID,
            "there is no such preset, or no such version of it",
            where=f"configs.{at}.preset",
            hint="GET /presets lists them",
        ) from None


def _name_of(version: PresetVersion | None, given: EvaluatedConfigIn) -> str:
    base = "Defaults" if version is None else f"{version.preset.title} v{version.number}"
    return f"{base}, changed" if given.changes else base


def _shown(request: HttpRequest, collection: Collection, sources_count: int) -> CollectionOut:
    audience = audience_of(collection)
    return CollectionOut(
        id=collection.pk,
        name=collection.name,
        is_own=collection.owner_id == owner_of(request).pk,
        shared_with_team=audience is not None,
        team=audience.team if audience else None,
        sources=sources_count,
        url=request.build_absolute_uri(collection.get_absolute_url()),
        created_at=collection.created_at,
        updated_at=collection.updated_at,
    )


def _row(request: HttpRequest, run: EvaluationRun) -> dict[str, Any]:
    return {
        "id": run.pk,
        "collection_id": run.collection_id,
        "state": run.state,
        "configs": run.names,
        "url": request.build_absolute_uri(run.get_absolute_url()),
        "created_at": run.created_at,
        "finished_at": run.finished_at,
    }


def _evaluation(request: HttpRequest, run: EvaluationRun) -> EvaluationOut:
    reached = runs.progress_of(run, now=timezone.now())
    is_done = run.state == EvaluationRun.State.DONE
    return EvaluationOut(
        **_row(request, run),
        progress=EvaluationProgressOut(
            done=run.conversations if is_done else reached.done,
            total=run.conversations,
            seconds_left=reached.seconds_left,
        ),
        sources=EvaluationSourcesOut(**source_changes(run).to_json()) if is_done else None,
        left_out=run.left_out,
        figures=with_names(evaluation_of(run)).to_json() if is_done else None,
        error=ErrorOut.of(run.error) if run.error else None,
    )
