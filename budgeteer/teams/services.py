"""Make teams, and say who is in them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import AccountRole, role_of
from budgeteer.engine.errors import InputError
from budgeteer.teams.models import Team, TeamMembership

Role = TeamMembership.Role


class LastOwner(InputError):
    """The last owner of a team neither leaves it nor becomes a member."""


class ChangedMeanwhile(InputError):
    """What somebody else did at the same time left nothing to do, or nobody to do it."""


def teams_seen_by(user: User) -> QuerySet[Team]:
    """The teams that the user is in, and all where they may manage all; each with `members_count`, by name."""
    teams = (
        Team.objects.all()
        if manages_all(user)
        else Team.objects.filter(pk__in=TeamMembership.objects.filter(user_id=user.pk).values("team"))
    )
    return teams.annotate(members_count=Count("memberships"))


def team_seen_by(user: User, team_id: int) -> Team | None:
    """The team of that key, None when there is none or the user has nothing to do with it."""
    return teams_seen_by(user).filter(pk=team_id).first()


def manages_all(user: User) -> bool:
    """Whether the user looks after every team: an administrator. A right outlives the role, and opens nothing alone."""
    return role_of(user) is AccountRole.ADMIN and user.has_perm("teams.change_team")


def manages(user: User, team: Team) -> bool:
    """Whether the user says who is in the team: its owners and administrators."""
    return manages_all(user) or _owners(team).filter(user_id=user.pk).exists()


def members_of(team: Team) -> QuerySet[TeamMembership]:
    """Who is in the team, by user name."""
    return team.memberships.select_related("user").order_by("user__username")


def is_last_owner(membership: TeamMembership) -> bool:
    """Whether nobody else whose account is open owns the team."""
    return membership.is_owner and not _owners(membership.team).exclude(pk=membership.pk).exists()


@transaction.atomic
def create(team: Team, *, owner: User, by: User) -> None:
    """Write a new team with its first owner."""
    team.save()
    record(SecurityEvent.TEAM_CREATED, team=team.pk, by=by.pk)
    _add(team, owner, Role.OWNER, by=by)


def rename(team: Team, *, by: User) -> None:
    """Write a team that was given another name."""
    team.save()
    record(SecurityEvent.TEAM_RENAMED, team=team.pk, by=by.pk)


@transaction.atomic
def delete(team: Team, *, by: User) -> None:
    """Delete a team; what was shared with it is its owners' alone again."""
    Team.objects.select_for_update().filter(pk=team.pk).first()  # nobody shares with it meanwhile
    record(SecurityEvent.TEAM_DELETED, team=team.pk, by=by.pk)
    team.delete()


@transaction.atomic
def add(team: Team, username: str, *, by: User) -> TeamMembership:
    """Put the account of that user name into the team, as a member.

    Raises:
        InputError: nobody whose account is open is called so, or they are in it.
        ChangedMeanwhile: the team is gone, or is no longer this user's to manage.
    """
    _lock(team.pk, by=by)
    user = User.objects.filter(username=username, is_active=True).first() if "\0" not in username else None
    if user is None:
        raise InputError("no open account has this user name", mend="Ask the person what they sign in with")
    if team.memberships.filter(user=user).exists():
        raise InputError("this person is in the team already")
    return _add(team, user, Role.MEMBER, by=by)


@transaction.atomic
def set_role(membership: TeamMembership, role: str, *, by: User) -> None:
    """Make an owner of a member, or a member of an owner.

    Raises:
        LastOwner: nobody would own the team.
        ChangedMeanwhile: they are no longer in the team, or it is no longer this user's to manage.
    """
    _read_anew(membership, by=by)
    if role != Role.OWNER:
        _refuse_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    about = {"team": membership.team_id, "account": membership.user_id, "by": by.pk}
    record(SecurityEvent.TEAM_ROLE_SET, role=role, **about)


@transaction.atomic
def remove(membership: TeamMembership, *, by: User) -> None:
    """Take somebody out of the team: what others share with it is theirs no more to see, nor is what they share there.

    Raises:
        LastOwner: nobody would own the team.
        ChangedMeanwhile: they are no longer in the team, or it is no longer this user's to manage.
    """
    _read_anew(membership, by=None if membership.user_id == by.pk else by)
    _refuse_last_owner(membership)
    _remove(membership, by=by)


def leave_all(user: User) -> None:
    """Take an account that is being deleted out of its teams, out of those too whose last owner it is."""
    for membership in TeamMembership.objects.filter(user=user).order_by("team"):
        Team.objects.select_for_update().filter(pk=membership.team_id).first()  # nobody shares with it meanwhile
        _remove(membership, by=user)


def _add(team: Team, user: User, role: TeamMembership.Role, *, by: User) -> TeamMembership:
    made = TeamMembership.objects.create(team=team, user=user, role=role)
    record(SecurityEvent.TEAM_MEMBER_ADDED, team=team.pk, account=user.pk, role=str(role), by=by.pk)
    return made


def _remove(membership: TeamMembership, *, by: User) -> None:
    record(SecurityEvent.TEAM_MEMBER_REMOVED, team=membership.team_id, account=membership.user_id, by=by.pk)
    membership.delete()


def _owners(team: Team) -> QuerySet[TeamMembership]:
    """Those who own the team and whose accounts are open."""
    return team.memberships.filter(role=Role.OWNER, user__is_active=True)


def _lock(team_id: int, *, by: User | None) -> None:
    """Lock a team, so that two owners cannot leave at once, and ask anew whether `by` manages it; None needs not."""
    team = Team.objects.select_for_update().filter(pk=team_id).first()
    if team is None:
        raise ChangedMeanwhile("the team was deleted meanwhile")
    if by is not None and not manages(by, team):
        raise ChangedMeanwhile("you no longer own this team")


def _read_anew(membership: TeamMembership, *, by: User | None) -> None:
    _lock(membership.team_id, by=by)
    role = TeamMembership.objects.filter(pk=membership.pk).values_list("role", flat=True).first()
    if role is None:
        raise ChangedMeanwhile("this person is no longer in the team")
    membership.role = role


def _refuse_last_owner(membership: TeamMembership) -> None:
    if is_last_owner(membership):
        raise LastOwner("a team needs an owner, and there is no other", mend="Make somebody else an owner first")
