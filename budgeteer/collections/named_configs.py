"""Configurations as an evaluation takes them: under different names, and without what means one conversation alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import BudgetConfig, load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.allocation import allowance, tokenizer_of
from budgeteer.engine.packing.ledger import unique

#: Settings that name items of one conversation, which mean nothing to others.
_OF_ONE_CONVERSATION: Final[dict[str, list[str]]] = {"pruning.ranges": [], "pins": []}


def named_configs(given: Sequence[tuple[str, dict[str, Any]]]) -> list[NamedConfig]:
    """Names and configurations, canonical JSON data, as they are evaluated; one name twice gets a number.

    Raises:
        ConfigError: one cannot be used; says which.
    """
    names = unique([name for name, _ in given])
    return [NamedConfig(name, _usable(data, name)) for name, (_, data) in zip(names, given, strict=True)]


def on_model(name: str, data: dict[str, Any], model: str) -> tuple[str, dict[str, Any]]:
    """A name and its configuration on another model; "" for its own.

    Raises:
        ConfigError: there is no such model.
    """
    if not model:
        return name, data
    if model not in MODELS:
        raise ConfigError(f"there is no model {model!r}", where="model", mend="Choose one of the list.")
    return f"{name} on {model}", set_path(data, "model", model)


def _usable(data: dict[str, Any], name: str) -> BudgetConfig:
    """The configuration without what names items of one conversation, checked so far as it can be without one."""
    for path, nothing in _OF_ONE_CONVERSATION.items():
        data = set_path(data, path, nothing)
    try:
        config = load_config(data)
        allowance(config, counter_for(tokenizer_of(config)))
    except ConfigError as error:
        raise ConfigError(error.what, where=f"{name}: {error.where}", mend=error.mend) from error
    return config
