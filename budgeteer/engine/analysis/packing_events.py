"""What a packing did, as structured events for a log: figures and names of rules, never texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from budgeteer.engine.packing.history.view import HistoryRule
from budgeteer.engine.packing.ledger import FATES, SECTIONS
from budgeteer.engine.packing.pruning.automatic import RULES
from budgeteer.engine.packing.pruning.pruned import Pruned
from budgeteer.engine.packing.result import Packing


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event: its name, and fields that are numbers, names of rules or names of settings."""

    name: str
    fields: Mapping[str, Any]


def events_of(packing: Packing) -> tuple[LogEvent, ...]:
    """The events of one packing in the order things happened.

    `pruned` where pruning is on; `truncated` for each section of which something was left out or shortened; `searched`
    where feature specs were searched; `packed` always, last.
    """
    found = [] if packing.pruned is None else [_pruning(packing, packing.pruned)]
    found += [event for name in SECTIONS if (event := _truncation(packing, name)) is not None]
    if (search := _search(packing)) is not None:
        found.append(search)
    return (*found, _packed(packing))


def _pruning(packing: Packing, pruned: Pruned) -> LogEvent:
    """The blocks that stand, what they stand for, and by strategy how many messages were shortened."""
    strategies = {RULES[strategy]: int((pruned.shortened.strategy == strategy).sum()) for strategy in RULES}
    return LogEvent(
        "pruned",
        {
            "mode": packing.config.pruning.mode,
            "blocks": len(pruned.blocks),
            "covered": int((pruned.cover > 0).sum()),
            "earlier": pruned.compressed.earlier,
            "summary_tokens": pruned.compressed.tokens,
            "max_summary_tokens": pruned.max_summary_tokens,
            "rules": strategies,
        },
    )


def _truncation(packing: Packing, section: str) -> LogEvent | None:
    ledger = packing.ledger
    mine = ledger.section == SECTIONS.index(section)
    before = int(ledger.before_tokens[mine].sum())
    after = int(ledger.after_tokens[mine].sum())
    fates = {name: int((mine & (ledger.fate == at)).sum()) for at, name in enumerate(FATES)}
    if not (fates["dropped"] or fates["summarised"] or fates["truncated"]):
        return None
    history = _history(packing) if section == "history" else {}
    sizes = {"before_tokens": before, "after_tokens": after}
    return LogEvent("truncated", {"section": section, **history, **fates, **sizes})


def _history(packing: Packing) -> dict[str, Any]:
    """The strategy, and by rule how many messages it decided on."""
    codes, counts = np.unique(packing.chosen.history.rule, return_counts=True)
    rules = {HistoryRule(int(code)).name.lower(): int(count) for code, count in zip(codes, counts, strict=True)}
    return {"strategy": packing.config.history.strategy, "rules": rules}


def _search(packing: Packing) -> LogEvent | None:
    features = packing.chosen.features
    if not packing.bundle.features or packing.config.features.mode != "search":
        return None
    return LogEvent(
        "searched",
        {
            "specs": len(packing.bundle.features),
            "keywords": len(features.keywords),
            "matches": len(features.hits),
            "whole": len(features.order),
            "listed": len(features.listed),
            "tokens": int(features.tokens.sum()),
        },
    )


def _packed(packing: Packing) -> LogEvent:
    verdict = packing.verdict
    return LogEvent(
        "packed",
        {
            "model": packing.model,
            "profile": packing.provider,
            "tokenizer": packing.tokenizer,
            "verdict": verdict.level,
            "items": verdict.items,
            "asked_tokens": verdict.asked_tokens,
            "sent_tokens": verdict.sent_tokens,
            "limit_tokens": verdict.limit_tokens,
            "fates": dict(verdict.counts),
        },
    )
