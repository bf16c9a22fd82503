"""What migrations 0001 to 0007 make of an empty database, in one step."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("sources", "0001_sources"),
        ("sources", "0002_known_runs"),
        ("sources", "0003_measured_columns"),
        ("sources", "0004_own_formats"),
        ("sources", "0005_database_defaults"),
        ("sources", "0006_scan"),
        ("sources", "0007_masks"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KnownRun",
            fields=[
                ("key", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("rows", models.BinaryField()),
                ("used_on", models.DateField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                ("kind", models.CharField(blank=True, max_length=16)),
                ("format", models.CharField(blank=True, max_length=40)),
                ("requested_format", models.CharField(blank=True, max_length=40)),
                ("import_job", models.UUIDField(blank=True, editable=False, null=True)),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("upload", models.FileField(max_length=200, upload_to="")),
                ("items", models.FileField(blank=True, max_length=200, upload_to="")),
                ("revision", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[("importing", "Importing"), ("ready", "Ready"), ("failed", "Failed")],
                        default="importing",
                        max_length=12,
                    ),
                ),
                ("counts", models.JSONField(blank=True, default=dict)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("error", models.JSONField(blank=True, default=dict)),
                ("scan", models.JSONField(blank=True, editable=False, null=True)),
                ("masks", models.JSONField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sources", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="SourceMeasures",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tokenizer", models.CharField(max_length=32)),
                ("revision", models.PositiveIntegerField()),
                ("columns", models.CharField(db_default="", default="", editable=False, max_length=64)),
                ("arrays", models.FileField(max_length=200, upload_to="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="measures", to="sources.source"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "source measures",
            },
        ),
        migrations.CreateModel(
            name="OwnFormat",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=60)),
                ("mapping", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="own_formats",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
                "constraints": [models.UniqueConstraint(fields=("owner", "title"), name="sources_own_format_once")],
            },
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(fields=["owner", "-created_at"], name="sources_of_owner"),
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(fields=("owner", "sha256"), name="sources_same_bytes_once"),
        ),
        migrations.AddConstraint(
            model_name="sourcemeasures",
            constraint=models.UniqueConstraint(fields=("source", "tokenizer"), name="sources_measured_once"),
        ),
    ]
