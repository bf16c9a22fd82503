"""What was masked in a masked copy of a source; empty in any other."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0006_scan"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="masks",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
