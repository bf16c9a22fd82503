"""The catalogue of presets and the page of one version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from budgeteer.access.rules import access
from budgeteer.presets import services
from budgeteer.presets.configuration import ChangeGroup, changes_between, config_text, differences_from_defaults
from budgeteer.presets.models import Preset, PresetVersion


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One preset of the catalogue. `used_by` is None where nobody counts."""

    version: PresetVersion
    differences: tuple[ChangeGroup, ...]
    is_default: bool
    used_by: int | None


@access()
@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """Every preset with what it changes."""
    versions = services.newest_versions()
    usage = services.usage_of(version.preset.slug for version in versions)
    default_pk = services.default().pk if versions else None
    rows = [
        CatalogueRow(
            version=version,
            differences=differences_from_defaults(version.config),
            is_default=version.pk == default_pk,
            used_by=None if usage is None else usage[version.preset.slug],
        )
        for version in versions
    ]
    return render(
        request, "presets/list.html", {"rows": rows, "can_edit": request.user.has_perm("presets.change_preset")}
    )


@access()
@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One version: its configuration, its note, and what it changed."""
    preset = get_object_or_404(Preset, slug=slug)
    return render(request, "presets/version.html", _version_context(request, preset, number))


def _version_context(request: HttpRequest, preset: Preset, number: int) -> dict[str, Any]:
    versions = services.versions_of(preset)
    shown = next((each for each in versions if each.number == number), None)
    if shown is None:
        raise Http404(f"{preset.slug} has no v{number}")
    previous = next((each for each in versions if each.number < number), None)
    full = services.config_of(shown)
    return {
        "preset": preset,
        "version": shown,
        "previous": previous,
        "newest": versions[0],
        "versions": versions,
        "differences": differences_from_defaults(shown.config),
        "changes": changes_between(services.config_of(previous), full) if previous else (),
        "delta_text": config_text(shown.config),
        "full_text": config_text(full),
        "usage": services.usage_of([preset.slug]),
        "can_edit": request.user.has_perm("presets.change_preset"),
    }
