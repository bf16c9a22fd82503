"""The interface of presets for other apps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db import transaction
from django.db.models import OuterRef, Subquery

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import AccountRole, role_of
from budgeteer.presets.configuration import full_config, smallest_delta
from budgeteer.presets.models import Preset, PresetVersion
from budgeteer.presets.seeds import DEFAULT_SLUG

type UsageCounter = Callable[[Iterable[str]], Mapping[str, int]]

_usage_counters: list[UsageCounter] = []


def register_usage_counter(counter: UsageCounter) -> None:
    """Let a higher app say how many workspaces follow each preset: slugs in, {slug: number} out."""
    if counter not in _usage_counters:
        _usage_counters.append(counter)


def usage_of(slugs: Iterable[str]) -> dict[str, int] | None:
    """How often each preset is followed, summed over the registered counters; None when nobody counts."""
    if not _usage_counters:
        return None
    wanted = list(slugs)
    totals = dict.fromkeys(wanted, 0)
    for counter in _usage_counters:
        for slug, number in counter(wanted).items():
            totals[slug] = totals.get(slug, 0) + number
    return totals


def current(slug: str) -> PresetVersion:
    """The newest version of a preset.

    Raises:
        PresetVersion.DoesNotExist: if there is no such preset.
    """
    return PresetVersion.objects.select_related("preset").filter(preset__slug=slug).order_by("-number")[:1].get()


def default() -> PresetVersion:
    """The version a new workspace follows: agent-default, else the first preset that is offered.

    Raises:
        PresetVersion.DoesNotExist: if there is no preset at all.
    """
    slugs = list(Preset.objects.filter(is_offered=True).values_list("slug", flat=True))
    return current(DEFAULT_SLUG if DEFAULT_SLUG in slugs or not slugs else slugs[0])


def choices() -> list[PresetVersion]:
    """The newest version of every preset that is offered, in catalogue order."""
    return [version for version in newest_versions() if version.preset.is_offered]


def newest_versions() -> list[PresetVersion]:
    """The newest version of every preset, offered or not, in catalogue order."""
    newest = PresetVersion.objects.filter(preset=OuterRef("preset")).order_by("-number").values("number")[:1]
    rows = PresetVersion.objects.select_related("preset", "author").filter(number=Subquery(newest))
    return list(rows.order_by("preset__position", "preset__slug"))


def versions_of(preset: Preset) -> list[PresetVersion]:
    """Every version of a preset, newest first, with its preset and author."""
    return list(preset.versions.select_related("preset", "author").order_by("-number"))


def config_of(version: PresetVersion) -> dict[str, Any]:
    """The version laid over the engine's defaults, as canonical JSON data.

    Raises:
        ConfigError: if the engine no longer knows a key or a value of it.
    """
    return full_config(version.config)


def may_edit(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this account may publish presets: an administrator with that right in Django's admin."""
    return isinstance(user, User) and role_of(user) is AccountRole.ADMIN and user.has_perm("presets.change_preset")


def publish(
    preset: Preset,
    *,
    config: Mapping[str, Any],
    note: str,
    author: User | None,
    provenance: Mapping[str, Any] | None = None,
) -> PresetVersion:
    """Publish a configuration as the preset's next version; `provenance` has the fields of PresetProvenance.

    Raises:
        ConfigError: if a key or a value cannot be used.
    """
    delta = smallest_delta(config)
    with transaction.atomic():
        locked = Preset.objects.select_for_update().get(pk=preset.pk)
        last = locked.versions.order_by("-number").values_list("number", flat=True).first() or 0
        version = PresetVersion.objects.create(
            preset=locked, number=last + 1, config=delta, note=note, author=author, **(provenance or {})
        )
    by = author.pk if author else None
    record(SecurityEvent.PRESET_PUBLISHED, preset=preset.slug, number=version.number, by=by)
    return version


def roll_back(version: PresetVersion, *, author: User | None) -> PresetVersion:
    """Publish an older version anew, as the newest one.

    Raises:
        ConfigError: if the engine no longer knows a key or a value of it.
    """
    return publish(
        version.preset,
        config=version.config,
        note=f"Back to v{version.number}.",
        author=author,
        provenance=version.provenance,
    )


def offer(preset: Preset, *, wanted: bool, by: User | None) -> None:
    """Offer a preset to new workspaces, or retire it: those that follow it keep it, and nothing is deleted."""
    preset.is_offered = wanted
    preset.save(update_fields=["is_offered"])
    event = SecurityEvent.PRESET_OFFERED if wanted else SecurityEvent.PRESET_RETIRED
    record(event, preset=preset.slug, by=by.pk if by else None)
