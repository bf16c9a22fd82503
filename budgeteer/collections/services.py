"""Make, fill, share and delete collections."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.collections import survey
from budgeteer.collections.models import Collection, CollectionSource, EvaluationRun, stored_files
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources import services as sources
from budgeteer.sources.models import Source, SourceQuerySet
from budgeteer.teams.sharing import Audience, is_team_mode, share_row, shown_to

NAME_CHARS = 120
#: Sources whose imports a page looks at.
REFRESHED = 20
#: Links that are written in one statement.
BATCH = 500

_COUNTED = Count("links", filter=Q(links__source__deleted_at__isnull=True))


def live(owner: User | AnonymousUser) -> QuerySet[Collection]:
    """The owner's collections that are not deleted, last changed first, each with `sources_count`."""
    kept = Collection.objects.filter(owner_id=owner.pk, deleted_at__isnull=True)
    return kept.select_related("shared_through__team").annotate(sources_count=_COUNTED).order_by("-updated_at")


def of(owner: User, collection_id: UUID) -> Collection | None:
    """The owner's collection, None when there is none, it is another's or it is deleted."""
    return Collection.objects.filter(owner_id=owner.pk, deleted_at__isnull=True, id=collection_id).first()


def shared_with(user: User) -> QuerySet[Collection]:
    """What others share with the user, last changed first, each with `sources_count`; nothing outside team mode."""
    if not is_team_mode():
        return Collection.objects.none()
    shared = Collection.objects.filter(shown_to(user), deleted_at__isnull=True).exclude(owner_id=user.pk)
    rows = shared.select_related("owner", "shared_through__team")
    return rows.annotate(sources_count=_COUNTED).order_by("-updated_at")


def to_look_at(user: User, collection_id: UUID) -> Collection | None:
    """The user's own collection or one that is shared with them; None when there is none, or it is deleted."""
    return of(user, collection_id) or shared_with(user).filter(id=collection_id).first()


def run_of(owner: User, run_id: UUID) -> EvaluationRun | None:
    """The evaluation of one of the owner's collections, None when there is none."""
    run = EvaluationRun.objects.select_related("collection").filter(pk=run_id).first()
    return run if run is not None and of(owner, run.collection_id) is not None else None


def run_to_look_at(user: User, run_id: UUID) -> EvaluationRun | None:
    """The evaluation of a collection that this user may look at, None when there is none."""
    run = EvaluationRun.objects.select_related("collection").filter(pk=run_id).first()
    collection = to_look_at(user, run.collection_id) if run is not None else None
    if run is None or collection is None:
        return None
    run.collection = collection
    return run


@transaction.atomic
def share(collection: Collection, audience: Audience | None) -> None:
    """Let this audience look at the collection and its figures and no other; with None nobody but its owner.

    Raises:
        InputError: the owner is no longer in the team.
    """
    told = share_row(collection, audience)
    event = SecurityEvent.COLLECTION_SHARED if audience else SecurityEvent.COLLECTION_UNSHARED
    record(event, collection=str(collection.pk), by=collection.owner_id, **told)


def clean_name(name: str) -> str:
    """A name fit to show, "" where nothing of it is left."""
    return " ".join(name.replace("\0", " ").split())[:NAME_CHARS]


@transaction.atomic
def create(owner: User, *, name: str, members: Iterable[Source]) -> Collection:
    """A new collection of these sources, each once."""
    collection = Collection.objects.create(owner=owner, name=clean_name(name) or "Untitled collection")
    add(collection, members)
    return collection


def add(collection: Collection, members: Iterable[Source]) -> int:
    """Put sources behind those of the collection; how many were not in it yet."""
    wanted = list(dict.fromkeys(source.pk for source in members))
    with transaction.atomic():
        Collection.objects.select_for_update().get(pk=collection.pk)
        known = set(collection.links.values_list("source_id", flat=True))
        new = [pk for pk in wanted if pk not in known]
        links = (CollectionSource(collection=collection, source_id=pk) for pk in new)
        CollectionSource.objects.bulk_create(links, batch_size=BATCH)
        touch(collection)
    return len(new)


def remove(collection: Collection, source_id: UUID) -> None:
    """Take a source out of the collection; the source itself stays."""
    collection.links.filter(source_id=source_id).delete()
    touch(collection)


def rename(collection: Collection, name: str) -> bool:
    """Give another name; an empty one changes nothing and gives False."""
    cleaned = clean_name(name)
    if not cleaned:
        return False
    collection.name = cleaned
    collection.save(update_fields=["name", "updated_at"])
    return True


def touch(collection: Collection) -> None:
    """Call the collection changed now."""
    collection.save(update_fields=["updated_at"])


def delete(collection: Collection) -> None:
    """Take it out of every list; `restore` brings it back until the next purge."""
    collection.deleted_at = timezone.now()
    collection.save(update_fields=["deleted_at"])


def just_deleted(owner: User, collection_id: str) -> Collection | None:
    """The collection of that id while its deletion can still be undone."""
    try:
        wanted = UUID(collection_id)
    except ValueError:
        return None
    return Collection.objects.filter(owner=owner, id=wanted, deleted_at__isnull=False).first()


def restore(owner: User, collection_id: UUID) -> Collection | None:
    """Undo a deletion; None when there is nothing left to bring back."""
    collection = Collection.objects.filter(owner=owner, id=collection_id).first()
    if collection is not None and collection.deleted_at is not None:
        collection.deleted_at = None
        collection.save(update_fields=["deleted_at"])
    return collection


def purge(*, before: datetime) -> int:
    """Remove collections deleted before that time, rows and files; how many. Their sources stay."""
    gone = Collection.objects.filter(deleted_at__lt=before).values_list("pk", flat=True)
    return sum(_purge_one(pk, before=before) for pk in list(gone))


def _purge_one(pk: UUID, *, before: datetime) -> int:
    with transaction.atomic():
        collection = Collection.objects.select_for_update().filter(pk=pk, deleted_at__lt=before).first()
        if collection is None:
            return 0
        names = stored_names(collection)
        collection.delete()
        for name in names:
            # Should storage be away now, the sweep of orphans finds the file later.
            transaction.on_commit(partial(default_storage.delete, name), robust=True)
    return 1


def stored_names(collection: Collection) -> list[str]:
    """Every file of a collection and of its evaluations."""
    found = [name for run in collection.runs.defer("record") for name in stored_files(run)]
    return [*found, *([str(collection.survey.name)] if collection.survey else [])]


def members_of(collection: Collection) -> SourceQuerySet:
    """The collection's sources that are not deleted, in its order."""
    found = Source.objects.filter(collection_links__collection=collection, deleted_at__isnull=True)
    return found.order_by("collection_links__pk")


def waiting_for(collection: Collection) -> int:
    """How many of its sources are still being imported; the state of some of them is brought up to date."""
    importing = members_of(collection).filter(state=Source.State.IMPORTING)
    for source in importing[:REFRESHED]:  # the housekeeping looks at all of them
        sources.refresh_state(source)
    return importing.count()


def is_surveyed(collection: Collection) -> bool:
    """Whether what is known of its conversations is what its sources hold now."""
    return collection.survey_key == survey.key_of(collection) and bool(collection.survey)


def ensure_surveyed(collection: Collection) -> Job | None:
    """None when the survey is there and up to date; else the job that takes it, one at a time, or failed to."""
    key = survey.key_of(collection)
    if collection.survey and collection.survey_key == key:
        return None
    last = jobs.latest_for(collection.subject)
    if last is not None and last.state == "failed" and last.arguments.get("key") == key:
        return last  # it would fail the same way; its card has a button to try again

    def is_done() -> bool:
        return Collection.objects.filter(pk=collection.pk, survey_key=key).exclude(survey="").exists()

    try:
        return jobs.enqueue_once(
            "collections.survey",
            arguments={"collection_id": str(collection.pk), "key": key},
            owner=collection.owner,
            subject=collection.subject,
            is_done=is_done,
        )
    except jobs.AlreadyDone:
        collection.refresh_from_db()
        return None
