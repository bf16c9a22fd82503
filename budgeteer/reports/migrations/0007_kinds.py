"""What a report shows, beside packed prompts: comparisons, sweeps and evaluations."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collections", "0001_initial"),
        ("reports", "0006_embedding"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="evaluation",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="reports",
                to="collections.evaluationrun",
            ),
        ),
        migrations.AddField(
            model_name="report",
            name="kind",
            field=models.CharField(
                choices=[
                    ("packing", "Packed prompt"),
                    ("comparison", "Comparison"),
                    ("sweep", "Sweep"),
                    ("evaluation", "Evaluation"),
                ],
                default="packing",
                editable=False,
                max_length=12,
            ),
        ),
    ]
