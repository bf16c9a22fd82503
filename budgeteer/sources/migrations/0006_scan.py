"""What a scan for secrets and personal data found in a source; empty until a worker has looked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0005_database_defaults"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="scan",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
