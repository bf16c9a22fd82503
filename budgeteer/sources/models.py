"""Sources and what was measured of them: the rows."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models.fields.files import FieldFile
from django.urls import reverse


class SourceQuerySet(models.QuerySet["Source"]):
    """The questions asked of the table."""

    def visible_to(self, owner: AbstractBaseUser | AnonymousUser) -> SourceQuerySet:
        """The sources this user may see: their own that are not deleted. Nobody's for a signed-out visitor."""
        return self.filter(owner_id=owner.pk, deleted_at__isnull=True) if owner.pk else self.none()


class Source(models.Model):
    """One upload: the original bytes and, once imported, its items.

    Attributes:
        name: what the owner calls it; the file's own name at first.
        kind: "conversation", "skills", "tools", "features", "chunks", "text" or "usage"; "" until imported.
        format: the importer that read it ("claude-code", …); "" until imported.
        requested_format: the importer the owner asked for; "" leaves the choice to detection.
        import_job: the import that was asked for last, the only one that may be published; None where unknown.
        sha256: of the original bytes, in hexadecimal; one owner has the same bytes once.
        upload: the original, byte for byte.
        items: what was read from it (see item_store.py); empty until imported.
        revision: grows by one with every import that is published; part of every cache key.
        counts: how much was read, by name ("messages", "skills", …), and how much was skipped.
        report: the import report: reason, warnings, skipped, conversations (see publication.py).
        error: why the last import failed (what, where, mend, sentence, asked: the format); empty otherwise. Beside it
            a source is ready with what was read before, or failed if there was nothing.
        scan: what a scan for secrets and personal data found, and in which revision (scanning/kept_findings.py); None
            until then.
        masks: of a masked copy, what was masked in which source (scanning/masked_copy.py); None of any other.
        deleted_at: when it was deleted; the row stays for the undo and is purged later.
    """

    class State(models.TextChoices):
        """Where its import stands."""

        IMPORTING = "importing", "Importing"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sources")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=16, blank=True)
    format = models.CharField(max_length=40, blank=True)
    requested_format = models.CharField(max_length=40, blank=True)
    import_job = models.UUIDField(null=True, blank=True, editable=False)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    upload = models.FileField(max_length=200)
    items = models.FileField(max_length=200, blank=True)
    revision = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=12, choices=State, default=State.IMPORTING)
    counts = models.JSONField(default=dict, blank=True)
    report = models.JSONField(default=dict, blank=True)
    error = models.JSONField(default=dict, blank=True)
    scan = models.JSONField(null=True, blank=True, editable=False)
    masks = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    # Set by services.receive_*: these bytes had been uploaded before, nothing new was stored.
    was_known = False

    objects = SourceQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=("owner", "sha256"), name="sources_same_bytes_once"),)
        indexes = (models.Index(fields=("owner", "-created_at"), name="sources_of_owner"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The source's own page."""
        return reverse("sources:detail", kwargs={"source_id": self.id})

    @property
    def subject(self) -> str:
        """What its jobs say they are about."""
        return f"source:{self.id}"

    @property
    def is_ready(self) -> bool:
        """Whether its items can be read."""
        return self.state == self.State.READY

    @property
    def is_importing(self) -> bool:
        """Whether an import of it was asked for and has not ended, as far as the row knows."""
        return self.state == self.State.IMPORTING


class SourceMeasures(models.Model):
    """The numbers of one source under one tokenizer: typed arrays, so that a preview reads no text.

    Attributes:
        tokenizer: the counter's name ("o200k_base", "chars/4", …).
        revision: the source's revision they were measured on; older ones are never read.
        columns: which numbers they are (measuring.LAYOUT); those of another version are counted anew.
        arrays: one npz file; the names of its arrays are prefixed by what they measure (see measuring.py).
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="measures")
    tokenizer = models.CharField(max_length=32)
    revision = models.PositiveIntegerField()
    columns = models.CharField(max_length=64, default="", db_default="", editable=False)
    arrays = models.FileField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "source measures"
        constraints = (models.UniqueConstraint(fields=("source", "tokenizer"), name="sources_measured_once"),)

    def __str__(self) -> str:
        return f"{self.source} in {self.tokenizer}"


class KnownRun(models.Model):
    """Measures of some items in a row, counted once for everybody who has the same items (see measure_cache.py).

    Attributes:
        key: a keyed hash of what was counted, and how; nothing of the text is kept.
        rows: the numbers, compressed, after a proof that they are ours.
        used_on: the day they were last needed, to within measure_cache_table.FRESH_DAYS; old ones are swept.
    """

    key = models.BinaryField(max_length=32, primary_key=True)
    rows = models.BinaryField()
    used_on = models.DateField(db_index=True)

    def __str__(self) -> str:
        return bytes(self.key).hex()[:12]


class OwnFormat(models.Model):
    """A format of a user's own: a mapping that says where the messages of a JSON file stand.

    Attributes:
        title: as menus show it; one owner has each once.
        mapping: the mapping as the document (see budgeteer/formats/mapping/field_mapping.py).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_formats")
    title = models.CharField(max_length=60)
    mapping = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=("owner", "title"), name="sources_own_format_once"),)

    def __str__(self) -> str:
        return self.title

    @property
    def format_name(self) -> str:
        """Its name among the formats."""
        return f"own-{self.id.hex[:16]}"


def stored_files(source: Source) -> list[FieldFile]:
    """Every file that belongs to a source: the upload, the items, the measures; those that exist."""
    files = [source.upload, source.items, *(row.arrays for row in source.measures.all())]
    return [file for file in files if file]
