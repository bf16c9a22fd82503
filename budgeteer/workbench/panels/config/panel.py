"""The configuration as JSON, what was pasted in vain, and the texts that go with pruning and search."""

from __future__ import annotations

import json
from dataclasses import dataclass

from budgeteer.engine.config.options import fields
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.calibrating import CalibrationView, calibration_view
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.config_form.merging import config_mark
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.prompt.model_texts import PromptText, prompt_texts


@dataclass(frozen=True, slots=True)
class ConfigView:
    """The configuration as JSON, what was pasted in vain, how counts are calibrated, and texts for the model."""

    sentence: str
    preset: str
    delta: str
    whole: str
    texts: tuple[PromptText, ...]
    mark: str
    calibration: CalibrationView
    pasted: str = ""
    error: str = ""


def config_view(workspace: Workspace, current: EditableConfig, *, pasted: str = "", error: str = "") -> ConfigView:
    """What the configuration view prints of a configuration; `pasted` was refused because of `error`."""
    version = current.version
    changed = sum(current.is_overridden(field.path) for field in fields())
    count = count_of(changed, "setting") if changed else "nothing"
    return ConfigView(
        sentence=f"{count} beyond preset {version.preset.title} v{version.number}",
        preset=f"{version.preset.title} v{version.number}",
        delta=json.dumps(current.delta, indent=2, ensure_ascii=False),
        whole=json.dumps(current.data, indent=2, ensure_ascii=False),
        texts=prompt_texts(current.config.texts),
        mark=config_mark(current),
        calibration=calibration_view(workspace, current),
        pasted=pasted,
        error=error,
    )
