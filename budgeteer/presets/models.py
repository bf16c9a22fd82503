"""Presets and their versions: the rows."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core.validators import URLValidator
from django.db import models
from django.urls import reverse

#: The fields of PresetProvenance.
PROVENANCE_FIELDS: Final = ("harness", "harness_version", "source_url", "checked_on")


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


class PresetProvenance(models.Model):
    """Where the numbers of a configuration come from.

    Attributes:
        harness: the agent or application whose limits it stands for, "" for none.
        harness_version: the version of it that was looked at.
        source_url: the page that states the numbers, http or https.
        checked_on: the day that page was read.
    """

    harness = models.CharField(
        max_length=80, blank=True, default="", db_default="", help_text="The agent or application it stands for."
    )
    harness_version = models.CharField("its version", max_length=40, blank=True, default="", db_default="")
    source_url = models.URLField(
        "source",
        max_length=400,
        blank=True,
        default="",
        db_default="",
        validators=[URLValidator(schemes=("http", "https"))],
        help_text="The page that states these numbers.",
    )
    checked_on = models.DateField("checked on", null=True, blank=True, help_text="The day that page was read.")

    class Meta:
        abstract = True

    @property
    def provenance(self) -> dict[str, Any]:
        """The fields of this class by name, for another row of the same origin."""
        return {name: getattr(self, name) for name in PROVENANCE_FIELDS}


class VersionIsImmutable(Exception):
    """A stored version was about to be changed; publish a new one instead."""


class PresetVersion(PresetProvenance):
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


class PresetProposal(PresetProvenance):
    """A configuration that is to become a preset's next version, or the first one of a new preset.

    An administrator's own is a draft until they publish it; an editor's is open until an administrator decides.

    Attributes:
        preset: whose next version it is to be; None for a new preset, which `title` and `description` then name.
        config: a delta over the engine's defaults, always valid when it is stored.
        based_on: the number of the version that it was made from; 0 for a new preset.
        answer: what the administrator said who declined it.
        published: the version that it became.
    """

    class State(models.TextChoices):
        """Where a proposal stands."""

        DRAFT = "draft", "Draft"
        OPEN = "open", "Proposed"
        PUBLISHED = "published", "Published"
        DECLINED = "declined", "Declined"

    preset = models.ForeignKey(Preset, null=True, blank=True, on_delete=models.CASCADE, related_name="proposals")
    title = models.CharField(max_length=80, blank=True)
    description = models.CharField(max_length=240, blank=True)
    config = models.JSONField(default=dict)
    note = models.CharField(max_length=240, blank=True)
    based_on = models.PositiveIntegerField(default=0)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=12, choices=State, default=State.DRAFT)
    answer = models.CharField(max_length=240, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    published = models.ForeignKey(PresetVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-updated_at", "-pk")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The page that compares it with the current version."""
        return reverse("workbench:proposal", kwargs={"proposal_id": self.pk})

    @property
    def name(self) -> str:
        """The preset's title, or the one that a new preset is to have."""
        return self.preset.title if self.preset else self.title or "New preset"

    @property
    def is_pending(self) -> bool:
        """Whether it can still be changed, published or declined."""
        return self.state in {self.State.DRAFT, self.State.OPEN}

    def as_version(self, number: int) -> PresetVersion:
        """The version that it would be, which is not saved: to pack with before it is published."""
        preset = self.preset or Preset(title=self.title, description=self.description)
        return PresetVersion(preset=preset, number=number, config=self.config, note=self.note, **self.provenance)
