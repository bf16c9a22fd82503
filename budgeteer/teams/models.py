"""Teams and who is in them: the rows; and what everything has that may be shared."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

NAME_CHARS = 60
#: More than a folded name takes: no character becomes more than three.
_KEY_CHARS = 3 * NAME_CHARS


def key_of(name: str) -> str:
    """What tells names of teams apart: two that differ in case alone are one."""
    return name.casefold()


class Team(models.Model):
    """Some accounts that things can be shared with. Everyone who has an account is no row: nobody joins or leaves that.

    Attributes:
        name_key: the name without case, by which names are unique.
    """

    name = models.CharField(max_length=NAME_CHARS)
    name_key = models.CharField(max_length=_KEY_CHARS, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name_key",)

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row, with the key of its name."""
        self.name_key = key_of(self.name)
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        """The team's own page."""
        return reverse("teams:detail", kwargs={"team_id": self.pk})


class TeamMembership(models.Model):
    """One account in one team."""

    class Role(models.TextChoices):
        """What a member may do: an owner also says who else is in the team."""

        MEMBER = "member", "Member"
        OWNER = "owner", "Owner"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="team_memberships")
    role = models.CharField(max_length=16, choices=Role, default=Role.MEMBER)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("team", "user"), name="teams_member_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"

    @property
    def is_owner(self) -> bool:
        """Whether it is an owner's."""
        return self.role == self.Role.OWNER


class Shareable(models.Model):
    """Something that its owner may let others look at, in team mode (sharing.py says who).

    Attributes:
        shared_with_team: whether everyone who has an account here may look. Its column is older than teams are, and
            means what it meant: processes of an earlier version read and write it during an upgrade.
        shared_through: its owner's membership of the one team that may look; None for none. Sharing ends with the
            membership, whichever way that ends. An earlier version knows nothing of it, and takes the row for private.
    """

    shared_with_team = models.BooleanField(default=False, db_default=False)
    shared_through = models.ForeignKey(
        TeamMembership, on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )

    class Meta:
        abstract = True
