"""Figures beside the form's headings, and the ranges of its sliders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

import numpy as np

from budgeteer.engine.config.size_limits import is_no_limit
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.ledger import DROPPED, SECTIONS
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.verdict_text import Bound
from budgeteer.workbench.config_form.editable import EditableConfig


def summaries_of(current: EditableConfig, packing: Packing | None) -> Mapping[str, str]:
    """By group, one short figure: what of it fits, or what is set."""
    config = current.config
    figures = {
        "features": config.features.mode,
        "retry": "on" if config.retry.enabled else "off",
        "system": config.system.placement,
        "shares": "on" if config.shares.enabled else "off",
    }
    if packing is None:
        return figures
    figures["model"] = f"limit {packing.verdict.limit_tokens:,}"
    libraries = {"skillsBudget": "skills", "tools": "tools", "retrieval": "retrieval"}
    if config.features.mode == "search":
        libraries["features"] = "features"
    for group, section in libraries.items():
        kept, asked = _kept(packing, section)
        if asked:
            figures[group] = f"{kept:,} of {asked:,} fit" if kept < asked else f"all {asked:,} fit"
    figures["history"] = _history(packing)
    return figures


#: The group whose settings raise what leaves items out; pins and policies of single items have none.
_GROUP_OF: Final[Mapping[Bound, str]] = {
    Bound.HISTORY: "history",
    Bound.INPUT_BUDGET: "model",
    Bound.RETRY: "retry",
    Bound.SKILLS: "skillsBudget",
    Bound.TOOLS: "tools",
    Bound.FEATURES: "features",
    Bound.RETRIEVAL: "retrieval",
    Bound.SHARES: "shares",
    Bound.LEFT_OUT_TOOLS: "tools",
}


def binding_groups(packing: Packing) -> frozenset[str]:
    """The groups whose settings leave something out, as the verdict names them."""
    return frozenset(_GROUP_OF[bound] for bound in packing.verdict.limits if bound in _GROUP_OF)


def ceilings_of(packing: Packing) -> Mapping[str, int]:
    """By path, what its section asks for, in the setting's own unit."""
    ledger = packing.ledger
    ceilings: dict[str, int] = {}
    for section in packing.sections:
        if section.name == "skills":
            ceilings["skillsBudget.limits.maxSkillsPromptChars"] = section.demand.size.chars
            ceilings["skillsBudget.limits.maxSkillsInPrompt"] = section.demand.items
        elif section.name == "tools":
            ceilings["skillsBudget.limits.maxToolDefinitionChars"] = section.demand.size.chars
        elif section.name == "history":
            ceilings["history.maxTokens"] = section.demand.size.tokens
            ceilings["history.maxChars"] = section.demand.size.chars
    turns = int(np.count_nonzero(ledger.section == SECTIONS.index("history")))
    ceilings["history.keepUserTurns"] = min(20, turns)
    return ceilings


def _history(packing: Packing) -> str:
    """What history takes of its limit in the limit's own unit, or how many messages stay."""
    section = next((section for section in packing.sections if section.name == "history"), None)
    if section is None or not section.demand.items:
        return packing.config.history.strategy
    limit = STRATEGIES[packing.config.history.strategy].limit
    match limit.unit if limit is not None else None:
        case "tokens" if section.limit_tokens is not None and not is_no_limit(section.limit_tokens):
            return f"{section.after.size.tokens:,} / {section.limit_tokens:,}"
        case "characters" if section.limit_chars is not None and not is_no_limit(section.limit_chars):
            # No limit of what is sent: above it, older messages are summarised.
            return f"{section.after.size.chars:,} chars, summarised above {section.limit_chars:,}"
        case "tokens" | "characters" | "messages" | None:
            kept, asked = _kept(packing, "history")
            return f"{kept:,} of {asked:,} stay" if kept < asked else f"all {asked:,} stay"
        case other:
            assert_never(other)


def _kept(packing: Packing, section: str) -> tuple[int, int]:
    """How many items of a section are sent, and how many there are."""
    mine = packing.ledger.section == SECTIONS.index(section)
    asked = int(np.count_nonzero(mine & (packing.ledger.before_tokens > 0)))
    gone = int(np.count_nonzero(mine & (packing.ledger.fate == DROPPED)))
    return asked - gone, asked
