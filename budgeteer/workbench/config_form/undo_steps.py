"""Undo steps: one for each committed change of the preset, the configuration or an item's text.

The oldest steps go where there are more than UNDO_STEPS, or where they take more than UNDO_BYTES together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from budgeteer.workbench.models import Workspace

UNDO_STEPS = 50
UNDO_BYTES = 2_000_000
"""The most that either list of steps may take in the row, as JSON; the newest step is kept whatever it takes."""

_FIELDS = ("undo_steps", "redo_steps", "config_delta", "edits", "preset_slug", "preset_number")


@transaction.atomic
def commit(workspace: Workspace, delta: Mapping[str, Any]) -> bool:
    """Save a configuration as one step that can be undone; False when nothing changed."""
    _lock(workspace)
    return _step_to(workspace, {**_here(workspace), "delta": dict(delta)})


@transaction.atomic
def choose_preset(workspace: Workspace, slug: str, number: int) -> bool:
    """Stand on a preset's version as one step that can be undone; False when the workspace stood on it already."""
    _lock(workspace)
    return _step_to(workspace, {**_here(workspace), "preset": [slug, number]})


@transaction.atomic
def write_edit(workspace: Workspace, decision_id: str, text: str | None) -> bool:
    """Save another wording of an item (None: as it came) as one step that can be undone; False when nothing changed."""
    _lock(workspace)
    edits = {key: value for key, value in workspace.edits.items() if key != decision_id}
    if text is not None:
        edits[decision_id] = text
    return _step_to(workspace, {**_here(workspace), "edits": edits})


@transaction.atomic
def undo(workspace: Workspace) -> bool:
    """Go one step back; False when there is none."""
    _lock(workspace)
    if not workspace.undo_steps:
        return False
    *earlier, step = workspace.undo_steps
    workspace.redo_steps = _kept([*workspace.redo_steps, _here(workspace)])
    workspace.undo_steps = earlier
    _stand_on(workspace, step)
    return True


@transaction.atomic
def redo(workspace: Workspace) -> bool:
    """Take back one undo; False when there is none."""
    _lock(workspace)
    if not workspace.redo_steps:
        return False
    *earlier, step = workspace.redo_steps
    workspace.undo_steps = _kept([*workspace.undo_steps, _here(workspace)])
    workspace.redo_steps = earlier
    _stand_on(workspace, step)
    return True


def _lock(workspace: Workspace) -> None:
    """Read what steps are made of anew and hold it until the transaction ends."""
    workspace.refresh_from_db(fields=_FIELDS, from_queryset=Workspace.objects.select_for_update())


def _here(workspace: Workspace) -> dict[str, Any]:
    return {
        "delta": workspace.config_delta,
        "edits": workspace.edits,
        "preset": [workspace.preset_slug, workspace.preset_number],
    }


def _kept(step_list: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The newest steps, as many as there is room for; one at least."""
    kept, size_bytes = 0, 0
    for step in reversed(step_list[-UNDO_STEPS:]):
        size_bytes += len(json.dumps(step))
        if kept and size_bytes > UNDO_BYTES:
            break
        kept += 1
    return step_list[-kept:]


def _step_to(workspace: Workspace, step: dict[str, Any]) -> bool:
    if step == _here(workspace):
        return False
    workspace.undo_steps = _kept([*workspace.undo_steps, _here(workspace)])
    workspace.redo_steps = []
    _stand_on(workspace, step)
    return True


def _stand_on(workspace: Workspace, step: Mapping[str, Any]) -> None:
    workspace.config_delta, workspace.edits = step["delta"], step["edits"]
    if "preset" in step:
        workspace.preset_slug, workspace.preset_number = step["preset"]
    workspace.save(update_fields=[*_FIELDS, "updated_at"])
