"""What each rule takes, in a clause; the rule's own name stands beside it."""

from __future__ import annotations

from types import MappingProxyType

#: By rule or by the part of it before a colon.
_CLAUSES = MappingProxyType(
    {
        "maxSkillsPromptChars": "skills past the character limit",
        "maxSkillsPromptTokens": "skills past the token limit",
        "maxSkillsInPrompt": "skills past the number that may stand in the prompt",
        "maxSkillFileBytes": "skills whose file is too large",
        "maxToolDefinitionChars": "tools past the character limit",
        "optimization": "boilerplate in descriptions, home folders in paths",
        "fallback": "descriptions: name and location stay",
        "disable-model-invocation": "skills that only people call by name",
        "policy:off": "skills whose policy is off",
        "policy:nameOnly": "descriptions: name and location stay",
        "newestFirst": "messages older than what fits",
        "summarizeOlder": "older messages, replaced by a summary",
        "validity": "what the provider would refuse",
        "retry": "what the retry ladder gave up",
    }
)


def what_went(rule: str) -> str:
    """A clause for a rule, "" where its name says it all."""
    for name in (rule, rule.rsplit(".", 1)[-1], rule.split(":", 1)[0]):
        if name in _CLAUSES:
            return _CLAUSES[name]
    return ""
