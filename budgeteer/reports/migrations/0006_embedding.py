"""Where a report may be embedded; reports that exist, nowhere."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0005_scan_before_opening"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="embed_on",
            field=models.CharField(blank=True, editable=False, max_length=600),
        ),
    ]
