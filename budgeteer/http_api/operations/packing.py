"""Figures and the packed request of a workspace, and the packing of a request body that nothing is kept of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from budgeteer import api as python_api
from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.engine.analysis.packing_json import figures_to_json, packing_to_json
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.names import ProviderName
from budgeteer.engine.rendering import render_request
from budgeteer.engine.rendering.validity import check_every_provider
from budgeteer.http_api.operations.jobs import JobOut
from budgeteer.http_api.operations.workspaces import to_look_at
from budgeteer.http_api.routing import ApiSchema, InputSchema, route
from budgeteer.presentation.header import snapshot_of
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import Preview, preview

router = Router()

MOST_ENTRIES = 20_000
"""The most messages, and the most tools, of a body that is packed while its sender waits: some seconds."""


class Detail(StrEnum):
    """How much of a packing is answered: its figures, or every decision too."""

    FIGURES = "figures"
    FULL = "full"


class OpenShape(BaseModel):
    """An answer of which the main keys are listed; the others are those of `budgeteer pack --json` (docs/cli.md)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


class SizeOut(ApiSchema):
    """A size in tokens and characters."""

    tokens: int
    chars: int


class VerdictOut(OpenShape):
    """Whether it fits, in one sentence; the other figures of it stand beside."""

    level: str
    sentence: str


class PackingOut(OpenShape):
    """A packing in the shape of `budgeteer pack --json`. `decisions` is null where only figures are wanted."""

    fits: bool
    model: str
    tokenizer: str
    kind: str
    input_budget: int
    verdict: VerdictOut
    total: SizeOut
    demand: SizeOut
    sections: list[dict[str, Any]]
    overhead: list[dict[str, Any]]
    decisions: list[dict[str, Any]] | None


class PreviewOut(PackingOut):
    """The packing of a workspace. `problems` are sentences on sources that are not in it."""

    problems: list[str]


class WaitingOut(ApiSchema):
    """What is being worked on before there is anything to answer; ask again when these jobs are done."""

    jobs: list[JobOut]


class PackIn(InputSchema):
    """A request body of any provider, and the configuration to pack it under, whole or in part.

    `provider` says which form the body has where it could be read as two.
    """

    request: dict[str, Any]
    config: dict[str, Any] = {}
    provider: ProviderName | None = None


class PackedOut(ApiSchema):
    """The packed body, ready to send, with the ledger of every decision."""

    provider: str
    request: dict[str, Any]
    packing: PackingOut


@route(
    router,
    "GET",
    "/workspaces/{uuid:workspace_id}/preview",
    scope=Scope.WORKSPACES_READ,
    response={200: PreviewOut, 202: WaitingOut},
    errors=(409,),
)
def preview_workspace(
    request: HttpRequest, workspace_id: UUID, detail: Detail = Detail.FIGURES, provider: ProviderName | None = None
) -> Status[Any]:
    """Read what a workspace comes to: the figures of its page. 202 while its sources are imported or counted."""
    workspace = to_look_at(request, workspace_id)
    found = _preview(workspace, provider)
    if found.packed is None:
        return _waiting(found)
    packing = found.packed.packing
    if workspace.owner_id == request.user.pk:
        workbench.remember_verdict(workspace, snapshot_of(packing))
    write = packing_to_json if detail is Detail.FULL else figures_to_json
    problems = [f"{one.title} {one.sentence}" for one in found.problems]
    return Status(200, {**write(packing, validity=check_every_provider(packing)), "problems": problems})


@route(
    router,
    "GET",
    "/workspaces/{uuid:workspace_id}/request",
    scope=Scope.WORKSPACES_READ,
    response={200: dict[str, Any], 202: WaitingOut},
    errors=(409,),
)
def get_packed_request(request: HttpRequest, workspace_id: UUID, provider: ProviderName | None = None) -> Status[Any]:
    """Read the packed prompt as a request of a provider, by default the model's own."""
    found = _preview(to_look_at(request, workspace_id), provider)
    return _waiting(found) if found.packed is None else Status(200, render_request(_sendable(found.packed.packing)))


@route(router, "POST", "/pack", scope=Scope.PACK, response=PackedOut, body="document")
def pack_request(request: HttpRequest, payload: PackIn) -> dict[str, Any]:  # noqa: ARG001 - for nobody in particular
    """Pack a request body into its budget and return it with its ledger. Nothing is stored.

    The model is the configuration's, else the body's; the output reserve the configuration's, else the body's own
    limit of the reply. What cannot be made to fit is 422 with what cannot shrink.
    """
    _check_length(payload.request)
    packed = python_api.pack_request(payload.request, payload.config, provider=payload.provider)
    packing = packing_to_json(packed.packing, validity=check_every_provider(packed.packing))
    return {"provider": packed.provider, "request": packed.body, "packing": packing}


def _check_length(body: Mapping[str, Any]) -> None:
    """Refuse a body of more messages and tools than are packed while somebody waits: each is a row of the ledger."""
    for key, value in body.items():
        if isinstance(value, list) and len(value) > MOST_ENTRIES:
            raise ApiProblem(
                ProblemKind.INVALID,
                f"{len(value):,} entries are more than the {MOST_ENTRIES:,} that are packed at once",
                where=f"body.request.{key[:80]}",
                hint="Upload the conversation, and pack a workspace over it",
            )


def _preview(workspace: Workspace, provider: ProviderName | None) -> Preview:
    return preview(workspace, EditableConfig.of(workspace), provider=provider)


def _waiting(found: Preview) -> Status[WaitingOut]:
    """What is worked on; where nothing is, why there is no packing.

    Raises:
        ApiProblem: nothing will come of waiting.
    """
    if found.jobs:
        return Status(202, WaitingOut(jobs=[JobOut.of(job) for job in found.jobs]))
    if found.problems:
        first = found.problems[0]
        raise ApiProblem(ProblemKind.CONFLICT, f"{first.title} {first.sentence}", where="workspace")
    raise ApiProblem(
        ProblemKind.CONFLICT, "there is nothing in it to pack", where="workspace", hint="Add a source or a text"
    )


def _sendable(packing: Packing) -> Packing:
    """The packing, where it can be sent.

    Raises:
        BudgetExceeded: it cannot be made to fit.
    """
    if packing.error is not None:
        raise packing.error
    return packing
