"""A snapshot of a workspace as plain data, so that a worker packs exactly what was on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from budgeteer.engine.errors import InputError
from budgeteer.sources.models import Source
from budgeteer.workbench.config_form.editable import preset_of
from budgeteer.workbench.models import Workspace, WorkspaceSource
from budgeteer.workbench.starting_choices import named_model_of
from budgeteer.workbench.workspace_inputs import links_of


def take_snapshot(workspace: Workspace) -> dict[str, Any]:
    """Everything a packing of the workspace depends on, as JSON: sources and versions by name, typed texts whole.

    Raises:
        InputError: a source has not been imported yet, so that what is seen is not what will be there.
    """
    links = links_of(workspace)
    for link in links:
        if link.source.state == Source.State.IMPORTING:
            raise InputError(f"“{link.source.name}” is still being imported", mend="Share it when its job is done")
    version = preset_of(workspace)
    return {
        "preset": {"slug": workspace.preset_slug, "number": version.number},
        "model": named_model_of(workspace),
        "delta": workspace.config_delta,
        "edits": workspace.edits,
        "texts": {
            "system": workspace.system_text,
            "context": workspace.context_text,
            "query": workspace.query_text,
        },
        "sources": [
            {
                "id": str(link.source_id),
                "revision": link.source.revision,
                "conversation": link.conversation_index,
                "role": link.role,
            }
            for link in links
            if link.source.is_ready
        ],
    }


def read_snapshot(snapshot: Mapping[str, Any], *, owner_id: int) -> tuple[Workspace, list[WorkspaceSource]]:
    """The workspace and the use of its sources as they stood; neither is a row, and neither is to be saved.

    Raises:
        InputError: a source is gone for good, or was imported anew since.
    """
    texts = snapshot["texts"]
    workspace = Workspace(
        owner_id=owner_id,
        preset_slug=snapshot["preset"]["slug"],
        preset_number=snapshot["preset"]["number"],
        named_model=snapshot.get("model", ""),  # a snapshot of before workspaces started on one has none
        config_delta=snapshot["delta"],
        edits=snapshot.get("edits", {}),  # a snapshot of before there were any has none
        system_text=texts["system"],
        context_text=texts["context"],
        query_text=texts["query"],
    )
    return workspace, [_link(workspace, order, used) for order, used in enumerate(snapshot["sources"])]


def _link(workspace: Workspace, order: int, used: Mapping[str, Any]) -> WorkspaceSource:
    source = Source.objects.select_related("owner").filter(id=UUID(used["id"])).first()
    again = "Share the workspace again"
    if source is None:
        raise InputError("a source was deleted after this was shared", mend=again)
    if source.revision != used["revision"]:
        raise InputError("it was imported anew after this was shared", where=source.name, mend=again)
    return WorkspaceSource(
        workspace=workspace,
        source=source,
        conversation_index=used["conversation"],
        order=order,
        role=used["role"],
    )
