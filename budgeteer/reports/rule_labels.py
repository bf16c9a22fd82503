"""What each rule takes, in a clause; the rule's own name stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from budgeteer.engine.packing.conditions import short_name
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.presentation.labels import LEVEL_WORDS, LIMIT_TITLES, uncharged_text

#: By rule or by the part of it before a colon.
_CLAUSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "maxSkillsPromptChars": "skills past the character limit",
        "maxSkillsPromptTokens": "skills past the token limit",
        "maxSkillsInPrompt": "skills past the number that may stand in the prompt",
        "maxSkillFileBytes": "skills whose file is too large",
        "maxToolDefinitionChars": "tools past the character limit",
        "tools.leaveOut": "tools left out by name",
        "compress": "messages that a block stands for",
        "minifyResults": "white space of tool results",
        "optimization": "boilerplate in descriptions, home folders in paths",
        "fallback": "descriptions: name and location stay",
        "disable-model-invocation": "skills that only people call by name",
        "policy:off": "skills whose policy is off",
        "policy:nameOnly": "descriptions: name and location stay",
        **{row.name: row.takes for row in STRATEGIES.values()},
        "searchTopK": "chunks past the number that may stand in the prompt",
        "startOn": "messages before the first of a role that may begin the history",
        "endOn": "messages after the last of a role that may end it",
        "topicAnchor": "the oldest message but for its opening",
        "validity": "what the provider would refuse",
        "retry": "what the fallback steps gave up",
    }
)


def warning_title(warning: Mapping[str, Any]) -> str:
    """Which limit a warning of a report is about and how it stands: `History tokens: demand above the limit.`"""
    limit, level = str(warning["limit"]), warning["level"]
    title = LIMIT_TITLES.get(short_name(limit), limit)
    return f"{title}: {LEVEL_WORDS.get(level, level)}."


def warning_figures(warning: Mapping[str, Any], packing: Mapping[str, Any]) -> str:
    """What was requested and what is allowed, and what of the section's demand is not charged to the limit."""
    used, allowed = warning["used"], warning["allowed"]
    history = sum(one["demand"]["tokens"] for one in packing["sections"] if one["name"] == "history")
    rest = uncharged_text(str(warning["limit"]), used, history)
    return f"{used:,} requested, {allowed:,} allowed ({warning['percent']:,.1f} %). {rest}".rstrip()


def what_went(rule: str) -> str:
    """A clause for a rule, "" where its name says it all."""
    for name in (rule, rule.rsplit(".", 1)[-1], rule.split(":", 1)[0]):
        if name in _CLAUSES:
            return _CLAUSES[name]
    return ""
