"""The model menu, grouped by provider."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.models.registry import MODELS
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.starting_choices import starting_model

#: The heading of the model that the conversation names.
RECORDED = "Of the conversation"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model of the picker."""

    name: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """The models of one provider."""

    provider: str
    models: tuple[ModelChoice, ...]


def model_note(current: EditableConfig) -> str:
    """What is to be said of the model that the conversation names, "" where it is used or somebody chose another."""
    named, model = current.named_model, current.config.model
    if not named or current.is_overridden("model") or starting_model(named) == model:
        return ""
    if not starting_model(named):
        return f"The conversation names “{named}”, which is no model known here: {model} is used until you choose one."
    return f"The conversation names “{named}”; the preset names {model}."


def model_groups(current: EditableConfig) -> tuple[ModelGroup, ...]:
    """Every model by provider, the one that the conversation names first, the configuration's own chosen."""
    recorded = starting_model(current.named_model)
    by_provider: dict[str, list[ModelChoice]] = {RECORDED: []} if recorded in MODELS else {}
    for row in MODELS.values():
        label = f"{row.name} · {row.context_window:,}"
        group = RECORDED if row.name == recorded else row.maker
        by_provider.setdefault(group, []).append(ModelChoice(row.name, label, row.name == current.config.model))
    groups = tuple(ModelGroup(provider, tuple(models)) for provider, models in by_provider.items())
    if current.config.model in MODELS:
        return groups
    own = ModelChoice(current.config.model, current.config.model, is_chosen=True)
    return (ModelGroup("This workspace", (own,)), *groups)
