"""Name the files of an evaluation in rows of their own, as backups and clean-ups look for them."""

import django.db.models.deletion
from django.db import migrations, models


def name_in_rows(apps, _schema_editor):
    """A row for each name that the list held."""
    run_model = apps.get_model("collections", "EvaluationRun")
    segment_model = apps.get_model("collections", "EvaluationSegment")
    for pk, names in run_model.objects.values_list("pk", "segment_names"):
        segment_model.objects.bulk_create(
            segment_model(run_id=pk, number=number, rows=name) for number, name in enumerate(names)
        )


class Migration(migrations.Migration):
    dependencies = [("collections", "0002_replayed_sessions")]

    operations = [
        migrations.RenameField(model_name="evaluationrun", old_name="segments", new_name="segment_names"),
        migrations.AlterField(
            model_name="evaluationchunk",
            name="rows",
            field=models.FileField(blank=True, max_length=200, upload_to=""),
        ),
        migrations.CreateModel(
            name="EvaluationSegment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("rows", models.FileField(max_length=200, upload_to="")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="segments",
                        to="collections.evaluationrun",
                    ),
                ),
            ],
            options={
                "ordering": ("number",),
                "constraints": [models.UniqueConstraint(fields=("run", "number"), name="collections_segment_once")],
            },
        ),
        migrations.RunPython(name_in_rows, migrations.RunPython.noop),
        migrations.RemoveField(model_name="evaluationrun", name="segment_names"),
    ]
