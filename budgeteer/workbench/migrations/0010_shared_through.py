"""Share a workspace with one team: what is shared already stays shared with everyone, by the column there was."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("teams", "0001_initial"),
        ("workbench", "0009_database_defaults"),
    ]

    operations = [
        migrations.AddField(
            model_name="workspace",
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
    ]
