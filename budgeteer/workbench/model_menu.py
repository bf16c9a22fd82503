"""The models a workspace may choose, by provider."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.windows import MODELS
from budgeteer.workbench.configuring import Effective


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


def model_groups(current: Effective) -> tuple[ModelGroup, ...]:
    """Every model by provider, the configuration's own chosen."""
    by_provider: dict[str, list[ModelChoice]] = {}
    for row in MODELS.values():
        label = f"{row.name} · {row.context_window:,}"
        by_provider.setdefault(row.provider, []).append(ModelChoice(row.name, label, row.name == current.config.model))
    groups = tuple(ModelGroup(provider, tuple(models)) for provider, models in by_provider.items())
    if current.config.model in MODELS:
        return groups
    own = ModelChoice(current.config.model, current.config.model, is_chosen=True)
    return (ModelGroup("This workspace", (own,)), *groups)
