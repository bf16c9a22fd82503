"""Let processes of an earlier version, which know fewer columns, go on writing evaluations during an upgrade."""

import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collections", "0004_evaluations_in_turn"),
    ]

    operations = [
        migrations.AlterField(
            model_name="evaluationrun",
            name="queued_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now
            ),
        ),
        migrations.AlterField(
            model_name="evaluationrun",
            name="replays_sessions",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
