"""What a report of numbers only leaves out: every name, text and reason that could quote the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.config import BudgetConfig, dump_config
from budgeteer.engine.ledger import CATEGORIES
from budgeteer.engine.options import fields
from budgeteer.engine.overlay import get_path, set_path
from budgeteer.reports.document import Document, fingerprint

#: Kinds of configuration values that cannot hold anybody's words.
_NUMERIC_KINDS = frozenset({"int", "percentOrInt", "number", "bool", "choice"})
#: Texts that name a public thing.
_PUBLIC_TEXTS = frozenset({"model"})


def numbers_only(document: Mapping[str, Any]) -> Document:
    """A copy without names, texts and reasons; every number, fate and rule stays."""
    packing = document["packing"]
    names = _item_names(packing["decisions"])
    groups = _numbered((each["group"] for each in packing["decisions"] if each["group"]), "group")
    redacted = dict(packing)
    redacted["decisions"] = [_decision(each, names=names, groups=groups) for each in packing["decisions"]]
    redacted["unknown"] = [{**each, "id": names.get(each["id"], "item")} for each in packing["unknown"]]
    redacted["warnings"] = [{**each, "sentence": _warning_sentence(each), "fix": ""} for each in packing["warnings"]]
    redacted["notes"] = []
    redacted["validity"] = [{**each, "sentence": _validity_sentence(each)} for each in packing["validity"]]
    config = _config(document["config"])
    inputs = enumerate(document["inputs"], start=1)
    return {
        **document,
        # A hash tells nothing new, but it confirms a guess: whoever holds a file could ask whether it was this one.
        "inputs": [{**each, "name": f"source {number}", "sha256": ""} for number, each in inputs],
        "config": config,
        "configSha256": fingerprint(config),
        "packing": redacted,
        "prompt": None,
    }


def _warning_sentence(warning: Mapping[str, Any]) -> str:
    """The warning's figures without what it names (a limit on one file names the file)."""
    figures = f"{warning['used']:,} asked for, {warning['allowed']:,} allowed"
    return f"{warning['limit']} {warning['level']}: {figures} ({warning['percent']:,.1f} %)."


def _item_names(decisions: list[dict[str, Any]]) -> dict[str, str]:
    """By id, a name that says only what kind of item it is and which one of them: `Skills 12`."""
    seen: dict[str, int] = {}
    names: dict[str, str] = {}
    for decision in decisions:
        letter = decision["category"]
        seen[letter] = seen.get(letter, 0) + 1
        names[decision["id"]] = f"{CATEGORIES.get(letter, 'Item')} {seen[letter]}"
    return names


def _numbered(values: Any, word: str) -> dict[str, str]:
    return {value: f"{word} {number}" for number, value in enumerate(dict.fromkeys(values), start=1)}


def _decision(decision: Mapping[str, Any], *, names: Mapping[str, str], groups: Mapping[str, str]) -> dict[str, Any]:
    name = names[decision["id"]]
    saved = decision["before"]["tokens"] - decision["after"]["tokens"]
    kept = decision["fate"] in {"kept", "added"}
    return {
        **decision,
        "id": name,
        "name": name,
        "sentence": "" if kept else f"{decision['fate'].capitalize()} by {decision['rule']}; {saved:,} tokens saved.",
        "group": groups[decision["group"]] if decision["group"] else None,
        "counterfactual": "",
    }


def _validity_sentence(rule: Mapping[str, Any]) -> str:
    return "Holds." if rule["ok"] else "Does not hold."


def _config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with every free text back at its default."""
    defaults = dump_config(BudgetConfig())
    safe = defaults
    for field in fields():
        if field.kind in _NUMERIC_KINDS or field.path in _PUBLIC_TEXTS:
            safe = set_path(safe, field.path, get_path(config, field.path))
    return safe
