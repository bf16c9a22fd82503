"""From posted form values to a configuration, and what was refused of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.config.options import Field, fields
from budgeteer.engine.errors import BudgeteerError, ConfigError
from budgeteer.engine.packing.ledger import Decision
from budgeteer.presets.models import PresetVersion
from budgeteer.workbench.config_form.editable import EditableConfig

POLICIES = "skillsBudget.policies"

#: What the name of every input of the configuration begins with; its path follows.
NAME_PREFIX = "config."

#: Leaves that are set on items (in the inspector), not in the form.
ITEM_PATHS = frozenset({POLICIES, "pins", "pruning.ranges"})


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What a post asks for.

    Attributes:
        config: the configuration with every value that could be used.
        errors: by path, why a value could not; its field keeps what it had.
        refused: by path, the text that was refused, to be shown again.
    """

    config: EditableConfig
    errors: Mapping[str, ConfigError]
    refused: Mapping[str, str]


def form_fields() -> tuple[Field, ...]:
    """Every leaf that the form shows, in schema order."""
    return tuple(field for field in fields() if field.path not in ITEM_PATHS)


def input_name(path: str) -> str:
    """The name of the input that sets a path."""
    return f"{NAME_PREFIX}{path}"


def path_of_input(name: str) -> str | None:
    """The path that an input of this name sets, None for an input that is none of the configuration's."""
    return name.removeprefix(NAME_PREFIX) if name.startswith(NAME_PREFIX) else None


def apply_posted(current: EditableConfig, posted: Mapping[str, str]) -> ConfigChange:
    """The configuration after a post of `path -> text`; each value stands or falls by itself."""
    known = {field.path: field for field in form_fields()}
    changed = current
    errors: dict[str, ConfigError] = {}
    refused: dict[str, str] = {}
    for path, text in posted.items():
        field = known.get(path)
        value = _parsed(field, text) if field else text
        try:
            if field is None or value != changed.value(path):
                changed = changed.with_value(path, value)
        except ConfigError as error:
            errors[path] = error
            refused[path] = text
    return ConfigChange(changed, errors=errors, refused=refused)


def changed_since(seen: str, current: EditableConfig, posted: Mapping[str, str]) -> dict[str, str]:
    """Of a whole form that showed another version of the preset, only the values that were changed in it.

    `seen` is that version's key. Every other value is the old preset's and would become an override nobody asked for.
    A version nobody knows showed nothing that could be compared: then nothing of the form is taken.
    """
    slug, _, number = seen.partition("@")
    numbered = PresetVersion.objects.filter(number=int(number)) if number.isdecimal() and len(number) < 10 else None
    version = numbered.filter(preset__slug=slug.replace("\0", "?")).first() if numbered is not None else None
    if version is None:
        return {}
    shown = current.on(version)
    known = {field.path: field for field in form_fields()}
    return {
        path: text
        for path, text in posted.items()
        if path not in known or _parsed(known[path], text) != shown.value(path)
    }


def with_policy(current: EditableConfig, decision: Decision, policy: str) -> EditableConfig:
    """One skill's policy changed; "auto" takes its entry away, or is written where the preset has another.

    Raises:
        ConfigError: there is no such policy.
    """
    policies = dict(current.value(POLICIES) or {})
    policies.pop(decision.name, None)
    if policy != "auto" or decision.name in (current.preset_value(POLICIES) or {}):
        policies[decision.name] = policy
    return current.with_value(POLICIES, policies)


def with_pin(current: EditableConfig, decision: Decision, *, wanted: bool) -> EditableConfig:
    """An item pinned or not: a skill by its policy, anything else by its id."""
    if decision.section == "skills":
        return with_policy(current, decision, "pinned" if wanted else "auto")
    pins = [pin for pin in current.value("pins") or [] if pin != decision.id]
    return current.with_value("pins", [*pins, decision.id] if wanted else pins)


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
