"""The parts of a packed prompt in order, with their tokens and where they begin, and what was left out among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np

from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.packing.ledger import DROPPED, FATES, SECTIONS, SUMMARISED, UNSENT_FATES
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import PromptSpan, render_spans
from budgeteer.lru import LruCache
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.preview import Packed

KEPT_PROMPTS = 4
#: The sections that stand in the text before the tools, with what one item of each is called.
BEFORE_TOOLS: Final = {
    "system": "system text",
    "skills": "skill",
    "features": "feature spec",
    "retrieval": "chunk",
}
_TOOLS: Final = {"tools": "tool"}


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One part of a prompt, or a placeholder for what was left out there.

    Attributes:
        number: its place, from 0 on.
        span: its text and fate.
        index: the ledger's index of its item, -1 where it is none's.
        tokens: what it takes; of a placeholder 0.
        start_token: the tokens of the parts before it.
        gone_tokens: of a placeholder, what the items it stands for would take.
    """

    number: int
    span: PromptSpan
    index: int
    tokens: int
    start_token: int
    gone_tokens: int = 0

    @property
    def is_placeholder(self) -> bool:
        return self.span.decision_id is None and self.span.fate in UNSENT_FATES

    @property
    def digest(self) -> str:
        """Names the text, so that a later request for more of it gets no other."""
        key = repr((self.span.decision_id, self.span.fate, self.span.gone, self.span.text))
        return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of one prompt; `overhead` is what the total has beside them: frames of messages, joins, priming."""

    parts: tuple[PromptPart, ...]
    overhead: int


_kept: LruCache[PromptParts] = LruCache(KEPT_PROMPTS)
"""By the packing's key: another page of a prompt, and the same one again, read no stored texts."""


def parts_of(packed: Packed) -> PromptParts:
    """The parts of the packed prompt; their tokens and the overhead add up to the packing's total."""
    return _kept.get(packed.key, lambda: _parts(packed))


def forget_prompts() -> None:
    """Drop every prompt kept in this process (tests start from nothing)."""
    _kept.clear()


def _parts(packed: Packed) -> PromptParts:
    packing = packed.packing
    ledger, counter = packing.ledger, counter_for(packing.allowance.tokenizer)
    found: list[PromptPart] = []
    start = 0
    for number, span in enumerate(_with_left_out(packing)):
        at = packed.find(span.decision_id) if span.decision_id else None
        index = -1 if at is None else at
        is_placeholder = span.decision_id is None and span.fate in UNSENT_FATES
        tokens = 0 if is_placeholder else _tokens(packing, counter, span, index)
        gone = int(ledger.before_tokens[list(span.gone)].sum()) if span.gone else 0
        found.append(PromptPart(number, span, index, tokens, start, gone))
        start += tokens
    return PromptParts(tuple(found), packing.total.tokens - start)


def _tokens(packing: Packing, counter: TokenCounter, span: PromptSpan, index: int) -> int:
    if index >= 0:
        return int(packing.ledger.after_tokens[index])
    return packing.ledger.total("tools").tokens if span.role == "tools" else counter.count(span.text)


def _with_left_out(packing: Packing) -> Iterator[PromptSpan]:
    """The spans, with placeholders for what was left out before the messages, where it would have stood."""
    waiting = [_left_out(packing, BEFORE_TOOLS), _left_out(packing, _TOOLS)]
    for span in render_spans(packing):
        is_message = span.decision_id is not None or span.fate in UNSENT_FATES
        if waiting and (is_message or span.role == "tools") and len(waiting) == 2:
            yield from waiting.pop(0)
        if waiting and is_message:
            yield from waiting.pop(0)
        yield span
    for rest in waiting:
        yield from rest


def _left_out(packing: Packing, nouns: dict[str, str]) -> list[PromptSpan]:
    return list(_placeholders(packing, nouns.items()))


def _placeholders(packing: Packing, nouns: Iterable[tuple[str, str]]) -> Iterator[PromptSpan]:
    ledger = packing.ledger
    for section, noun in nouns:
        for fate in (DROPPED, SUMMARISED):
            is_gone = (ledger.section == SECTIONS.index(section)) & (ledger.fate == fate)
            gone = tuple(np.flatnonzero(is_gone).tolist())
            if gone:
                said = f"{count_of(len(gone), noun)} {FATES[fate]}"
                yield PromptSpan(None, "", said, FATES[fate], len(gone), gone)
