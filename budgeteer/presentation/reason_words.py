"""Rules and counterfactuals in the words of the pages: settings by their labels, not by their paths."""

from __future__ import annotations

import re
from typing import Final

from budgeteer.engine.packing.conditions import SKILL_LIMITS, Condition, short_name
from budgeteer.engine.packing.ledger import Reason
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.presentation.labels import SETTINGS, in_sentence, setting_title

#: Paths stand in sentences of the engine, and in the clauses of rooms ("shares.system left 120 tokens for skills").
_PATH: Final = re.compile(r"\b[a-zA-Z]+(?:\.[a-zA-Z]+)*\b")
#: By the names that the engine writes: those of one step are limits on skills and tools, which are no words.
_NAMED: Final = {
    short_name(path): path for path in SETTINGS if "." in short_name(path) or path.startswith(SKILL_LIMITS)
}


def rule_in_words(rule: str) -> str:
    """The name of a rule as words: `called in history` of `calledInHistory`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", rule).lower()


def rule_title(rule: str) -> str:
    """The name of a rule where it stands alone: a setting's by its label, `Newest first` of `newestFirst`."""
    kind, _, provider = rule.partition(":")
    if kind == "validity" and provider in PROVIDERS:
        return f"Provider rules: {PROVIDERS[provider].title}"
    for path in (rule, f"{SKILL_LIMITS}{rule}"):
        if path in SETTINGS:
            return setting_title(path)
    words = rule_in_words(rule.rsplit(".", 1)[-1]).replace(":", ": ")
    return words[:1].upper() + words[1:]


def counterfactual_words(reason: Reason) -> str:
    """What would have changed an item's fate, "" where nothing went."""
    if not reason.conditions:
        return in_labels(reason.otherwise)
    return f"{reason.outcome.value} if {' and '.join(map(_clause, reason.conditions))}."


def in_labels(sentence: str) -> str:
    """A sentence of the engine with the labels of the settings that it names by their paths."""
    return _PATH.sub(lambda found: _label(_NAMED[found[0]]) if found[0] in _NAMED else found[0], sentence)


def _clause(condition: Condition) -> str:
    if not condition.is_setting:
        return in_labels(condition.clause)
    return f"{_label(str(condition.limit))} were at least {condition.at_least:,}"


def _label(path: str) -> str:
    """A label in the middle of a sentence."""
    return in_sentence(SETTINGS[path].label)
