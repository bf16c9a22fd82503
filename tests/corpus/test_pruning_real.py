"""Pruning the largest real sessions: invariants over automatic strategies and over ranges, in every provider."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from tests.conformance.invariants import check_everything
from tests.corpus.test_packing_real import conversations_of, files, measured

pytestmark = pytest.mark.corpus
#: So many of the longest conversations are pruned.
MOST = 6


@functools.cache
def longest() -> tuple[tuple[Path, int], ...]:
    """The longest conversations, the longest first."""
    found = [(path, number) for path in files() for number in range(len(conversations_of(path)))]
    return tuple(sorted(found, key=lambda one: -len(conversations_of(one[0])[one[1]].messages))[:MOST])


def pruned(place: tuple[Path, int], provider: str, **pruning: Any) -> tuple[Conversation, Packing]:
    path, number = place
    talk, counter = conversations_of(path)[number], counter_for("o200k_base")
    data = {"model": "gpt-4.1", "pruning": {"mode": "auto", "protectedTools": [], **pruning}}
    bundle = build_bundle(Inputs(conversation=talk, conversation_measures=measured(path, number)), counter=counter)
    return talk, pack(bundle, load_config(data), counter=counter, provider=provider)


def halves(place: tuple[Path, int]) -> list[dict[str, Any]]:
    """A range over the second quarter in whole groups, then one over it and all before it."""
    _, packing = pruned(place, "openai-chat")
    group = packing.bundle.history_measures.group.tolist()
    starts = [row for row in range(1, len(group)) if group[row] not in group[:row]]
    quarter, half = starts[len(starts) // 4], starts[len(starts) // 2]
    summary = "What was looked at and decided. " * 10
    spans = [(f"m{quarter + 1:03d}", f"m{half:03d}", summary), ("m001", "b1", f"Before. (b1) {summary}")]
    return [
        {"topic": "earlier work", "ranges": [dict(zip(("startId", "endId", "summary"), span, strict=True))]}
        for span in spans
    ]


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
@pytest.mark.parametrize("at", range(MOST))
def test_automatic_strategies_keep_the_invariants(at: int, provider: str) -> None:
    talk, packing = pruned(longest()[at], provider)
    check_everything(packing)
    assert len(talk.messages) > 100
    for one in packing.ledger:
        if one.rule in ("dedupe", "purgeErrorsAfterTurns", "supersedeWrites"):
            assert one.after.tokens < one.before.tokens


def test_they_find_something_in_real_sessions() -> None:
    rules = {one.rule for place in longest() for one in pruned(place, "anthropic")[1].ledger}
    assert rules & {"dedupe", "purgeErrorsAfterTurns", "supersedeWrites"}


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
@pytest.mark.parametrize("at", range(MOST))
def test_ranges_keep_the_invariants(at: int, provider: str) -> None:
    place = longest()[at]
    _, packing = pruned(place, provider, ranges=halves(place))
    check_everything(packing)
    found = {one.id: one for one in packing.ledger}
    assert found["block:b2"].fate == "added"
    assert "with b1 inside" in found["block:b2"].sentence
    summarised = sum(one.fate == "summarised" for one in packing.ledger)
    assert summarised >= len(packing.bundle.history) // 3
