"""What a scan found before a link opens; reports that exist are open and stay so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0004_redacted_and_password"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="findings",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="report",
            name="is_held",
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
