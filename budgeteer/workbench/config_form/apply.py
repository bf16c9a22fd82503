"""Apply posted form values to a configuration: what is valid, where each value comes from, what was rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.config.options import Field, fields
from budgeteer.engine.config.overlay import delta_between, get_path, merge, set_path, unset_path
from budgeteer.engine.config.schema import BudgetConfig, config_errors, dump_config, load_config
from budgeteer.engine.config.size_limits import size_error
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import BudgeteerError, ConfigError
from budgeteer.engine.packing.allocation import allowance, tokenizer_of
from budgeteer.engine.packing.ledger import Decision
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.starting_model import named_model_of, starting_model

#: Leaves that are set on items (in the inspector), not in the form.
ITEM_PATHS = frozenset({"skillsBudget.policies", "pins", "pruning.ranges"})


class UnusableConfig(ConfigError):
    """The configuration a workspace holds cannot be used: an earlier version took what this one does not."""

    def __init__(self, workspace: Workspace, error: ConfigError) -> None:
        self.workspace = workspace
        super().__init__(error.what, where=error.where, mend=error.mend)


@dataclass(frozen=True, slots=True)
class Effective:
    """What a workspace's configuration comes to.

    Attributes:
        version: the preset version it stands on.
        base: that preset's whole configuration, canonical JSON data.
        delta: what the workspace changes.
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

    def is_overridden(self, path: str) -> bool:
        """Whether the workspace's own value differs from the preset's."""
        return bool(get_path(self.data, path) != get_path(self.base, path))


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What a post asks for.

    Attributes:
        delta: the new delta: every value that could be used.
        errors: by path, why a value could not; its field keeps what it had.
        refused: by path, the text that was refused, to be shown again.
    """

    delta: dict[str, Any]
    errors: Mapping[str, ConfigError]
    refused: Mapping[str, str]


def preset_of(workspace: Workspace) -> PresetVersion:
    """The version the workspace stands on; where there is none of that number, the newest of its preset."""
    own = PresetVersion.objects.select_related("preset").filter(
        preset__slug=workspace.preset_slug, number=workspace.preset_number or 0
    )
    if (chosen := own.first()) is not None:
        return chosen
    try:
        return presets.current(workspace.preset_slug)
    except PresetVersion.DoesNotExist:
        return presets.default()


def base_of(version: PresetVersion, *, named_model: str) -> dict[str, Any]:
    """The configuration of a workspace that changes nothing of a version, canonical JSON data.

    Its model is the one that its conversation names, unless the preset names one or it is none of ours.
    """
    base = presets.config_of(version)
    started = starting_model(named_model)
    return set_path(base, "model", started) if started and "model" not in version.config else base


def effective(workspace: Workspace, delta: Mapping[str, Any] | None = None) -> Effective:
    """The configuration of a workspace, or of the workspace with another delta.

    Raises:
        UnusableConfig: what the workspace holds cannot be used.
        ConfigError: the other delta cannot be used with its preset.
    """
    version = preset_of(workspace)
    named = named_model_of(workspace)
    base = base_of(version, named_model=named)
    own = workspace.config_delta if delta is None else delta
    try:
        config = load_config(merge(base, own))
    except ConfigError as error:
        if delta is None:
            raise UnusableConfig(workspace, error) from error
        raise
    return Effective(version=version, base=base, delta=own, data=dump_config(config), config=config, named_model=named)


def form_fields() -> tuple[Field, ...]:
    """Every leaf that the form shows, in schema order."""
    return tuple(field for field in fields() if field.path not in ITEM_PATHS)


def apply_posted(current: Effective, posted: Mapping[str, str]) -> ConfigChange:
    """The delta after a post of `path -> text`; each value stands or falls by itself."""
    known = {field.path: field for field in form_fields()}
    data: dict[str, Any] = dict(current.data)
    errors: dict[str, ConfigError] = {}
    refused: dict[str, str] = {}
    for path, text in posted.items():
        try:
            field = known.get(path)
            value = _parsed(field, text) if field else text
            candidate = set_path(data, path, value)
            if get_path(candidate, path) != get_path(data, path):
                check_usable(candidate)
                data = candidate
        except ConfigError as error:
            errors[path] = error
            refused[path] = text
    return ConfigChange(delta=delta_between(current.base, data), errors=errors, refused=refused)


def version_key(version: PresetVersion) -> str:
    """A version as a form names it: `slug@number`."""
    return f"{version.preset.slug}@{version.number}"


def changed_since(seen: str, current: Effective, posted: Mapping[str, str]) -> dict[str, str]:
    """Of a whole form that showed another version of the preset, only the values that were changed in it.

    `seen` is that version's key. Every other value is the old preset's and would become an override nobody asked for.
    A version nobody knows showed nothing that could be compared: then nothing of the form is taken.
    """
    slug, _, number = seen.partition("@")
    numbered = PresetVersion.objects.filter(number=int(number)) if number.isdecimal() and len(number) < 10 else None
    version = numbered.filter(preset__slug=slug.replace("\0", "?")).first() if numbered is not None else None
    if version is None:
        return {}
    shown = dump_config(load_config(merge(base_of(version, named_model=current.named_model), current.delta)))
    known = {field.path: field for field in form_fields()}
    return {
        path: text
        for path, text in posted.items()
        if path not in known or _parsed(known[path], text) != get_path(shown, path)
    }


def without(current: Effective, path: str) -> dict[str, Any]:
    """The delta with one path back at its preset's value.

    Raises:
        ConfigError: if the configuration has no such path.
    """
    set_path(current.data, path, None)
    return unset_path(current.delta, path)


def with_policy(current: Effective, decision: Decision, policy: str) -> dict[str, Any]:
    """The delta with one skill's policy; "auto" takes its entry away, or is written where the preset has another.

    Raises:
        ConfigError: there is no such policy.
    """
    policies = dict(get_path(current.data, "skillsBudget.policies") or {})
    policies.pop(decision.name, None)
    if policy != "auto" or decision.name in (get_path(current.base, "skillsBudget.policies") or {}):
        policies[decision.name] = policy
    return _replaced(current, "skillsBudget.policies", policies)


def with_pin(current: Effective, decision: Decision, *, wanted: bool) -> dict[str, Any]:
    """The delta with an item pinned or not: a skill by its policy, anything else by its id."""
    if decision.section == "skills":
        return with_policy(current, decision, "pinned" if wanted else "auto")
    pins = [pin for pin in get_path(current.data, "pins") or [] if pin != decision.id]
    return _replaced(current, "pins", [*pins, decision.id] if wanted else pins)


def _replaced(current: Effective, path: str, value: object) -> dict[str, Any]:
    data = set_path(current.data, path, value)
    check_usable(data)
    return delta_between(current.base, data)


def delta_of(current: Effective, data: Mapping[str, Any]) -> dict[str, Any]:
    """The delta that makes `data` (a whole configuration or a part of one) of the workspace's preset.

    Raises:
        ConfigError: if a key or a value cannot be used.
    """
    check_usable(data)
    whole = dump_config(load_config(merge(current.base, data)))
    check_usable(whole)
    return delta_between(current.base, whole)


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
    config = load_config(data)
    allowance(config, counter_for(tokenizer_of(config)))


def error_parts(error: BudgeteerError) -> dict[str, str]:
    """Any error of the engine as the parts the pages show."""
    if isinstance(error, ConfigError):
        return error.to_json()
    sentence = str(getattr(error, "sentence", error))
    return {"what": sentence, "where": "", "mend": "", "sentence": sentence}


def _parsed(field: Field, text: str) -> Any:
    plain = text.strip()
    if not plain and field.nullable:
        return None
    match field.kind:
        case "bool":
            return plain in {"on", "true", "1"}
        case "int":
            return _number(plain.removesuffix("%"), whole=True)
        case "number":
            return _number(plain, whole=False)
        case "percentOrInt":
            return plain.replace(" ", "") if plain.endswith("%") else _number(plain, whole=True)
        case "list":
            return [entry.strip() for entry in plain.split(",") if entry.strip()]
        case "text":
            return plain
        case _:
            return plain


def _number(text: str, *, whole: bool) -> int | float | str:
    """The number a text says, separators read past; the text itself where it is none, for the schema to refuse."""
    bare = text.replace(",", "").replace(" ", "").replace(" ", "").replace("_", "")
    try:
        number = float(bare)
    except ValueError:
        return text
    if not whole:
        return number
    return int(number) if number.is_integer() else number
