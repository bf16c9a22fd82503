"""Teams in Django's admin: made, renamed, deleted. Who is in one is said on its own page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, override

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from budgeteer.teams import services
from budgeteer.teams.forms import NewTeamForm, TeamForm
from budgeteer.teams.models import Team, TeamMembership
from budgeteer.teams.sharing import is_team_mode

if TYPE_CHECKING:
    _TeamModelAdmin = admin.ModelAdmin[Team]
else:  # Django's admin classes are no generics at run time
    _TeamModelAdmin = admin.ModelAdmin


@admin.register(Team)
class TeamAdmin(_TeamModelAdmin):
    """Lists teams with their owners, makes them, gives other names and deletes them."""

    list_display = ("name", "owners", "members", "created_at")
    search_fields = ("name",)
    ordering = ("name_key",)

    @override
    def get_form(self, request: HttpRequest, obj: Team | None = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["form"] = NewTeamForm if obj is None else TeamForm
        return super().get_form(request, obj, change, **kwargs)

    @override
    def get_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        return ("name", "owner") if obj is None else ("name", "members")

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        return () if obj is None else ("members",)

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).prefetch_related("memberships__user")

    @admin.display(description="Owners", empty_value="none")
    def owners(self, team: Team) -> str | None:
        """Who looks after it; None where nobody does whose account is open."""
        owners = (one.user.get_username() for one in _open(team) if one.is_owner)
        return ", ".join(sorted(owners)) or None

    @admin.display(description="Members")
    def members(self, team: Team) -> str:
        """How many there are, linked to the page on which they are added and removed."""
        return format_html('<a href="{}">{}</a>', team.get_absolute_url(), len(team.memberships.all()))

    @override
    def view_on_site(self, obj: Team) -> str:
        return obj.get_absolute_url()

    @override
    def has_module_permission(self, request: HttpRequest) -> bool:
        """Local mode has no teams."""
        return is_team_mode() and super().has_module_permission(request)

    @override
    def save_model(self, request: HttpRequest, obj: Team, form: Any, change: bool) -> None:
        by = cast(User, request.user)
        if not change:
            services.create(obj, owner=form.cleaned_data["owner"], by=by)
        elif "name" in form.changed_data:
            services.rename(obj, by=by)

    @override
    def delete_model(self, request: HttpRequest, obj: Team) -> None:
        services.delete(obj, by=cast(User, request.user))

    @override
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Team]) -> None:
        for team in queryset:
            services.delete(team, by=cast(User, request.user))


def _open(team: Team) -> list[TeamMembership]:
    return [one for one in team.memberships.all() if one.user.is_active]
