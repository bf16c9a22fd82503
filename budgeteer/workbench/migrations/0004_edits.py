"""Wordings of items that the owner changed, and steps that hold them beside the configuration."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models


def widen(apps: Any, _editor: Any) -> None:
    """A step was a delta; it becomes a delta and the edits there were, which is none."""
    _rewrite(apps, lambda step: {"delta": step, "edits": {}})


def narrow(apps: Any, _editor: Any) -> None:
    """Back to deltas; what was edited is lost, as the column is."""
    _rewrite(apps, lambda step: step["delta"])


def _rewrite(apps: Any, change: Any) -> None:
    workspaces = apps.get_model("workbench", "Workspace")
    for workspace in workspaces.objects.exclude(undo_steps=[], redo_steps=[]).iterator(chunk_size=200):
        workspace.undo_steps = [change(step) for step in workspace.undo_steps]
        workspace.redo_steps = [change(step) for step in workspace.redo_steps]
        workspace.save(update_fields=["undo_steps", "redo_steps"])


class Migration(migrations.Migration):
    dependencies = [("workbench", "0003_written_summaries")]

    operations = [
        migrations.AddField("workspace", "edits", models.JSONField(blank=True, default=dict)),
        migrations.RunPython(widen, narrow),
    ]
