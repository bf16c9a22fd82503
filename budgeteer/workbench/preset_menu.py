"""The presets a workspace may stand on, as its form offers them."""

from __future__ import annotations

from budgeteer.presets import services as presets
from budgeteer.workbench.configuring import Effective
from budgeteer.workbench.fieldset import Choice
from budgeteer.workbench.models import Workspace


def preset_choices(workspace: Workspace, current: Effective) -> tuple[Choice, ...]:
    """Every preset that is offered, and the one in force where it is not; a version that is stayed on stands first."""
    slug, number = workspace.preset_slug, workspace.preset_number
    choices = [
        Choice(
            version.preset.slug,
            f"{version.preset.title} · v{version.number}",
            version.preset.slug == slug and number in {None, version.number},
        )
        for version in presets.newest_versions()
        if version.preset.is_offered or version.preset.slug == slug
    ]
    if not any(choice.is_chosen for choice in choices):
        label = f"{current.version.preset.title} · stays on v{current.version.number}"
        choices.insert(0, Choice(f"{slug}@{current.version.number}", label, is_chosen=True))
    return tuple(choices)
