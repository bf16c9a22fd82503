"""The preset menu of a workspace, with a newer version of its current preset."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import BudgeteerError
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.pack import pack
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.workbench.config_form.editable import EditableConfig, version_key
from budgeteer.workbench.config_form.fields import FieldChoice
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.warnings.effects import effect_of
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.summary_store import stored_summaries


@dataclass(frozen=True, slots=True)
class PresetOffer:
    """A newer version of the workspace's preset: what a form posts to take it, its number, and what it comes to.

    `effect` is a clause, "" where it cannot be told without a job.
    """

    value: str
    version: PresetVersion
    effect: str


def preset_choices(current: EditableConfig) -> tuple[FieldChoice, ...]:
    """The newest version of every preset that is offered; the one in force first where it is not among them."""
    own = current.key
    choices = [
        FieldChoice(version_key(version), f"{version.preset.title} · v{version.number}", version_key(version) == own)
        for version in presets.newest_versions()
        if version.preset.is_offered or version.preset_id == current.version.preset_id
    ]
    if not any(choice.is_chosen for choice in choices):
        label = f"{current.version.preset.title} · v{current.version.number}"
        choices.insert(0, FieldChoice(own, label, is_chosen=True))
    return tuple(choices)


def preset_offer(workspace: Workspace, current: EditableConfig, packed: Packed | None) -> PresetOffer | None:
    """The newest version of the workspace's preset where it stands on an older one by nobody's wish, else None."""
    newest = presets.current(current.version.preset.slug)
    if newest.number <= max(current.version.number, workspace.declined_number):
        return None
    key = version_key(newest)
    if packed is None:
        return PresetOffer(key, newest, "")
    if key not in packed.preset_effects:
        packed.preset_effects[key] = _effect(workspace, current, newest, packed)
    return PresetOffer(key, newest, packed.preset_effects[key])


def _effect(workspace: Workspace, current: EditableConfig, newest: PresetVersion, packed: Packed) -> str:
    """What the workspace comes to on another version; "" where it would be counted anew, or a summary is missing."""
    packing = packed.packing
    try:
        config = current.on(newest).config
        if tokenizer_of(config) != packing.bundle.tokenizer:
            return ""
        counter = counter_for(packing.bundle.tokenizer)
        then = pack(packing.bundle, config, counter=counter, summarise=stored_summaries(workspace.owner_id))
    except BudgeteerError:
        return ""
    return effect_of(packing, then)
