"""Let processes of an earlier version, which know fewer columns, go on writing jobs during an upgrade."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0007_trace_parent"),
    ]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="is_only_one",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="job",
            name="request_id",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AlterField(
            model_name="job",
            name="worker",
            field=models.CharField(blank=True, db_default="", default="", max_length=300),
        ),
    ]
