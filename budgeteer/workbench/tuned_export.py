"""Export the result of tuning: what is kept, what was shortened and how, the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.counting.shortening import minify_description
from budgeteer.engine.packing.result import Packing
from budgeteer.workbench.config_form.editable import EditableConfig

#: What the seed's `skillsBudget` holds; the other keys of ours are extensions.
SEED_KEYS = ("enabled", "limits", "optimization", "warnings")


def tuned(packing: Packing, current: EditableConfig, edits: Mapping[str, str]) -> dict[str, Any]:
    """`{config, skillsBudget, kept, shortened, edits}`, as plain data.

    `kept` lists what is sent in prompt order, tokens as sent; `shortened` the skills whose description is sent in
    fewer characters, with the text that is sent; `edits` the owner's own wordings by item.
    """
    return {
        "config": current.data,
        "skillsBudget": seed_shaped(current),
        "kept": [
            {"id": one.id, "section": one.section, "name": one.name, "tokens": one.after.tokens}
            for one in packing.ledger
            if one.fate in {"kept", "truncated"}
        ],
        "shortened": _shortened(packing),
        "edits": dict(edits),
    }


def seed_shaped(current: EditableConfig) -> dict[str, Any]:
    """The skills budget in the keys of the seed document, without our extensions."""
    budget = current.data["skillsBudget"]
    shaped = {key: budget[key] for key in SEED_KEYS}
    shaped["limits"] = {key: value for key, value in budget["limits"].items() if key != "maxSkillsPromptTokens"}
    return shaped


def _shortened(packing: Packing) -> list[dict[str, str]]:
    budget = packing.config.skills_budget
    if not (budget.enabled and budget.optimization.minify_descriptions):
        return []
    fit = packing.chosen.skills
    kept = [packing.bundle.skills[row] for row in fit.sequence if fit.kept[row]]
    short = [(skill, minify_description(skill.description)) for skill in kept]
    return [
        {"path": skill.path, "name": skill.name, "description": text}
        for skill, text in short
        if len(text) < len(skill.description)
    ]
