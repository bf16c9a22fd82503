"""Let processes of an earlier version, which know fewer columns, go on writing presets during an upgrade."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("presets", "0002_proposals"),
    ]

    operations = [
        migrations.AlterField(
            model_name="presetproposal",
            name="harness",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The agent or application it stands for.",
                max_length=80,
            ),
        ),
        migrations.AlterField(
            model_name="presetproposal",
            name="harness_version",
            field=models.CharField(blank=True, db_default="", default="", max_length=40, verbose_name="its version"),
        ),
        migrations.AlterField(
            model_name="presetproposal",
            name="source_url",
            field=models.URLField(
                blank=True,
                db_default="",
                default="",
                help_text="The page that states these numbers.",
                max_length=400,
                validators=[django.core.validators.URLValidator(schemes=("http", "https"))],
                verbose_name="source",
            ),
        ),
        migrations.AlterField(
            model_name="presetversion",
            name="harness",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The agent or application it stands for.",
                max_length=80,
            ),
        ),
        migrations.AlterField(
            model_name="presetversion",
            name="harness_version",
            field=models.CharField(blank=True, db_default="", default="", max_length=40, verbose_name="its version"),
        ),
        migrations.AlterField(
            model_name="presetversion",
            name="source_url",
            field=models.URLField(
                blank=True,
                db_default="",
                default="",
                help_text="The page that states these numbers.",
                max_length=400,
                validators=[django.core.validators.URLValidator(schemes=("http", "https"))],
                verbose_name="source",
            ),
        ),
    ]
