"""What a person has here in figures, and the closing of an account before everything of it is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import is_last_administrator
from budgeteer.accounts.change_letters import AccountChange, notify_of_change
from budgeteer.accounts.sessions.services import end_sessions
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.engine.errors import InputError
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import UNFINISHED, Job
from budgeteer.presets.models import PresetProposal, PresetVersion
from budgeteer.reports import services as reports
from budgeteer.reports.models import Report
from budgeteer.sources.models import OwnFormat, Source
from budgeteer.teams import services as teams
from budgeteer.teams.models import TeamMembership
from budgeteer.tokens import services as tokens
from budgeteer.tokens.models import AccessToken
from budgeteer.workbench.models import Summary, Workspace

JOB: Final = "personal_data.delete"


@dataclass(frozen=True, slots=True)
class OwnedCount:
    """How much of one kind a person has; `name` is of one of them, `names` of several."""

    number: int
    name: str
    names: str

    @property
    def words(self) -> str:
        """The number with its noun."""
        return f"{self.number:,} {self.name if self.number == 1 else self.names}"


@dataclass(frozen=True, slots=True)
class DataOverview:
    """What a person has here.

    Attributes:
        counts: of every kind there is one of at least.
        deleted_sources: how many sources can still be brought back, which are counted too.
        upload_bytes: of all originals together.
        published_versions: versions of presets that they published, which stay without their name.
    """

    counts: tuple[OwnedCount, ...]
    deleted_sources: int
    upload_bytes: int
    published_versions: int


class LastAdministrator(InputError):
    """The account of the last open administrator is not deleted."""


def overview_of(user: User) -> DataOverview:
    """Count what the person has."""
    of_sources = Source.objects.filter(owner=user)
    counts = (
        OwnedCount(of_sources.count(), "source", "sources"),
        OwnedCount(Workspace.objects.filter(owner=user).count(), "workspace", "workspaces"),
        OwnedCount(Summary.objects.filter(owner=user).count(), "written summary", "written summaries"),
        OwnedCount(Collection.objects.filter(owner=user).count(), "collection", "collections"),
        OwnedCount(EvaluationRun.objects.filter(owner=user).count(), "evaluation", "evaluations"),
        OwnedCount(Report.objects.filter(owner=user).count(), "report", "reports"),
        OwnedCount(PresetProposal.objects.filter(author=user).count(), "preset proposal", "preset proposals"),
        OwnedCount(OwnFormat.objects.filter(owner=user).count(), "format of your own", "formats of your own"),
        OwnedCount(TeamMembership.objects.filter(user=user).count(), "membership of a team", "memberships of teams"),
        OwnedCount(AccessToken.objects.filter(owner=user).count(), "access token", "access tokens"),
    )
    return DataOverview(
        counts=tuple(one for one in counts if one.number),
        deleted_sources=of_sources.filter(deleted_at__isnull=False).count(),
        upload_bytes=of_sources.aggregate(bytes=Sum("size_bytes"))["bytes"] or 0,
        published_versions=PresetVersion.objects.filter(author=user).count(),
    )


@transaction.atomic
def close_for_deletion(user: User) -> Job:
    """Close an account at once, with its sessions, tokens and links, and ask for the deletion of everything it has.

    Raises:
        LastAdministrator: nobody could give roles any more.
    """
    if is_last_administrator(user):
        raise LastAdministrator(
            "You are the last administrator whose account is open: nobody could give roles any more",
            mend="Make somebody else an administrator first",
        )
    record(SecurityEvent.ACCOUNT_DELETION_ASKED, account=user.pk)
    notify_of_change(user, AccountChange.DELETED)
    User.objects.filter(pk=user.pk).update(is_active=False)
    end_sessions(user)
    for token in tokens.tokens_of(user).filter(revoked_at=None):
        tokens.revoke(token)
    for report in reports.reports_of(user).filter(revoked_at=None):
        reports.revoke(report)
    teams.leave_all(user)  # with which ends what is shared with them
    shown = {"owner": user, "shared_with_team": True}
    Workspace.objects.filter(**shown).update(shared_with_team=False)
    Collection.objects.filter(**shown).update(shared_with_team=False)
    for job in Job.objects.filter(owner=user, state__in=UNFINISHED):
        jobs.cancel(job)
    # Nobody's job: it would go with the account before it is done.
    return jobs.enqueue(JOB, arguments={"account": user.pk}, owner=None, subject=f"account:{user.pk}")
