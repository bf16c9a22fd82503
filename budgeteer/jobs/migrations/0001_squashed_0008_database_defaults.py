"""What migrations 0001 to 0008 make of an empty database, in one step."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("jobs", "0001_initial"),
        ("jobs", "0002_presence_and_request_id"),
        ("jobs", "0003_queues_and_cancel"),
        ("jobs", "0004_worker"),
        ("jobs", "0005_only_one"),
        ("jobs", "0006_processes"),
        ("jobs", "0007_trace_parent"),
        ("jobs", "0008_database_defaults"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Presence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=300, unique=True)),
                ("part", models.CharField(choices=[("worker", "Worker"), ("scheduler", "Scheduler")], max_length=20)),
                ("host", models.CharField(max_length=200)),
                ("queues", models.CharField(blank=True, default="", max_length=200)),
                ("version", models.CharField(max_length=40)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "process",
                "verbose_name_plural": "processes",
                "ordering": ["part", "name"],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=100)),
                ("subject", models.CharField(blank=True, default="", max_length=200)),
                ("queue", models.CharField(default="default", max_length=40)),
                ("arguments", models.JSONField(default=dict)),
                ("is_only_one", models.BooleanField(db_default=False, default=False)),
                ("request_id", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("trace_parent", models.CharField(blank=True, db_default="", default="", max_length=55)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("unit", models.CharField(blank=True, default="", max_length=40)),
                ("sentence", models.CharField(blank=True, default="", max_length=500)),
                ("log", models.JSONField(default=list)),
                ("result", models.JSONField(null=True)),
                ("error", models.JSONField(null=True)),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("worker", models.CharField(blank=True, db_default="", default="", max_length=300)),
                ("lost_workers", models.PositiveIntegerField(default=0)),
                ("sends", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent_at", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["state", "heartbeat_at"], name="jobs_by_state"),
                    models.Index(fields=["subject", "-created_at"], name="jobs_by_subject"),
                    models.Index(
                        condition=models.Q(("state", "queued")), fields=["queue", "created_at"], name="jobs_waiting"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_only_one", True), ("state__in", ["queued", "running"])),
                        fields=("kind", "subject"),
                        name="jobs_only_one_unfinished",
                    )
                ],
            },
        ),
    ]
