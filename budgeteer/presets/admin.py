"""Presets in Django's admin: saving a changed configuration publishes a new version; history is never rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, override

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from budgeteer.engine.config.options import fields
from budgeteer.presets import services
from budgeteer.presets.forms import PresetForm
from budgeteer.presets.models import PROVENANCE_FIELDS, Preset, PresetVersion

if TYPE_CHECKING:
    _PresetModelAdmin = admin.ModelAdmin[Preset]
    _VersionModelAdmin = admin.ModelAdmin[PresetVersion]
else:  # Django's admin classes are no generics at run time
    _PresetModelAdmin = _VersionModelAdmin = admin.ModelAdmin


@admin.register(Preset)
class PresetAdmin(_PresetModelAdmin):
    """Edits presets through PresetForm."""

    form = PresetForm
    change_form_template = "admin/presets/preset/change_form.html"
    list_display = ("title", "slug", "newest", "is_offered", "position")
    search_fields = ("title", "slug", "description")
    prepopulated_fields = {"slug": ("title",)}
    fieldsets = (
        (None, {"fields": ("title", "slug", "description")}),
        ("Configuration", {"fields": ("config", "note", "based_on")}),
        ("References", {"fields": PROVENANCE_FIELDS}),
        ("In lists", {"fields": ("is_offered", "position")}),
    )

    @admin.display(description="Newest version")
    def newest(self, preset: Preset) -> str:
        """The newest version's number, linked to its page."""
        version = next(iter(services.versions_of(preset)), None)
        return format_html('<a href="{}">v{}</a>', version.get_absolute_url(), version.number) if version else "none"

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Preset | None = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    @override
    def get_prepopulated_fields(self, request: HttpRequest, obj: Preset | None = None) -> dict[str, Any]:
        return {} if obj else dict(self.prepopulated_fields)

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Preset | None = None) -> bool:
        """Nobody deletes a preset: workspaces and reports name it. Stop offering it instead."""
        return False

    @override
    def save_model(self, request: HttpRequest, obj: Preset, form: Any, change: bool) -> None:
        """Save the words, and publish the configuration where it changed."""
        super().save_model(request, obj, form, change)
        if isinstance(form, PresetForm) and form.publishes:
            version = services.publish(
                obj,
                config=form.cleaned_data["config"],
                note=form.cleaned_data["note"] or "First version.",
                author=_author(request),
                provenance=form.provenance,
            )
            messages.success(
                request,
                f"{obj.title} v{version.number} is published. New workspaces use it; existing ones are offered it.",
            )

    @override
    def get_urls(self) -> list[URLPattern]:
        return [
            path(
                "<int:pk>/roll-back/<int:number>/",
                self.admin_site.admin_view(require_POST(self.roll_back)),
                name="presets_preset_roll_back",
            ),
            *super().get_urls(),
        ]

    def roll_back(self, request: HttpRequest, pk: int, number: int) -> HttpResponse:
        """Publish an older version anew."""
        version = get_object_or_404(PresetVersion, preset_id=pk, number=number)
        if not self.has_change_permission(request, version.preset):
            return HttpResponse("You may not change presets.", status=403, content_type="text/plain; charset=utf-8")
        published = services.roll_back(version, author=_author(request))
        self.log_change(request, version.preset, f"Rolled back to v{number} as v{published.number}.")
        messages.success(request, f"Published v{number} again, as v{published.number}.")
        return redirect(reverse("admin:presets_preset_change", args=(pk,)))

    @override
    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        preset = context.get("original")
        context["versions"] = services.versions_of(preset) if preset else []
        context["config_fields"] = fields()
        return super().render_change_form(request, context, *args, **kwargs)


@admin.register(PresetVersion)
class PresetVersionAdmin(_VersionModelAdmin):
    """The history of all presets, to read only."""

    list_display = ("__str__", "note", "author", "created_at")
    list_filter = ("preset",)
    ordering = ("-created_at",)
    fields = ("preset", "number", "config", "note", "author", *PROVENANCE_FIELDS)

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[PresetVersion]:
        return super().get_queryset(request).select_related("preset", "author")

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        """Versions are published from the preset's own page."""
        return False

    @override
    def has_change_permission(self, request: HttpRequest, obj: PresetVersion | None = None) -> bool:
        """A version is written once."""
        return False

    @override
    def has_delete_permission(self, request: HttpRequest, obj: PresetVersion | None = None) -> bool:
        """History is kept."""
        return False


def _author(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None
