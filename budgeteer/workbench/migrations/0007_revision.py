"""Number the changes of a workspace's undo steps; the database fills it in for an earlier version that still runs."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("workbench", "0006_named_model"),)

    operations = (
        migrations.AddField(
            model_name="workspace",
            name="revision",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    )
