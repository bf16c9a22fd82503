"""The starting model of a new workspace: the one that its conversation names."""

from __future__ import annotations

from budgeteer.engine.models.registry import known_model
from budgeteer.sources import services as sources
from budgeteer.workbench.models import Workspace

NAME_CHARS = 120


def named_model_of(workspace: Workspace) -> str:
    """The model that the workspace's conversation names, "" while none has been read.

    The first conversation that has been read decides once and for all, whenever its import ends: what is chosen or
    added later changes nothing.
    """
    if workspace.named_model is None:
        used = workspace.links.select_related("source").filter(source__deleted_at__isnull=True)
        for link in used.filter(source__kind="conversation", source__state="ready"):
            row = sources.contents_of(link.source).conversation_row(link.conversation_index) or {}
            workspace.named_model = _written(str(row.get("model") or ""))
            Workspace.objects.filter(pk=workspace.pk, named_model=None).update(named_model=workspace.named_model)
            break
    return workspace.named_model or ""


def starting_model(named: str) -> str:
    """The name in our table of the model that a conversation names, "" where it is none of ours."""
    row = known_model(named) if named else None
    return row.name if row else ""


def _written(name: str) -> str:
    """A name as it can be stored and shown: printable, and not endless."""
    return "".join(char for char in name if char.isprintable()).strip()[:NAME_CHARS]
