"""Share a collection with one team: what is shared already stays shared with everyone, by the column there was."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collections", "0005_database_defaults"),
        ("teams", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="shared_through",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="teams.teammembership",
            ),
        ),
        migrations.AlterField(
            model_name="collection",
            name="shared_with_team",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
