"""Workspaces that exist keep the model they show: they started on their preset's."""

from typing import Any

from django.db import migrations, models


def keep(apps: Any, _editor: Any) -> None:
    """No model that a conversation names is looked for any more."""
    apps.get_model("workbench", "Workspace").objects.update(named_model="")


class Migration(migrations.Migration):
    dependencies = [("workbench", "0005_version_chosen")]

    operations = [
        migrations.AddField("workspace", "named_model", models.CharField(blank=True, max_length=120, null=True)),
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
