"""Workspaces: list, make, read, change, delete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest
from ninja import Query, Router, Status
from ninja.responses import NinjaJSONEncoder
from pydantic import Field

from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.http_api.cursors import MOST_ROWS, PAGE_ROWS, page_of
from budgeteer.http_api.etags import check_unchanged
from budgeteer.http_api.operations.texts import Line, Text, check_storable
from budgeteer.http_api.routing import ApiSchema, InputSchema, owner_of, route
from budgeteer.sources import services as sources
from budgeteer.sources.models import Source
from budgeteer.teams.sharing import audience_of
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.starting_choices import settle_preset
from budgeteer.workbench.team import sharing

router = Router()

MOST_SOURCES = 100
_MOST_NUMBER = 2**31 - 1
_IF_MATCH = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "required": False,
            "description": "The ETag that you have read: of a workspace that was changed since, nothing is changed.",
            "schema": {"type": "string", "pattern": "^[!-~]+$", "maxLength": 200},
        }
    ]
}

type SourceIds = Annotated[list[UUID], Field(max_length=MOST_SOURCES)]


class PresetIn(InputSchema):
    """A preset, and a version of it; the newest where none is named."""

    slug: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=50)]
    version: Annotated[int, Field(ge=1, le=_MOST_NUMBER)] | None = None


class TextsIn(InputSchema):
    """The typed texts; one that is left out stays as it is."""

    system: Text | None = None
    context: Text | None = None
    query: Text | None = None


class WorkspaceIn(InputSchema):
    """A new workspace: its sources in order, and the changes of the preset's configuration."""

    name: Annotated[Line, Field(max_length=120)] = ""
    sources: SourceIds = []
    preset: PresetIn | None = None
    changes: dict[str, Any] = {}
    texts: TextsIn | None = None


class WorkspacePatch(InputSchema):
    """What to change; what is left out stays.

    `changes` takes the place of all changes of the preset. `set` gives values by path ("history.maxTokens"), `reset`
    puts paths back to the preset's values. They apply in this order: preset, changes, set, reset.
    """

    name: Annotated[Line, Field(min_length=1, max_length=120)] | None = None
    sources: SourceIds | None = None
    preset: PresetIn | None = None
    changes: dict[str, Any] | None = None
    values: Annotated[dict[str, Any], Field(alias="set")] = {}
    reset: Annotated[list[str], Field(max_length=500)] = []
    texts: TextsIn | None = None


class PresetRefOut(ApiSchema):
    """The version of a preset that a workspace stands on."""

    slug: str
    version: int


class UsedSourceOut(ApiSchema):
    """A source in use. `id` is null in a workspace of somebody else's, whose sources are private."""

    id: UUID | None
    name: str
    kind: str
    conversation: int


class TextsOut(ApiSchema):
    """The typed texts."""

    system: str
    context: str
    query: str


class WorkspaceRowOut(ApiSchema):
    """A workspace of a list. `verdict` is what the last preview came to, null before the first."""

    id: UUID
    name: str
    preset: PresetRefOut
    is_own: bool
    verdict: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime


class WorkspaceListOut(ApiSchema):
    """A page of workspaces; `next` is the cursor of the next one, null on the last."""

    items: list[WorkspaceRowOut]
    next: str | None


class WorkspaceOut(ApiSchema):
    """A workspace. `changes` is what it changes of its preset, `config` the whole configuration it is packed with.

    `sharedWithTeam` says whether others may look: everyone who has an account here, where `team` names none.
    """

    id: UUID
    name: str
    preset: PresetRefOut
    is_own: bool
    shared_with_team: bool
    team: str | None
    sources: list[UsedSourceOut]
    texts: TextsOut
    changes: dict[str, Any]
    config: dict[str, Any]
    url: str
    created_at: datetime
    updated_at: datetime


@route(router, "GET", "/workspaces", scope=Scope.WORKSPACES_READ, response=WorkspaceListOut)
def list_workspaces(
    request: HttpRequest,
    cursor: str = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS,
    shared: bool = False,  # noqa: FBT001, FBT002 - a parameter of the address
) -> WorkspaceListOut:
    """List the account's workspaces, newest first; with `shared=true` those that others share with it."""
    owner = owner_of(request)
    rows = sharing.shared_with(owner) if shared else services.live(owner)
    page = page_of(rows, cursor=cursor, limit=limit)
    return WorkspaceListOut(items=[_row(workspace, owner) for workspace in page.rows], next=page.next_cursor or None)


@route(
    router,
    "POST",
    "/workspaces",
    scope=Scope.WORKSPACES_WRITE,
    response=WorkspaceOut,
    status=201,
    body="json",
    is_keyed=True,
)
def create_workspace(request: HttpRequest, payload: WorkspaceIn) -> Status[WorkspaceOut]:
    """Make a workspace over sources that are here already."""
    owner = owner_of(request)
    used = _sources(owner, payload.sources)
    with transaction.atomic():
        workspace = services.open_with_sources(owner, used, name=payload.name)
        _change(
            workspace,
            WorkspacePatch(preset=payload.preset, changes=payload.changes or None, texts=payload.texts),
            owner,
        )
        Workspace.objects.filter(pk=workspace.pk).update(undo_steps=[])  # there was nothing before it
    return Status(201, _shown(request, workspace))


@route(router, "GET", "/workspaces/{uuid:workspace_id}", scope=Scope.WORKSPACES_READ, response=WorkspaceOut)
def get_workspace(request: HttpRequest, workspace_id: UUID) -> WorkspaceOut:
    """Read a workspace with its configuration."""
    return _shown(request, to_look_at(request, workspace_id))


@route(
    router,
    "PATCH",
    "/workspaces/{uuid:workspace_id}",
    scope=Scope.WORKSPACES_WRITE,
    response=WorkspaceOut,
    errors=(412,),
    body="json",
    extra=_IF_MATCH,
)
def change_workspace(request: HttpRequest, workspace_id: UUID, payload: WorkspacePatch) -> WorkspaceOut:
    """Change a workspace: all of it or, if something cannot be used, nothing. The dashboard can undo it."""
    owner = owner_of(request)
    workspace = _own(owner, workspace_id)
    with undo_steps.locked(workspace):
        workspace.refresh_from_db()
        check_unchanged(request, _content(_shown(request, workspace)))
        _change(workspace, payload, owner)
    workspace.refresh_from_db()
    return _shown(request, workspace)


@route(
    router,
    "DELETE",
    "/workspaces/{uuid:workspace_id}",
    scope=Scope.WORKSPACES_WRITE,
    response=None,
    status=204,
    errors=(412,),
    extra=_IF_MATCH,
)
def delete_workspace(request: HttpRequest, workspace_id: UUID) -> Status[None]:
    """Delete a workspace. Its sources and reports stay; the dashboard can bring it back for a day."""
    workspace = _own(owner_of(request), workspace_id)
    with undo_steps.locked(workspace):
        if "If-Match" in request.headers:
            check_unchanged(request, _content(_shown(request, workspace)))
        services.delete(workspace)
    return Status(204, None)


def to_look_at(request: HttpRequest, workspace_id: UUID) -> Workspace:
    """The account's own workspace, or one that is shared with it.

    Raises:
        Http404: there is none, or it is neither.
    """
    workspace = sharing.to_look_at(owner_of(request), workspace_id)
    if workspace is None:
        raise Http404
    return workspace


def _own(owner: User, workspace_id: UUID) -> Workspace:
    workspace = services.of(owner, workspace_id)
    if workspace is None:
        raise Http404
    return workspace


def _sources(owner: User, ids: Sequence[UUID]) -> list[Source]:
    found = []
    for number, source_id in enumerate(ids):
        source = sources.visible_source(owner, source_id)
        if source is None:
            what = f"there is no source {source_id}, or it is not yours"
            raise ApiProblem(ProblemKind.INVALID, what, where=f"body.sources.{number}")
        found.append(source)
    return found


def _change(workspace: Workspace, patch: WorkspacePatch, owner: User) -> None:
    """Make every change of a patch; within a transaction, since one that cannot be used raises."""
    if patch.name is not None and not services.rename(workspace, patch.name):
        raise ApiProblem(ProblemKind.INVALID, "the name is empty", where="body.name")
    if patch.sources is not None:
        _use(workspace, _sources(owner, patch.sources))
    if patch.preset is not None:
        services.follow(workspace, patch.preset.slug, number=patch.preset.version)
    current = EditableConfig.of(workspace)
    changed = current
    if patch.changes is not None:
        check_storable(patch.changes, where="body.changes")
        changed = changed.with_delta(patch.changes)
    if patch.values:
        check_storable(patch.values, where="body.set")
        changed = changed.with_values(patch.values)
    for path in patch.reset:
        changed = changed.without(path)
    if changed is not current:
        undo_steps.commit(workspace, changed.delta)
    if patch.texts is not None:
        _write(workspace, patch.texts)


def _use(workspace: Workspace, wanted: Sequence[Source]) -> None:
    """Use these sources in this order, and no others."""
    with undo_steps.changing_sources(workspace, name="Use other sources"):
        keep = {source.pk for source in wanted}
        for link in workspace.links.all():
            if link.source_id not in keep:
                services.detach(workspace, link.pk)
        for order, source in enumerate(wanted):
            link = services.attach(workspace, source)
            link.order = order
            link.save(update_fields=["order"])


def _write(workspace: Workspace, texts: TextsIn) -> None:
    posted = {key: text for key, text in texts.model_dump().items() if text is not None}
    for key, refused in services.write_texts(workspace, posted).items():
        raise ApiProblem(ProblemKind.INVALID, refused.sentence, where=f"body.texts.{key}")


def _row(workspace: Workspace, owner: User) -> WorkspaceRowOut:
    settle_preset(workspace)
    return WorkspaceRowOut(
        id=workspace.id,
        name=workspace.name,
        preset=PresetRefOut(slug=workspace.preset_slug, version=workspace.preset_number or 0),
        is_own=workspace.owner_id == owner.pk,
        verdict=workspace.last_verdict,
        created_at=workspace.created_at,
        updated_at=workspace.updated_at,
    )


def _shown(request: HttpRequest, workspace: Workspace) -> WorkspaceOut:
    current = EditableConfig.of(workspace)
    is_own = workspace.owner_id == owner_of(request).pk
    audience = audience_of(workspace)
    links = workspace.links.select_related("source").filter(source__deleted_at__isnull=True)
    return WorkspaceOut(
        id=workspace.id,
        name=workspace.name,
        preset=PresetRefOut(slug=current.version.preset.slug, version=current.version.number),
        is_own=is_own,
        shared_with_team=audience is not None,
        team=audience.team if audience else None,
        sources=[
            UsedSourceOut(
                id=link.source_id if is_own else None,
                name=link.source.name,
                kind=link.source.kind,
                conversation=link.conversation_index + 1,
            )
            for link in links
        ],
        texts=TextsOut(system=workspace.system_text, context=workspace.context_text, query=workspace.query_text),
        changes=dict(current.delta),
        config=dict(current.data),
        url=request.build_absolute_uri(workspace.get_absolute_url()),
        created_at=workspace.created_at,
        updated_at=workspace.updated_at,
    )


def _content(shown: WorkspaceOut) -> bytes:
    """The body that GET answers with, for its entity tag."""
    return json.dumps(shown.model_dump(by_alias=True), cls=NinjaJSONEncoder).encode()
