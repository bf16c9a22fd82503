"""The configuration of a workspace as a preset can have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from budgeteer.engine.config.overlay import get_path, merge, unset_path
from budgeteer.presets import services as presets
from budgeteer.presets.configuration import smallest_delta
from budgeteer.presets.models import PresetVersion
from budgeteer.presets.version_diff import SettingChange, setting_changes
from budgeteer.workbench.config_form.editable import preset_of
from budgeteer.workbench.models import Workspace

#: What names single messages of the workspace's own conversation, so that it means nothing in another.
OWN_PATHS: Final = ("pins", "pruning.ranges")


@dataclass(frozen=True, slots=True)
class PresetSettings:
    """What a workspace would give a preset.

    Attributes:
        version: the version it stands on.
        config: a delta over the engine's defaults.
        changes: what differs from that version.
        left_out: the settings of OWN_PATHS that the workspace has, which stay behind.
        names_skills: whether policies of single skills go along, by their names.
    """

    version: PresetVersion
    config: dict[str, Any]
    changes: tuple[SettingChange, ...]
    left_out: tuple[str, ...]
    names_skills: bool


def settings_of(workspace: Workspace) -> PresetSettings:
    """The workspace's preset with the workspace's changes, without what belongs to its conversation alone.

    A model that only the conversation named stays out: the preset goes on following the conversation.

    Raises:
        ConfigError: preset and changes together cannot be used.
    """
    version = preset_of(workspace)
    delta = dict(workspace.config_delta)
    left_out = tuple(path for path in OWN_PATHS if get_path(delta, path))
    for path in OWN_PATHS:
        delta = unset_path(delta, path)
    before = presets.config_of(version)
    config = smallest_delta(merge(before, delta))
    return PresetSettings(
        version=version,
        config=config,
        changes=setting_changes(before, config),
        left_out=left_out,
        names_skills=bool(get_path(config, "skillsBudget.policies")),
    )
