"""What a report shows, beside the kinds before: one configuration on several models."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0008_database_defaults")]

    operations = [
        migrations.AlterField(
            model_name="report",
            name="kind",
            field=models.CharField(
                choices=[
                    ("packing", "Packed prompt"),
                    ("comparison", "Comparison"),
                    ("sweep", "Sweep"),
                    ("evaluation", "Evaluation"),
                    ("models", "Models"),
                ],
                db_default="packing",
                default="packing",
                editable=False,
                max_length=12,
            ),
        ),
    ]
