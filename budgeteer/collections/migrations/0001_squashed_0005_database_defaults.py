"""What migrations 0001 to 0005 make of an empty database, in one step."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("collections", "0001_initial"),
        ("collections", "0002_replayed_sessions"),
        ("collections", "0003_segments_as_rows"),
        ("collections", "0004_evaluations_in_turn"),
        ("collections", "0005_database_defaults"),
    ]

    initial = True

    dependencies = [
        ("sources", "0001_squashed_0007_masks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Collection",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("shared_with_team", models.BooleanField(default=False)),
                ("survey_key", models.CharField(blank=True, editable=False, max_length=64)),
                ("surveyed", models.JSONField(blank=True, default=dict, editable=False)),
                ("survey", models.FileField(blank=True, editable=False, max_length=200, upload_to="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="collections",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-updated_at",),
            },
        ),
        migrations.CreateModel(
            name="CollectionSource",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="links", to="collections.collection"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="collection_links",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="collection",
            name="sources",
            field=models.ManyToManyField(
                related_name="collections", through="collections.CollectionSource", to="sources.source"
            ),
        ),
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("configs", models.JSONField()),
                ("keeps_duplicates", models.BooleanField(default=False)),
                ("replays_sessions", models.BooleanField(db_default=False, default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting its turn"),
                            ("waiting", "Preparing"),
                            ("running", "Evaluating"),
                            ("done", "Done"),
                            ("stopped", "Stopped"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                ("conversations", models.PositiveIntegerField(default=0)),
                ("left_out", models.JSONField(default=dict)),
                ("record", models.JSONField(null=True)),
                ("error", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "queued_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now
                    ),
                ),
                ("turn_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="collections.collection"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="EvaluationChunk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("pieces", models.JSONField()),
                ("conversations", models.PositiveIntegerField()),
                ("claimed_by", models.UUIDField(null=True)),
                ("is_done", models.BooleanField(default=False)),
                ("record", models.JSONField(null=True)),
                ("rows", models.FileField(blank=True, max_length=200, upload_to="")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chunks",
                        to="collections.evaluationrun",
                    ),
                ),
            ],
            options={
                "ordering": ("number",),
            },
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
            },
        ),
        migrations.AddConstraint(
            model_name="collectionsource",
            constraint=models.UniqueConstraint(fields=("collection", "source"), name="collections_source_once"),
        ),
        migrations.AddIndex(
            model_name="collection",
            index=models.Index(fields=["owner", "-updated_at"], name="collections_of_owner"),
        ),
        migrations.AddIndex(
            model_name="evaluationrun",
            index=models.Index(fields=["state", "queued_at"], name="collections_runs_in_turn"),
        ),
        migrations.AddConstraint(
            model_name="evaluationchunk",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="collections_chunk_once"),
        ),
        migrations.AddConstraint(
            model_name="evaluationsegment",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="collections_segment_once"),
        ),
    ]
