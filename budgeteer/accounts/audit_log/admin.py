"""The audit log in Django's admin: read, filtered by event and day, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, override

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from budgeteer.access.audit import SecurityEvent
from budgeteer.accounts.audit_log.entries import NOT_KEPT
from budgeteer.accounts.models import AuditEntry

if TYPE_CHECKING:
    _EntryAdmin = admin.ModelAdmin[AuditEntry]
    _EventFilter = admin.SimpleListFilter
else:  # Django's admin classes are no generics at run time
    _EntryAdmin, _EventFilter = admin.ModelAdmin, admin.SimpleListFilter


class EventFilter(_EventFilter):
    """By what was done: a closed set, so that no row is read to offer it."""

    title = "event"
    parameter_name = "event"

    @override
    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[AuditEntry]) -> list[tuple[str, str]]:
        return [(str(event), str(event).capitalize()) for event in SecurityEvent if event not in NOT_KEPT]

    @override
    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        known = {value for value, _ in self.lookup_choices}
        return queryset.filter(event=self.value()) if self.value() in known else queryset


class DayFilter(admin.DateFieldListFilter):
    """By the day on which it was done, called so: the column is named by what it holds."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.title = "day"

    @override
    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Those of the day; a time beyond the ends of the calendar is refused as anything else that is no time."""
        found = cast("QuerySet[AuditEntry]", super().queryset(request, queryset))
        try:
            found.query.sql_with_params()
        except OverflowError as error:
            raise IncorrectLookupParameters(error) from None
        return found


@admin.register(AuditEntry)
class AuditEntryAdmin(_EntryAdmin):
    """Every kept event, the newest first. Accounts are named as they are called now; a deleted one by its number."""

    list_display = ("at", "what", "who", "whom", "details")
    list_filter = (EventFilter, ("at", DayFilter))
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("about",)
    search_help_text = "The id of a workspace, report, collection or token, or the name of a preset"
    ordering = ("-at", "-pk")
    fields = ("at", "what", "who", "whom", "details")

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody writes here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - as above
        """Nobody changes anything here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - as above
        """Nobody deletes here; entries go after AUDIT_DAYS."""
        return False

    @override
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list under its own name: there is nothing in it to be selected."""
        return super().changelist_view(request, {"title": "Audit log", **(extra_context or {})})

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        return super().get_queryset(request).annotate(who_name=_name("by_id"), whom_name=_name("account_id"))

    @admin.display(description="Event", ordering="event")
    def what(self, entry: AuditEntry) -> str:
        """What was done."""
        return entry.event.capitalize()

    @admin.display(description="By")
    def who(self, entry: AuditEntry) -> str:
        """Who did it."""
        return _shown(entry.by_id, entry.who_name)  # type: ignore[attr-defined]  # annotated above

    @admin.display(description="Account")
    def whom(self, entry: AuditEntry) -> str:
        """Whose account it was done to."""
        return _shown(entry.account_id, entry.whom_name)  # type: ignore[attr-defined]  # as above

    @admin.display(description="Details")
    def details(self, entry: AuditEntry) -> str:
        """Ids, numbers, roles and names of fields."""
        return ", ".join(f"{name}: {_value(value)}" for name, value in entry.about.items())


def _name(column: str) -> Subquery:
    return Subquery(User.objects.filter(pk=OuterRef(column)).values("username")[:1])


def _shown(pk: int | None, name: str | None) -> str:
    if pk is None:
        return "-"
    return name if name is not None else f"deleted account {pk}"


def _value(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
