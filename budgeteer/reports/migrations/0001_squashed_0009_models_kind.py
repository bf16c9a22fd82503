"""What migrations 0001 to 0009 make of an empty database, in one step."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import budgeteer.reports.models


class Migration(migrations.Migration):
    replaces = [
        ("reports", "0001_initial"),
        ("reports", "0002_snapshot"),
        ("reports", "0003_numbers_by_allow_list"),
        ("reports", "0004_redacted_and_password"),
        ("reports", "0005_scan_before_opening"),
        ("reports", "0006_embedding"),
        ("reports", "0007_kinds"),
        ("reports", "0008_database_defaults"),
        ("reports", "0009_models_kind"),
    ]

    initial = True

    dependencies = [
        ("collections", "0001_squashed_0005_database_defaults"),
        ("workbench", "0001_squashed_0009_database_defaults"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "token",
                    models.CharField(
                        blank=True, default=budgeteer.reports.models.new_token, editable=False, max_length=64
                    ),
                ),
                ("token_digest", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "kind",
                    models.CharField(
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
                ("title", models.CharField(blank=True, max_length=120)),
                (
                    "content",
                    models.CharField(
                        choices=[
                            ("numbers", "Numbers only: no names, no text"),
                            ("redacted", "Redacted: names and sizes, every text masked"),
                            ("full", "Full: names, reasons and the packed prompt"),
                        ],
                        default="numbers",
                        max_length=8,
                    ),
                ),
                ("password", models.CharField(blank=True, db_default="", default="", editable=False, max_length=128)),
                ("embed_on", models.CharField(blank=True, db_default="", default="", editable=False, max_length=600)),
                ("opened", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("is_held", models.BooleanField(db_default=False, default=False, editable=False)),
                ("findings", models.JSONField(editable=False, null=True)),
                (
                    "snapshot",
                    models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, editable=False),
                ),
                ("form_key", models.UUIDField(editable=False, null=True)),
                ("document", models.BinaryField(null=True)),
                ("verdict", models.JSONField(editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("frozen_at", models.DateTimeField(editable=False, null=True)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                (
                    "evaluation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="collections.evaluationrun",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="workbench.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
                "constraints": [models.UniqueConstraint(fields=("owner", "form_key"), name="reports_one_a_form")],
            },
        ),
    ]
