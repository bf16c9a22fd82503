"""Let a workspace choose its preset by what its sources turn out to be; those that are here keep theirs."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("workbench", "0007_revision"),)

    operations = (
        migrations.AddField(
            model_name="workspace",
            name="is_preset_open",
            field=models.BooleanField(db_default=False, default=False),
        ),
    )
