"""What migrations 0001 to 0009 make of an empty database, in one step."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("workbench", "0001_initial"),
        ("workbench", "0002_shared_with_team"),
        ("workbench", "0003_written_summaries"),
        ("workbench", "0004_edits"),
        ("workbench", "0005_version_chosen"),
        ("workbench", "0006_named_model"),
        ("workbench", "0007_revision"),
        ("workbench", "0008_preset_open"),
        ("workbench", "0009_database_defaults"),
    ]

    initial = True

    dependencies = [
        ("sources", "0001_squashed_0007_masks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Workspace",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("preset_slug", models.SlugField()),
                ("preset_number", models.PositiveIntegerField(blank=True, null=True)),
                ("is_preset_open", models.BooleanField(db_default=False, default=False)),
                ("named_model", models.CharField(blank=True, max_length=120, null=True)),
                ("config_delta", models.JSONField(blank=True, default=dict)),
                ("edits", models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict)),
                ("undo_steps", models.JSONField(blank=True, default=list)),
                ("redo_steps", models.JSONField(blank=True, default=list)),
                ("revision", models.PositiveIntegerField(db_default=0, default=0)),
                ("system_text", models.TextField(blank=True)),
                ("context_text", models.TextField(blank=True, verbose_name="workspace context")),
                ("query_text", models.TextField(blank=True)),
                ("last_verdict", models.JSONField(blank=True, null=True)),
                ("shared_with_team", models.BooleanField(db_default=False, default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="workspaces",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-updated_at",),
            },
        ),
        migrations.CreateModel(
            name="Summary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=128)),
                ("text", models.TextField(blank=True)),
                ("written_text", models.TextField(blank=True, db_default="", default="")),
                ("writer", models.CharField(default="extractive", max_length=64)),
                ("notes", models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("edited_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "summaries",
                "constraints": [models.UniqueConstraint(fields=("owner", "key"), name="workbench_summary_once")],
            },
        ),
        migrations.CreateModel(
            name="WorkspaceSource",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("conversation_index", models.PositiveIntegerField(default=0)),
                ("order", models.PositiveIntegerField(default=0)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("spec", "Spec file"),
                            ("system", "System text"),
                            ("context", "Workspace context"),
                            ("query", "Query"),
                        ],
                        default="spec",
                        max_length=16,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="workspace_links", to="sources.source"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="links", to="workbench.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ("order", "pk"),
                "constraints": [
                    models.UniqueConstraint(fields=("workspace", "source"), name="workbench_source_once_per_workspace")
                ],
            },
        ),
    ]
