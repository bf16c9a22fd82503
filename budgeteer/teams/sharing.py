"""With whom something is shared: everyone who has an account here, or one team of its owner's; nobody in local mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from budgeteer.engine.errors import InputError
from budgeteer.teams.models import Shareable, Team, TeamMembership


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may look at something besides its owner.

    Attributes:
        through: the owner's membership of the team that may; None for everyone who has an account here.
    """

    through: TeamMembership | None = None

    @property
    def name(self) -> str:
        """What it is called after "shared with"."""
        return self.team or "everyone"

    @property
    def team(self) -> str | None:
        """The name of the team; None for everyone."""
        return self.through.team.name if self.through else None

    @property
    def who(self) -> str:
        """What it is called where it is said what they may do."""
        return f"The members of {self.name}" if self.through else "Everyone who has an account here"

    @property
    def value(self) -> str:
        """What a form calls it: the key of the team, "" for everyone."""
        return str(self.through.team_id) if self.through else ""


EVERYONE: Final = Audience()


def is_team_mode() -> bool:
    """Whether there is anybody to share with."""
    return bool(settings.BUDGETEER_MODE == "team")


def shown_to(user: User) -> Q:
    """Of rows that may be shared, those that are shared with everyone or with a team that the user is in."""
    own_teams = TeamMembership.objects.filter(user_id=user.pk).values("team")
    return Q(shared_with_team=True) | Q(shared_through__team__in=own_teams)


def audience_of(row: Shareable) -> Audience | None:
    """Who may look at it besides its owner; None for nobody."""
    if not is_team_mode():
        return None
    if row.shared_with_team:
        return EVERYONE
    return Audience(row.shared_through) if row.shared_through else None


def audiences_of(user: User) -> tuple[Audience, ...]:
    """With whom the user can share: everyone, and each team that they are in, by name; nothing in local mode."""
    if not is_team_mode():
        return ()
    own = TeamMembership.objects.filter(user_id=user.pk).select_related("team").order_by("team__name_key")
    return (EVERYONE, *map(Audience, own))


def audience_named(user: User, value: str) -> Audience | None:
    """The one of `audiences_of` that a form names so; None where it is none of the user's."""
    return next((one for one in audiences_of(user) if one.value == value), None)


def sharing_words(row: Shareable, *, owner: str) -> str:
    """What a list says of a row: with whom it is shared and, where `owner` names another, by whom; "" for private."""
    audience = audience_of(row)
    if audience is None:
        return ""
    if not owner:
        return f"shared with {audience.name}"
    return f"shared by {owner} with {audience.name}" if audience.through else f"shared by {owner}"


@transaction.atomic
def share_row(row: Shareable, audience: Audience | None) -> dict[str, int]:
    """Let this audience look and no other, or with None nobody; what a security event tells of it.

    Raises:
        InputError: the owner is no longer in the team.
    """
    through = audience.through if audience else None
    if through is not None:
        Team.objects.select_for_update().filter(pk=through.team_id).first()  # so that nobody deletes it meanwhile
        if not TeamMembership.objects.filter(pk=through.pk).exists():
            raise InputError("you are no longer in this team", mend="Share it with another one")
    row.shared_with_team = audience == EVERYONE
    row.shared_through = through
    row.save(update_fields=["shared_with_team", "shared_through"])
    return {"team": through.team_id} if through else {}
