"""Every workspace stands on one version of its preset: those that followed the newest stay on what they show now."""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def pin(apps: Any, _editor: Any) -> None:
    """Write the newest version's number down; a preset that is gone leaves none, and the default preset holds."""
    versions = apps.get_model("presets", "PresetVersion").objects
    newest = versions.filter(preset__slug=OuterRef("preset_slug")).order_by("-number").values("number")[:1]
    following = apps.get_model("workbench", "Workspace").objects.filter(preset_number=None)
    following.update(preset_number=Subquery(newest))


class Migration(migrations.Migration):
    dependencies = [
        ("presets", "0001_initial"),
        ("workbench", "0004_edits"),
    ]

    operations = [migrations.RunPython(pin, migrations.RunPython.noop)]
