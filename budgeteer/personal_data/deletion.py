"""Delete everything that an account has, for good: files before the rows that name them, the account itself last.

Whatever is left when a worker is killed is found and deleted by the next attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.files.storage import default_storage
from django.db.models import Model, QuerySet

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.accounts.sessions.services import end_sessions
from budgeteer.collections.models import Collection, EvaluationRun, stored_files
from budgeteer.collections.services import stored_names
from budgeteer.jobs import services as jobs
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.models import UNFINISHED, Job
from budgeteer.presets.models import PresetProposal
from budgeteer.reports.models import Report
from budgeteer.sources.files.storage import files_under
from budgeteer.sources.models import OwnFormat, Source
from budgeteer.sources.models import stored_files as files_of_source
from budgeteer.teams.models import TeamMembership
from budgeteer.tokens.models import AccessToken
from budgeteer.workbench.models import Summary, Workspace

type Committing = Callable[[], AbstractContextManager[None]]


class _NotEmpty(Exception):
    """Something was stored for the account after it was emptied, by a request that was under way."""


def delete_account(context: JobContext, account: int) -> dict[str, Any]:
    """Delete the account of that key with everything that is its own; one that is gone already is no error."""
    user = User.objects.filter(pk=account).first()
    if user is None:
        return {"account": account}
    _end_jobs(context, user)
    while True:
        _delete_parts(context, user)
        try:
            with context.finishing({"account": account}):
                _delete_row(user)
        except _NotEmpty:
            continue
        return {"account": account}


def _delete_parts(context: JobContext, user: User) -> None:
    """Everything but the account's own row, one thing after the other."""
    parts = _parts(user)
    total = sum(rows.count() for rows, _files in parts)
    done = 0
    for rows, files in parts:
        for key in list(rows.values_list("pk", flat=True)):
            context.progress(done, total, "things", "Deleting what the account has")
            row = rows.filter(pk=key).first()
            if row is not None:
                for name in files(row):
                    default_storage.delete(name)
                with context.committing():
                    row.delete()
            done += 1


def _parts(user: User) -> list[tuple[QuerySet[Any], Callable[[Any], Iterable[str]]]]:
    """The rows of an account by kind, with the files of each; who refers to a row stands before it."""
    return [
        (Report.objects.filter(owner=user).defer("document", "snapshot"), _no_files),
        (EvaluationRun.objects.filter(owner=user).defer("record"), _files_of_run),
        (Collection.objects.filter(owner=user), _files_of_collection),
        (Workspace.objects.filter(owner=user), _no_files),
        (Summary.objects.filter(owner=user), _no_files),
        (Source.objects.filter(owner=user), _files_of_source),
        (OwnFormat.objects.filter(owner=user), _no_files),
        (PresetProposal.objects.filter(author=user), _no_files),
        (AccessToken.objects.filter(owner=user), _no_files),
        (TeamMembership.objects.filter(user=user), _no_files),
        (Job.objects.filter(owner=user), _no_files),
    ]


def _no_files(_row: Model) -> Iterable[str]:
    return ()


def _files_of_run(run: EvaluationRun) -> Iterator[str]:
    yield from stored_files(run)
    yield from _in_folder(run.folder)


def _files_of_collection(collection: Collection) -> Iterator[str]:
    yield from stored_names(collection)
    yield from _in_folder(collection.folder)


def _files_of_source(source: Source) -> Iterator[str]:
    yield from (str(file.name) for file in files_of_source(source))
    yield from _in_folder(f"sources/{source.pk}")


def _in_folder(folder: str) -> list[str]:
    """What a killed attempt left there, which no row names."""
    return [name for name, _written in files_under(folder)]


def _end_jobs(context: JobContext, user: User) -> None:
    """Call off what the account asked for and was not called off when it was closed."""
    for job in Job.objects.filter(owner=user, state__in=UNFINISHED):
        with context.committing():
            jobs.cancel(job)


def _delete_row(user: User) -> None:
    """Delete the account, its sessions and what the admin's history says of it.

    Raises:
        _NotEmpty: it has something again.
    """
    # Locked, so that nothing more is stored for it.
    User.objects.select_for_update().get(pk=user.pk)
    if any(rows.exists() for rows, _files in _parts(user)):
        raise _NotEmpty
    of_accounts = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=of_accounts, object_id=str(user.pk)).delete()
    end_sessions(user)
    account = user.pk
    user.delete()
    record(SecurityEvent.ACCOUNT_DELETED, account=account)
