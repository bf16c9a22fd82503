"""Collections, their evaluations, and the chunks that workers do of them: the rows."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from budgeteer.sources.models import Source
from budgeteer.teams.models import Shareable


class Collection(Shareable):
    """Sources whose conversations are looked at together.

    Attributes:
        survey_key: what was surveyed: a digest of the sources and their revisions (see survey.py); "" before.
        surveyed: what the survey found, as figures.
        survey: the survey of every conversation, as columns.
        deleted_at: when it was deleted; the row stays for the undo and is swept later.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="collections")
    name = models.CharField(max_length=120)
    sources = models.ManyToManyField(Source, through="CollectionSource", related_name="collections")
    survey_key = models.CharField(max_length=64, blank=True, editable=False)
    surveyed = models.JSONField(default=dict, blank=True, editable=False)
    survey = models.FileField(max_length=200, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-updated_at",)
        indexes = (models.Index(fields=("owner", "-updated_at"), name="collections_of_owner"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The collection's own page."""
        return reverse("collections:detail", kwargs={"collection_id": self.id})

    @property
    def subject(self) -> str:
        """What the jobs about its survey say they are about."""
        return f"collection:{self.id}"

    @property
    def folder(self) -> str:
        """Where its files lie in the storage."""
        return f"collections/{self.id}"


class CollectionSource(models.Model):
    """One source in a collection; a source may be in several."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="links")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="collection_links")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("collection", "source"), name="collections_source_once"),)

    def __str__(self) -> str:
        return f"{self.source} in {self.collection}"


class EvaluationRun(models.Model):
    """A collection under some configurations, evaluated chunk by chunk.

    Attributes:
        configs: in their order `{name, config}`, the configuration as canonical JSON data, whole.
        keeps_duplicates: whether conversations that occur more than once are counted each time.
        replays_sessions: whether all requests of each conversation are replayed, with the provider's cache.
        conversations: how many are evaluated; 0 until its chunks are made.
        left_out: conversations that are not evaluated, by reason ("branches", "duplicates").
        record: what all chunks came to (engine's evaluation/records.py); None until they are merged.
        queued_at: when it began to wait for its turn. turn_at: when its turn last came; None before.
        started_at: when its chunks were made.
    """

    class State(models.TextChoices):
        """Where it stands; services.refresh_state tells whether its jobs agree."""

        QUEUED = "queued", "Waiting its turn"
        WAITING = "waiting", "Preparing"
        RUNNING = "running", "Evaluating"
        DONE = "done", "Done"
        STOPPED = "stopped", "Stopped"
        CANCELLED = "cancelled", "Cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="runs")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    configs = models.JSONField()
    keeps_duplicates = models.BooleanField(default=False)
    replays_sessions = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED)
    conversations = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=dict)
    record = models.JSONField(null=True)
    error = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now, db_default=Now())
    turn_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=("state", "queued_at"), name="collections_runs_in_turn"),)

    def __str__(self) -> str:
        return f"{self.collection} under {', '.join(self.names)}"

    def get_absolute_url(self) -> str:
        """The page of what it found."""
        return reverse("collections:run", kwargs={"run_id": self.id})

    @property
    def subject(self) -> str:
        """What its jobs say they are about."""
        return f"evaluation:{self.id}"

    @property
    def folder(self) -> str:
        """Where its files lie in the storage."""
        return f"collections/{self.collection_id}/{self.id}"

    @property
    def names(self) -> list[str]:
        """The names of its configurations."""
        return [one["name"] for one in self.configs]

    @property
    def is_under_way(self) -> bool:
        """Whether there is something to be done, as far as the row knows."""
        return self.state in (self.State.QUEUED, self.State.WAITING, self.State.RUNNING)


class EvaluationChunk(models.Model):
    """Some conversations of an evaluation, done by one job at a time and exactly once.

    Attributes:
        pieces: `{source, revision, runs: [[first, stop], …]}`: conversations of sources by their numbers from 0.
        claimed_by: the job that does it, or did.
        is_done: whether its figures and its rows are there.
        record: its figures; None until it is done, and again once all are merged.
        rows: its rows, as columns (see row_columns.py).
    """

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    pieces = models.JSONField()
    conversations = models.PositiveIntegerField()
    claimed_by = models.UUIDField(null=True)
    is_done = models.BooleanField(default=False)
    record = models.JSONField(null=True)
    rows = models.FileField(max_length=200, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("run", "number"), name="collections_chunk_once"),)

    def __str__(self) -> str:
        return f"chunk {self.number} of {self.run_id}"


class EvaluationSegment(models.Model):
    """Rows of an evaluation that is done, some ten thousand together: those of its chunks, in their order."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="segments")
    number = models.PositiveIntegerField()
    rows = models.FileField(max_length=200)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("run", "number"), name="collections_segment_once"),)

    def __str__(self) -> str:
        return f"segment {self.number} of {self.run_id}"


def stored_files(run: EvaluationRun) -> list[str]:
    """The names of every file of an evaluation."""
    chunks = run.chunks.exclude(rows="").values_list("rows", flat=True)
    return [*chunks, *run.segments.values_list("rows", flat=True)]
