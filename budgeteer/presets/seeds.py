"""The presets that ship with Budgeteer.

They are planted after every `migrate` where their slug is missing, and never touched again: what an admin publishes
stays. Each configuration is a delta over the engine's defaults; the values are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connections, transaction

from budgeteer.presets.models import Preset, PresetVersion

DEFAULT_SLUG = "agent-default"


@dataclass(frozen=True, slots=True)
class Seed:
    """One shipped preset."""

    slug: str
    title: str
    description: str
    config: dict[str, Any]


SEEDS = (
    Seed(
        slug=DEFAULT_SLUG,
        title="Agent session",
        description="For coding agents: the skills budget is on, and history keeps the newest messages that fit.",
        config={"skillsBudget": {"enabled": True}, "history": {"strategy": "newestFirst"}},
    ),
    Seed(
        slug="skills-library",
        title="Skills library",
        description="For fitting many skills: on, sorted by name, with home folders in paths cut to ~/.",
        config={
            "skillsBudget": {
                "enabled": True,
                "optimization": {"compactPaths": True, "prioritization": "alphabetical"},
            }
        },
    ),
    Seed(
        slug="plain",
        title="Plain",
        description="Every rule is off: only what the window cannot hold is left out, the oldest turns first.",
        config={},
    ),
    Seed(
        slug="long-agent-run",
        title="Long agent run",
        description="For runs of hundreds of calls: the task and the newest messages stay, a notice between them.",
        config={"skillsBudget": {"enabled": True}, "history": {"strategy": "keepEnds"}},
    ),
)


def plant(*, using: str) -> None:
    """Create the shipped presets that are missing from the database named `using`."""
    tables = connections[using].introspection.table_names()
    if "presets_presetversion" not in tables:  # migrated back to zero
        return
    with transaction.atomic(using=using):
        known = set(Preset.objects.using(using).values_list("slug", flat=True))
        for position, seed in enumerate(SEEDS, start=1):
            if seed.slug in known:
                continue
            preset = Preset.objects.using(using).create(
                slug=seed.slug, title=seed.title, description=seed.description, position=position
            )
            PresetVersion.objects.using(using).create(
                preset=preset, number=1, config=seed.config, note="Shipped with Budgeteer."
            )
