"""Two configurations of presets, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.analysis.compare.differences import differences
from budgeteer.engine.config.schema import BudgetConfig, load_config
from budgeteer.presentation.labels import wording
from budgeteer.presentation.setting_values import value_text
from budgeteer.presets.configuration import full_config


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting that differs, with both values as they are printed."""

    path: str
    title: str
    before: str
    after: str


def setting_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[SettingChange, ...]:
    """Every setting in which two deltas over the engine's defaults differ, in the order of the schema.

    Raises:
        ConfigError: one of them cannot be used.
    """
    found = differences(_loaded(before), _loaded(after))
    return tuple(
        SettingChange(one.path, wording(one.path).label, value_text(one.a), value_text(one.b)) for one in found
    )


def _loaded(delta: Mapping[str, Any]) -> BudgetConfig:
    return load_config(full_config(delta))
