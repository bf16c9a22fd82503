"""Let processes of an earlier version, which know fewer columns, go on writing measures during an upgrade."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0004_own_formats"),
    ]

    operations = [
        migrations.AlterField(
            model_name="sourcemeasures",
            name="columns",
            field=models.CharField(db_default="", default="", editable=False, max_length=64),
        ),
    ]
