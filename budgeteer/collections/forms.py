"""The form of an evaluation: which configurations, on which models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.http import QueryDict

from budgeteer.collections.named_configs import named_configs, on_model
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.overlay import merge
from budgeteer.engine.errors import BudgeteerError, ConfigError
from budgeteer.presets import configuration
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace

#: Rows of the form; a typed configuration comes on top.
SIDES: Final = 4
#: Workspaces whose configuration the form offers, the last changed first.
WORKSPACES_OFFERED: Final = 30
DEFAULTS: Final = "defaults"


@dataclass(frozen=True, slots=True)
class ConfigChoice:
    """A configuration that may be chosen: its value in the form, and its title."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """Choices of one kind under their title."""

    title: str
    choices: tuple[ConfigChoice, ...]


@dataclass(frozen=True, slots=True)
class SideFields:
    """One row of the form as it is shown; `letter` names it."""

    letter: str
    config: str
    model: str


@dataclass(frozen=True, slots=True)
class EvaluationForm:
    """What somebody asks to be evaluated.

    Attributes:
        sides: one for each row. typed: a configuration as JSON, "" for none.
        keeps_duplicates: whether conversations that occur more than once are counted each time.
        replays_sessions: whether every request of each conversation is replayed.
        problem: why it cannot be evaluated, "" where it can.
    """

    sides: tuple[SideFields, ...]
    typed: str = ""
    keeps_duplicates: bool = False
    replays_sessions: bool = False
    problem: str = ""

    @property
    def has_more_sides(self) -> bool:
        """Whether anything is chosen beside the first two."""
        return any(side.config or side.model for side in self.sides[2:])


def choices_for(user: User) -> tuple[ChoiceGroup, ...]:
    """Every configuration that this user may evaluate: presets, and those of their own workspaces."""
    offered = [ConfigChoice(DEFAULTS, "Defaults")]
    offered += [ConfigChoice(f"preset:{one.preset.slug}", one.preset.title) for one in presets.choices()]
    own = workbench.live(user)[:WORKSPACES_OFFERED]
    groups = [ChoiceGroup("Presets", tuple(offered))]
    if found := tuple(ConfigChoice(f"workspace:{one.pk}", one.name) for one in own):
        groups.append(ChoiceGroup("Configurations of your workspaces", found))
    return tuple(groups)


def empty_form() -> EvaluationForm:
    """The form before anything is chosen: the default preset on its own model."""
    first = f"preset:{presets.default().preset.slug}"
    return EvaluationForm(tuple(SideFields("ABCD"[at], first if not at else "", "") for at in range(SIDES)))


def read_form(user: User, data: QueryDict) -> tuple[EvaluationForm, list[NamedConfig]]:
    """The fields `config`, `model` (one each a row), `typed`, `duplicates` and `replay` of a POST, with what they say.

    The form's `problem` says what cannot be used; there are no configurations then.
    """
    configs, models = data.getlist("config"), data.getlist("model")
    sides = tuple(SideFields("ABCD"[at], _at(configs, at), _at(models, at)) for at in range(SIDES))
    form = EvaluationForm(sides, data.get("typed", ""), bool(data.get("duplicates")), bool(data.get("replay")))
    try:
        return form, _named(user, form)
    except BudgeteerError as error:
        sentence = str(getattr(error, "sentence", error))
        return replace(form, problem=sentence), []


def _at(values: Sequence[str], place: int) -> str:
    return values[place] if place < len(values) else ""


def _named(user: User, form: EvaluationForm) -> list[NamedConfig]:
    found: list[tuple[str, dict[str, Any]]] = []
    for side in form.sides:
        if side.config:
            name, data = _chosen_config(user, side.config)
            found.append(on_model(name, data, side.model))
    if form.typed.strip():
        data = configuration.full_config(configuration.read_object(form.typed))
        found.append(("Pasted configuration", data))
    if not found:
        raise ConfigError("no configuration is chosen", mend="Choose one in row A.")
    return named_configs(found)


def _chosen_config(user: User, value: str) -> tuple[str, dict[str, Any]]:
    """A choice's name and configuration, canonical JSON data."""
    kind, _, key = value.replace("\0", "?").partition(":")
    match kind:
        case "defaults":
            return "Defaults", configuration.full_config({})
        case "preset":
            try:
                version = presets.current(key)
            except PresetVersion.DoesNotExist:
                raise _no_choice(value) from None
            return f"{version.preset.title} v{version.number}", presets.config_of(version)
        case "workspace":
            workspace = _workspace(user, key)
            if workspace is None:
                raise _no_choice(value)
            editable = EditableConfig.of(workspace)
            return workspace.name, merge({}, editable.data)
        case _:
            raise _no_choice(value)


def _workspace(user: User, key: str) -> Workspace | None:
    try:
        return workbench.of(user, UUID(key))
    except ValueError:
        return None


def _no_choice(value: str) -> ConfigError:
    return ConfigError(f"there is no configuration {value!r}", where="configuration", mend="Choose one of the list.")
