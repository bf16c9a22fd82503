"""Presets and their versions: the rows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse


class Preset(models.Model):
    """A named configuration that workspaces follow; what it says is in its versions."""

    slug = models.SlugField(unique=True, help_text="Stands in addresses and exports; cannot be changed later.")
    title = models.CharField(max_length=80)
    description = models.CharField(
        max_length=240, blank=True, help_text="One sentence: who should choose it, and what it does."
    )
    is_offered = models.BooleanField(
        "offered", default=True, help_text="New workspaces may choose it. Those that follow it already keep it."
    )
    position = models.PositiveSmallIntegerField(default=100, help_text="Smaller numbers stand first in lists.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("position", "slug")

    def __str__(self) -> str:
        return self.title


class VersionIsImmutable(Exception):
    """A stored version was about to be changed; publish a new one instead."""


class PresetVersion(models.Model):
    """One published state of a preset: written once, never changed.

    `config` is a delta over the engine's defaults, in the engine's own key names.
    """

    preset = models.ForeignKey(Preset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    config = models.JSONField(default=dict)
    note = models.CharField(max_length=240, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("preset", "-number")
        constraints = (models.UniqueConstraint(fields=("preset", "number"), name="presets_version_number_once"),)

    def __str__(self) -> str:
        return f"{self.preset.slug} v{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row once.

        Raises:
            VersionIsImmutable: if it stands in the database already.
        """
        if not self._state.adding:
            raise VersionIsImmutable(f"{self} is published and cannot be changed")
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        """The page that shows this version."""
        return reverse("presets:version", kwargs={"slug": self.preset.slug, "number": self.number})
