"""The configuration panel: the configuration as JSON, and a pasted one that was rejected."""

from __future__ import annotations

import json
from dataclasses import dataclass

from budgeteer.engine.config.options import fields
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.config_form.editable import EditableConfig


@dataclass(frozen=True, slots=True)
class ConfigView:
    """The configuration as JSON, and what was pasted in vain."""

    sentence: str
    preset: str
    delta: str
    whole: str
    pasted: str = ""
    error: str = ""


def config_view(current: EditableConfig, *, pasted: str = "", error: str = "") -> ConfigView:
    """What the configuration view prints of a configuration; `pasted` was refused because of `error`."""
    version = current.version
    changed = sum(current.is_overridden(field.path) for field in fields())
    count = count_of(changed, "setting") if changed else "nothing"
    return ConfigView(
        sentence=f"{count} beyond preset {version.preset.title} v{version.number}",
        preset=f"{version.preset.title} v{version.number}",
        delta=json.dumps(current.delta, indent=2, ensure_ascii=False),
        whole=json.dumps(current.data, indent=2, ensure_ascii=False),
        pasted=pasted,
        error=error,
    )
