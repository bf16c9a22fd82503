"""The redacted level, a password, and how often others opened a report; reports that exist have neither."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0003_numbers_by_allow_list"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="opened",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="report",
            name="password",
            field=models.CharField(blank=True, editable=False, max_length=128),
        ),
        migrations.AlterField(
            model_name="report",
            name="content",
            field=models.CharField(
                choices=[
                    ("numbers", "Numbers only: no names, no text"),
                    ("redacted", "Redacted: names and sizes, every text masked"),
                    ("full", "Full: names, reasons and the packed prompt"),
                ],
                default="numbers",
                max_length=8,
            ),
        ),
    ]
