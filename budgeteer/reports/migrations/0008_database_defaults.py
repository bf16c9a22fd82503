"""Let processes of an earlier version, which know fewer columns, go on writing reports during an upgrade."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0007_kinds"),
    ]

    operations = [
        migrations.AlterField(
            model_name="report",
            name="embed_on",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=600),
        ),
        migrations.AlterField(
            model_name="report",
            name="is_held",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AlterField(
            model_name="report",
            name="kind",
            field=models.CharField(
                choices=[
                    ("packing", "Packed prompt"),
                    ("comparison", "Comparison"),
                    ("sweep", "Sweep"),
                    ("evaluation", "Evaluation"),
                ],
                db_default="packing",
                default="packing",
                editable=False,
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="report",
            name="opened",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AlterField(
            model_name="report",
            name="password",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=128),
        ),
        migrations.AlterField(
            model_name="report",
            name="snapshot",
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, editable=False),
        ),
    ]
