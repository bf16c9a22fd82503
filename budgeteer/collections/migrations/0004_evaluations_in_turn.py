"""Let evaluations wait their turn."""

import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collections", "0003_segments_as_rows"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluationrun",
            name="queued_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="evaluationrun",
            name="turn_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="evaluationrun",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "Waiting its turn"),
                    ("waiting", "Preparing"),
                    ("running", "Evaluating"),
                    ("done", "Done"),
                    ("stopped", "Stopped"),
                    ("cancelled", "Cancelled"),
                ],
                default="queued",
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="evaluationrun",
            index=models.Index(fields=["state", "queued_at"], name="collections_runs_in_turn"),
        ),
    ]
