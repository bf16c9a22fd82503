"""What a new workspace starts on: the model that its conversation names, and the preset for what its sources hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from budgeteer.engine.models.registry import known_model
from budgeteer.presets.models import PresetVersion
from budgeteer.sources import services as sources
from budgeteer.workbench.models import Workspace

NAME_CHARS = 120
#: By the only kind of source in a workspace, the preset that is made for it; any other choice stays on the default.
PRESETS_BY_KIND: Final[Mapping[str, str]] = {"skills": "skills-library"}


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


def settle_preset(workspace: Workspace) -> None:
    """Put a workspace on the preset for its sources once all of them have been read.

    That is decided once: a workspace that somebody has changed by then, or that has other sources, stays where it is.
    """
    if not workspace.is_preset_open:
        return
    used = workspace.links.filter(source__deleted_at__isnull=True)
    sources = list(used.values_list("source__kind", "source__state"))
    if not sources or any(state == "importing" for _, state in sources):
        return
    kinds = {kind for kind, state in sources if state == "ready"}
    is_changed = bool(workspace.undo_steps or workspace.redo_steps or workspace.config_delta)
    slug = PRESETS_BY_KIND.get(kinds.pop(), "") if len(kinds) == 1 and not is_changed else ""
    versions = PresetVersion.objects.filter(preset__slug=slug).order_by("-number")
    number = versions.values_list("number", flat=True).first()
    workspace.is_preset_open = False
    decided: dict[str, object] = {"is_preset_open": False}
    if number is not None:
        workspace.preset_slug, workspace.preset_number = slug, number
        decided |= {"preset_slug": slug, "preset_number": number}
    Workspace.objects.filter(pk=workspace.pk, is_preset_open=True).update(**decided)


def _written(name: str) -> str:
    """A name as it can be stored and shown: printable, and not endless."""
    return "".join(char for char in name if char.isprintable()).strip()[:NAME_CHARS]
