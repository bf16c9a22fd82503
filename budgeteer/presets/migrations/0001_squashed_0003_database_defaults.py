"""What migrations 0001 to 0003 make of an empty database, in one step."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("presets", "0001_initial"),
        ("presets", "0002_proposals"),
        ("presets", "0003_database_defaults"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Preset",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.SlugField(
                        help_text="Stands in addresses and exports; cannot be changed later.", unique=True
                    ),
                ),
                ("title", models.CharField(max_length=80)),
                (
                    "description",
                    models.CharField(
                        blank=True, help_text="One sentence: who should choose it, and what it does.", max_length=240
                    ),
                ),
                (
                    "is_offered",
                    models.BooleanField(
                        default=True,
                        help_text="New workspaces may choose it. Those that follow it already keep it.",
                        verbose_name="offered",
                    ),
                ),
                (
                    "position",
                    models.PositiveSmallIntegerField(default=100, help_text="Smaller numbers stand first in lists."),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("position", "slug"),
            },
        ),
        migrations.CreateModel(
            name="PresetVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The agent or application it stands for.",
                        max_length=80,
                    ),
                ),
                (
                    "harness_version",
                    models.CharField(blank=True, db_default="", default="", max_length=40, verbose_name="its version"),
                ),
                (
                    "source_url",
                    models.URLField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The page that states these numbers.",
                        max_length=400,
                        validators=[django.core.validators.URLValidator(schemes=("http", "https"))],
                        verbose_name="source",
                    ),
                ),
                (
                    "checked_on",
                    models.DateField(
                        blank=True, help_text="The day that page was read.", null=True, verbose_name="checked on"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("config", models.JSONField(default=dict)),
                ("note", models.CharField(blank=True, max_length=240)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "preset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="presets.preset"
                    ),
                ),
            ],
            options={
                "ordering": ("preset", "-number"),
            },
        ),
        migrations.CreateModel(
            name="PresetProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The agent or application it stands for.",
                        max_length=80,
                    ),
                ),
                (
                    "harness_version",
                    models.CharField(blank=True, db_default="", default="", max_length=40, verbose_name="its version"),
                ),
                (
                    "source_url",
                    models.URLField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The page that states these numbers.",
                        max_length=400,
                        validators=[django.core.validators.URLValidator(schemes=("http", "https"))],
                        verbose_name="source",
                    ),
                ),
                (
                    "checked_on",
                    models.DateField(
                        blank=True, help_text="The day that page was read.", null=True, verbose_name="checked on"
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=80)),
                ("description", models.CharField(blank=True, max_length=240)),
                ("config", models.JSONField(default=dict)),
                ("note", models.CharField(blank=True, max_length=240)),
                ("based_on", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Proposed"),
                            ("published", "Published"),
                            ("declined", "Declined"),
                        ],
                        default="draft",
                        max_length=12,
                    ),
                ),
                ("answer", models.CharField(blank=True, max_length=240)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="proposals",
                        to="presets.preset",
                    ),
                ),
                (
                    "published",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="presets.presetversion",
                    ),
                ),
            ],
            options={
                "ordering": ("-updated_at", "-pk"),
            },
        ),
        migrations.AddConstraint(
            model_name="presetversion",
            constraint=models.UniqueConstraint(fields=("preset", "number"), name="presets_version_number_once"),
        ),
    ]
