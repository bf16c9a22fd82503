"""The configuration of a workspace as one value: the preset it stands on, what is changed, and what both come to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Self

from budgeteer.engine.config.overlay import delta_between, get_path, merge, set_path, unset_path
from budgeteer.engine.config.schema import BudgetConfig, config_errors, dump_config, load_config
from budgeteer.engine.config.size_limits import size_error
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.allocation import Allowance, allowance, tokenizer_of
from budgeteer.lru import LruCache
from budgeteer.presets import services as presets
from budgeteer.presets.models import Preset, PresetVersion
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.starting_choices import named_model_of, settle_preset, starting_model


class UnusableConfig(ConfigError):
    """The configuration a workspace holds cannot be used: an earlier version took what this one does not."""

    def __init__(self, workspace: Workspace, error: ConfigError) -> None:
        self.workspace = workspace
        super().__init__(error.what, where=error.where, mend=error.mend)


@dataclass(frozen=True, slots=True)
class EditableConfig:
    """A configuration with its origin. Its methods give another one; nothing is saved.

    Attributes:
        version: the preset version it stands on.
        base: that preset's whole configuration, canonical JSON data.
        delta: what is changed of it, as a workspace stores it.
        data: both together, canonical JSON data.
        config: the same, validated.
        named_model: the model that the workspace's conversation names, "" for none.
    """

    version: PresetVersion
    base: Mapping[str, Any]
    delta: Mapping[str, Any]
    data: Mapping[str, Any]
    config: BudgetConfig
    named_model: str = ""

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """The configuration of a workspace as it is saved.

        Raises:
            UnusableConfig: what the workspace holds cannot be used.
        """
        try:
            return cls._over(preset_of(workspace), workspace.config_delta, named_model=named_model_of(workspace))
        except ConfigError as error:
            raise UnusableConfig(workspace, error) from error

    @classmethod
    def of_preset(cls, delta: Mapping[str, Any]) -> Self:
        """A preset's own configuration: what it changes of the engine's defaults, which stand as version 0.

        Raises:
            ConfigError: a key or a value cannot be used.
        """
        return cls._over(PresetVersion(preset=Preset(title="Defaults"), number=0), delta, named_model="")

    @classmethod
    def _over(cls, version: PresetVersion, delta: Mapping[str, Any], *, named_model: str) -> Self:
        base = _base_of(version, named_model=named_model)
        config = load_config(merge(base, delta))
        return cls(version, base, delta, dump_config(config), config, named_model)

    @property
    def has_named_model(self) -> bool:
        """Whether the model is the one that the conversation names, and nobody chose another."""
        started = starting_model(self.named_model)
        is_chosen = "model" in self.version.config or "model" in self.delta
        return bool(started) and not is_chosen and self.data["model"] == started

    def _changed(self, delta: Mapping[str, Any]) -> Self:
        config = load_config(merge(self.base, delta))
        return replace(self, delta=delta, data=dump_config(config), config=config)

    @property
    def key(self) -> str:
        """The preset version as a form names it: `slug@number`."""
        return version_key(self.version)

    def value(self, path: str) -> Any:
        """The value at a path, None where it is not set."""
        return get_path(self.data, path)

    def preset_value(self, path: str) -> Any:
        """The preset's value at a path, None where it is not set."""
        return get_path(self.base, path)

    def is_overridden(self, path: str) -> bool:
        """Whether the value at a path differs from the preset's."""
        return bool(self.value(path) != self.preset_value(path))

    def is_given_by_preset(self, path: str, value: int) -> bool:
        """Whether a number is what the preset's own comes to: a share of the budget, a window that it leaves open.

        Raises:
            ConfigError: the value, or the preset's, cannot stand beside the other changes.
        """
        held = self.preset_value(path)
        if held == value:
            return True
        room = _room(self.without(path).config)
        match path, held:
            case "contextWindow", _:
                # A window beyond what the model takes as input leaves no more of it.
                then = _room(self.with_value(path, value).config)
                return (room.input_budget, room.output_reserve) == (then.input_budget, then.output_reserve)
            case "outputReserve", None:
                return room.output_reserve == value
            case _, str():
                return room.tokens(held) == value
        return False

    def origin_of(self, path: str) -> str:
        """Where the value at a path comes from: "default", "preset"; "" where it was set here, or is none."""
        value = self.value(path)
        if value is None or self.is_overridden(path):
            return ""
        return "default" if value == get_path(_defaults(), path) else "preset"

    def with_value(self, path: str, value: object) -> Self:
        """The configuration with one value changed.

        Raises:
            ConfigError: there is no such path, or the configuration with it cannot be packed with.
        """
        return self.with_values({path: value})

    def with_values(self, values: Mapping[str, object]) -> Self:
        """The configuration with the values at these paths changed together.

        Raises:
            ConfigError: there is no such path, or the configuration with them cannot be packed with.
        """
        data: Mapping[str, Any] = self.data
        for path, value in values.items():
            data = set_path(data, path, value)
        return self.holding(data)

    def holding(self, data: Mapping[str, Any]) -> Self:
        """The configuration that comes to this canonical data.

        Raises:
            ConfigError: it cannot be packed with.
        """
        check_usable(data)
        return self._changed(delta_between(self.base, data))

    def without(self, path: str) -> Self:
        """The configuration with one path back at its preset's value.

        Raises:
            ConfigError: there is no such path, or the rest of the changes cannot stand without it.
        """
        set_path(self.data, path, None)
        return self._changed(unset_path(self.delta, path))

    def with_delta(self, changes: Mapping[str, Any]) -> Self:
        """The preset with these changes and no others; of a whole configuration, what differs is kept.

        Raises:
            ConfigError: a key or a value cannot be used.
        """
        check_usable(changes)
        whole = dump_config(load_config(merge(self.base, changes)))
        check_usable(whole)
        return self._changed(delta_between(self.base, whole))

    def standing_on(self, delta: Mapping[str, Any]) -> Self:
        """The same preset with changes that a workspace held earlier.

        Raises:
            ConfigError: they cannot be used with it.
        """
        return self._changed(delta)

    def on(self, version: PresetVersion) -> Self:
        """The same changes on another preset version.

        Raises:
            ConfigError: they cannot be used with it.
        """
        return self._over(version, self.delta, named_model=self.named_model)


def preset_of(workspace: Workspace) -> PresetVersion:
    """The version the workspace stands on; where there is none of that number, the newest of its preset.

    A workspace whose preset is still open is put on the one for its sources first, so that whoever asks gets the same
    one: a page, a report or another program.
    """
    settle_preset(workspace)
    own = PresetVersion.objects.select_related("preset").filter(
        preset__slug=workspace.preset_slug, number=workspace.preset_number or 0
    )
    if (chosen := own.order_by("pk").first()) is not None:
        return chosen
    try:
        return presets.current(workspace.preset_slug)
    except PresetVersion.DoesNotExist:
        return presets.default()


def version_key(version: PresetVersion) -> str:
    """A version as a form names it: `slug@number`."""
    return f"{version.preset.slug}@{version.number}"


def check_usable(data: Mapping[str, Any]) -> None:
    """Refuse a configuration that cannot be packed with.

    Raises:
        ConfigError: the first thing that is wrong, with its path.
    """
    errors = config_errors(data)
    if errors:
        raise errors[0]
    if refused := size_error(data):
        raise refused
    _room(load_config(data))


def _room(config: BudgetConfig) -> Allowance:
    return allowance(config, counter_for(tokenizer_of(config)))


@cache
def _defaults() -> dict[str, Any]:
    return dump_config(BudgetConfig())


#: Presets that workspaces of one process stand on; each request of a workspace asks for its own.
_bases: Final[LruCache[Mapping[str, Any]]] = LruCache(200)


def _base_of(version: PresetVersion, *, named_model: str) -> Mapping[str, Any]:
    """The configuration of a workspace that changes nothing of a version, canonical JSON data.

    Its model is the one that its conversation names, unless the preset names one or it is none of ours.
    """

    def make() -> Mapping[str, Any]:
        base = presets.config_of(version)
        started = starting_model(named_model)
        return set_path(base, "model", started) if started and "model" not in version.config else base

    return _bases.get((json.dumps(version.config), named_model), make)


def base_of_workspace(workspace: Workspace) -> Mapping[str, Any]:
    """What a workspace changes: its preset's whole configuration, with the model that its conversation names."""
    return _base_of(preset_of(workspace), named_model=named_model_of(workspace))
