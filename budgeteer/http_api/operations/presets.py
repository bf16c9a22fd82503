"""Presets and their versions."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Path, Router

from budgeteer.http_api.routing import ApiSchema, route
from budgeteer.presets import services
from budgeteer.presets.models import PresetVersion
from budgeteer.tokens.scopes import Scope

router = Router()

#: The largest number that a column of version numbers holds.
_MOST = 2**31 - 1


class PresetOut(ApiSchema):
    """A preset and the number of its newest version."""

    slug: str
    title: str
    description: str
    is_offered: bool
    newest_version: int


class PresetListOut(ApiSchema):
    """Every preset, in the order of the catalogue."""

    items: list[PresetOut]


class VersionRowOut(ApiSchema):
    """One version of a preset, without its configuration."""

    number: int
    note: str
    author: str | None
    created_at: datetime


class VersionListOut(ApiSchema):
    """Every version of a preset, newest first."""

    preset: PresetOut
    items: list[VersionRowOut]


class ProvenanceOut(ApiSchema):
    """Where its numbers come from."""

    harness: str
    harness_version: str
    source_url: str
    checked_on: date | None


class VersionOut(VersionRowOut):
    """One version: `config` is the whole configuration, `changes` what it changes of the defaults."""

    slug: str
    config: dict[str, Any]
    changes: dict[str, Any]
    provenance: ProvenanceOut


@route(router, "GET", "/presets", scope=Scope.PRESETS_READ, response=PresetListOut)
def list_presets(request: HttpRequest) -> PresetListOut:  # noqa: ARG001 - the same for everybody
    """List every preset with its newest version."""
    return PresetListOut(items=[_preset(version) for version in services.newest_versions()])


@route(router, "GET", "/presets/{slug:slug}", scope=Scope.PRESETS_READ, response=VersionListOut)
def get_preset(request: HttpRequest, slug: str) -> VersionListOut:  # noqa: ARG001 - as above
    """List the versions of a preset."""
    try:
        newest = services.current(slug)
    except PresetVersion.DoesNotExist:
        raise Http404 from None
    rows = [VersionRowOut(**_row(version)) for version in services.versions_of(newest.preset)]
    return VersionListOut(preset=_preset(newest), items=rows)


@route(
    router,
    "GET",
    "/presets/{slug:slug}/versions/{int:number}",
    scope=Scope.PRESETS_READ,
    response=VersionOut,
)
def get_preset_version(
    request: HttpRequest,  # noqa: ARG001 - as above
    slug: str,
    number: Annotated[int, Path(ge=1, le=_MOST)],
) -> VersionOut:
    """Read a version with its configuration."""
    version = PresetVersion.objects.select_related("preset", "author").filter(preset__slug=slug, number=number).first()
    if version is None:
        raise Http404
    return VersionOut(
        **_row(version),
        slug=slug,
        config=services.config_of(version),
        changes=version.config,
        provenance=ProvenanceOut(**version.provenance),
    )


def _preset(newest: PresetVersion) -> PresetOut:
    preset = newest.preset
    return PresetOut(
        slug=preset.slug,
        title=preset.title,
        description=preset.description,
        is_offered=preset.is_offered,
        newest_version=newest.number,
    )


def _row(version: PresetVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "note": version.note,
        "author": version.author.get_username() if version.author else None,
        "created_at": version.created_at,
    }
