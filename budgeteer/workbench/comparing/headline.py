"""The sentence above a comparison: what can be sent first, then tokens and items, then what a request costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.packing.verdict_text import Level
from budgeteer.presentation.labels import count_of
from budgeteer.presentation.sent_words import SENT_WORDS

#: From so many times the cost on, how many times is said.
LEAST_TIMES: Final = 2


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """What one side comes to: its verdict, tokens and items left out, and what a request costs (None: no price)."""

    model: str
    level: Level
    tokens: int
    left_out: int
    cost: float | None
    currency: str

    @property
    def is_sendable(self) -> bool:
        """Whether the prompt fits."""
        return self.level != "cannotFit"


def comparison_sentence(a: SideOutcome, b: SideOutcome, *, differing: int, moved: int) -> str:
    """What a comparison comes to, with how many settings differ and items moved."""
    if not differing:
        return "The configurations do not differ."
    changed = f"{count_of(differing, 'setting')} {'differs' if differing == 1 else 'differ'}"
    if a.tokens == b.tokens and not moved:
        same = "Both send the same." if a.is_sendable and b.is_sendable else "Both come to the same."
        return " ".join((*_verdicts(a, b), same, *_costs(a, b), f"{changed}."))
    told = " ".join((*_verdicts(a, b), _tokens(a, b), *_costs(a, b)))
    return f"{told} {changed}; {count_of(moved, 'item')} changed."


def _verdicts(a: SideOutcome, b: SideOutcome) -> Iterator[str]:
    """What changes of the verdict, and of the model it is for."""
    if a.is_sendable != b.is_sendable:
        yield "B fits, A does not." if b.is_sendable else "A fits, B does not."
    elif not a.is_sendable:
        yield "Neither fits."
    if a.model != b.model:
        yield f"A is packed for {a.model}, B for {b.model}."


def _tokens(a: SideOutcome, b: SideOutcome) -> str:
    more, dropped = b.tokens - a.tokens, b.left_out - a.left_out
    items = count_of(abs(dropped), f"{'more' if dropped > 0 else 'fewer'} item")
    behind = f" and leaves out {items}" if dropped else ""
    if not more:
        both = "send" if a.is_sendable and b.is_sendable else "would send"
        return f"Both {both} as many tokens{f'; B leaves out {items}' if dropped else ''}."
    than = " than A would" if b.is_sendable and not a.is_sendable else ""
    much = count_of(abs(more), f"{'more' if more > 0 else 'fewer'} token")
    return f"B {SENT_WORDS[b.level].verb} {much}{than}{behind}."


def _costs(a: SideOutcome, b: SideOutcome) -> Iterator[str]:
    """What a request costs on both sides, where both are known and not the same."""
    if a.cost is None or b.cost is None or a.currency != b.currency:
        return
    before, after = money(a.cost, a.currency), money(b.cost, b.currency)
    if before == after:
        return
    times = b.cost / a.cost if a.cost else 0
    much = f", {times:,.0f} times as much" if times >= LEAST_TIMES else ""
    yield f"A request costs {after} instead of {before}{much}."
