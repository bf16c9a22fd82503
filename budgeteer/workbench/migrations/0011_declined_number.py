"""Remember which version of its preset the owner of a workspace does not want to be told of."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workbench", "0010_shared_through"),
    ]

    operations = [
        migrations.AddField(
            model_name="workspace",
            name="declined_number",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
