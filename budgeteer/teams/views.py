"""The pages of teams: those that one is in, and one of them with its members."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access
from budgeteer.accounts import throttling
from budgeteer.engine.errors import InputError
from budgeteer.presentation.labels import count_of
from budgeteer.teams import services
from budgeteer.teams.models import Team, TeamMembership
from budgeteer.teams.sharing import is_team_mode


@dataclass(frozen=True, slots=True)
class TeamRow:
    """One team of the list; `role` is the reader's in it, "" for none."""

    team: Team
    role: str
    members: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One member of a team.

    Attributes:
        full_name: "" where the account has none.
        is_reader: whether it is who reads the page.
        is_last_owner: whether they can neither leave nor become a member.
    """

    membership: TeamMembership
    username: str
    full_name: str
    is_reader: bool
    is_last_owner: bool


@access()
@never_cache
@require_safe
def list_teams(request: SignedInRequest) -> HttpResponse:
    """The teams that the reader is in; to an administrator all."""
    _refuse_local_mode()
    own = {one.team_id: one for one in TeamMembership.objects.filter(user=request.user)}
    rows = [
        TeamRow(team, own[team.pk].get_role_display() if team.pk in own else "", _members(team))
        for team in services.teams_seen_by(request.user)
    ]
    return render(request, "teams/list.html", {"rows": rows})


@access()
@never_cache
@require_safe
def detail(request: SignedInRequest, team_id: int) -> HttpResponse:
    """Who is in a team; to those who manage it with what they can do about it."""
    return _page(request, get_team_for_user(request.user, team_id))


@access(write=AccountRole.VIEWER)
@require_POST
def add(request: SignedInRequest, team_id: int) -> HttpResponse:
    """Put somebody into the team."""
    team = get_team_to_manage(request.user, team_id)
    username = request.POST.get("username", "").strip()
    try:
        attempts = throttling.count_user_name(request.user.pk)
    except throttling.TooManyAttempts as refusal:
        wait = (
            f"Too many user names that no account has. Wait {throttling.waiting_time(refusal.seconds)}, then try again."
        )
        page = _page(request, team, status=HTTPStatus.TOO_MANY_REQUESTS, problem=wait, typed=username)
        page["Retry-After"] = str(refusal.seconds)
        return page
    try:
        made = services.add(team, username, by=request.user)
    except InputError as refusal:
        return _page(request, team, status=HTTPStatus.UNPROCESSABLE_ENTITY, problem=refusal.sentence, typed=username)
    attempts.succeeded()
    messages.success(request, f"{made.user.get_username()} is in the team now.")
    return redirect(team)


@access(write=AccountRole.VIEWER)
@require_POST
def set_role(request: SignedInRequest, team_id: int, membership_id: int) -> HttpResponse:
    """Make an owner of a member, or with `role=member` a member of an owner."""
    team = get_team_to_manage(request.user, team_id)
    membership = _member(team, membership_id)
    role = services.Role.OWNER if request.POST.get("role") == services.Role.OWNER else services.Role.MEMBER
    try:
        services.set_role(membership, role, by=request.user)
    except InputError as refusal:
        messages.error(request, refusal.sentence)
    else:
        name = membership.user.get_username()
        messages.success(request, f"{name} is {'an owner' if role == services.Role.OWNER else 'a member'} now.")
    return redirect(team)


@access(write=AccountRole.VIEWER)
@require_POST
def remove(request: SignedInRequest, team_id: int, membership_id: int) -> HttpResponse:
    """Take somebody out of the team, or leave it."""
    team = get_team_for_user(request.user, team_id)
    membership = _member(team, membership_id)
    is_reader = membership.user_id == request.user.pk
    if not is_reader and not services.manages(request.user, team):
        raise PermissionDenied
    try:
        services.remove(membership, by=request.user)
    except InputError as refusal:
        messages.error(request, refusal.sentence)
        return redirect(team)
    if not is_reader:
        messages.success(request, f"{membership.user.get_username()} is no longer in the team.")
        return redirect(team)
    messages.success(request, f"You left {team.name}.")
    return redirect("teams:list")


def get_team_for_user(user: User, team_id: int) -> Team:
    """A team that the user is in, or manages as an administrator; for anybody else it does not exist.

    Raises:
        Http404: it does not exist for them, or in local mode.
    """
    _refuse_local_mode()
    return found_or_404(services.team_seen_by(user, team_id), "team")


def get_team_to_manage(user: User, team_id: int) -> Team:
    """A team whose members the user may add and remove.

    Raises:
        Http404: it does not exist for them.
        PermissionDenied: they are in it and do not own it.
    """
    team = get_team_for_user(user, team_id)
    if not services.manages(user, team):
        raise PermissionDenied
    return team


def _member(team: Team, membership_id: int) -> TeamMembership:
    return found_or_404(services.members_of(team).filter(pk=membership_id).first(), "member")


def _page(
    request: SignedInRequest, team: Team, *, status: int = 200, problem: str = "", typed: str = ""
) -> HttpResponse:
    members = list(services.members_of(team))
    owners = {one.pk for one in members if one.is_owner and one.user.is_active}
    context = {
        "team": team,
        "rows": [
            MemberRow(
                one,
                one.user.get_username(),
                one.user.get_full_name(),
                one.user_id == request.user.pk,
                one.is_owner and not owners - {one.pk},
            )
            for one in members
        ],
        "members": _members(team),
        "can_manage": services.manages(request.user, team),
        "problem": problem,
        "typed": typed,
    }
    return render(request, "teams/detail.html", context, status=status)


def _members(team: Team) -> str:
    return count_of(getattr(team, "members_count", 0), "member")


def _refuse_local_mode() -> None:
    if not is_team_mode():
        raise Http404("There are no teams in local mode")
