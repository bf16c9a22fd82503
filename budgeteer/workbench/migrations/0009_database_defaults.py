"""Let processes of an earlier version, which know fewer columns, go on writing workspaces and summaries during an upgrade."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workbench", "0008_preset_open"),
    ]

    operations = [
        migrations.AlterField(
            model_name="summary",
            name="notes",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AlterField(
            model_name="summary",
            name="updated_at",
            field=models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AlterField(
            model_name="summary",
            name="written_text",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="workspace",
            name="edits",
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AlterField(
            model_name="workspace",
            name="shared_with_team",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
