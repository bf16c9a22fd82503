"""The packed prompt on a page: what is sent, in order, with placeholders where items were dropped."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from budgeteer.engine.packing.ledger import Ledger
from budgeteer.engine.rendering import PromptSpan, render_spans
from budgeteer.lru import LruCache
from budgeteer.presentation.labels import FATE_ICONS, FATE_NAMES, FATE_TONES, count_of
from budgeteer.workbench.panels.map.before_after import BeforeAfter, comparison_of
from budgeteer.workbench.panels.row_marks import MarkedRow
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState

PAGE_SPANS = 40
KEPT_PROMPTS = 4
HEAD_CHARS = 1_200
REST_CHARS = 20_000
"""The most of one text a page holds; the exports hold all of it."""

ROLE_LETTERS = {
    "system": "S",
    "developer": "S",
    "tools": "T",
    "user": "U",
    "assistant": "A",
    "tool": "X",
}
ROLE_TITLES = {"tools": "tool definitions", "tool": "tool result"}


@dataclass(frozen=True, slots=True)
class PromptEntry(MarkedRow):
    """One stretch of the prompt, or a placeholder. `rest` is what stands behind "show more".

    `number` is its place from 1 on: it tells two that read the same apart.
    """

    number: int
    is_placeholder: bool
    letter: str
    role: str
    title: str
    url: str
    fate: str
    fate_word: str
    icon: str
    tone: str
    size: str
    head: str
    rest: str
    rest_title: str


@dataclass(frozen=True, slots=True)
class PromptView:
    """A page of the prompt."""

    sentence: str
    spans: tuple[PromptEntry, ...]
    pages: int
    page_sentence: str
    previous_url: str
    next_url: str
    comparison: BeforeAfter


_spans: LruCache[list[PromptSpan]] = LruCache(KEPT_PROMPTS)
"""By the packing's key: another page of a prompt, and the same one again, read no stored texts."""


def prompt_view(packed: Packed, state: ViewState) -> PromptView:
    """The spans of this page, at most PAGE_SPANS of them."""
    spans = _spans.get(packed.key, lambda: list(render_spans(packed.packing)))
    pages = max(1, -(-len(spans) // PAGE_SPANS))
    page = min(state.page, pages)
    first = (page - 1) * PAGE_SPANS
    total = packed.packing.total
    return PromptView(
        sentence=f"{total.tokens:,} tokens, {total.chars:,} characters, in the order the model reads them",
        spans=tuple(
            _span(span, first + at, packed=packed, state=state)
            for at, span in enumerate(islice(spans, first, first + PAGE_SPANS))
        ),
        pages=pages,
        page_sentence=f"{first + 1:,}–{min(first + PAGE_SPANS, len(spans)):,} of {count_of(len(spans), 'part')}",
        previous_url=state.query(page=page - 1) if page > 1 else "",
        next_url=state.query(page=page + 1) if page < pages else "",
        comparison=comparison_of(packed.packing),
    )


def _span(span: PromptSpan, number: int, *, packed: Packed, state: ViewState) -> PromptEntry:
    is_placeholder = span.decision_id is None and span.fate in {"dropped", "summarised"}
    index = packed.find(span.decision_id) if span.decision_id else None
    head, rest = span.text[:HEAD_CHARS], span.text[HEAD_CHARS : HEAD_CHARS + REST_CHARS]
    more = len(span.text) - len(head)
    return PromptEntry(
        number=number + 1,
        is_placeholder=is_placeholder,
        letter=ROLE_LETTERS.get(span.role, ""),
        role=ROLE_TITLES.get(span.role, span.role),
        title=span.text if is_placeholder else _title(span),
        url=state.query(sel=span.decision_id) if span.decision_id else "",
        fate=span.fate,
        fate_word=FATE_NAMES[span.fate],
        icon=FATE_ICONS[span.fate],
        tone=FATE_TONES[span.fate],
        size=_size(span, packed.packing.ledger, index),
        head=head,
        rest=rest,
        rest_title=_rest_title(more),
    )


def _title(span: PromptSpan) -> str:
    if span.decision_id:
        return span.decision_id
    return count_of(span.count, "definition") if span.role == "tools" else "instructions, skills, features, chunks"


def _size(span: PromptSpan, ledger: Ledger, index: int | None) -> str:
    if index is not None:
        return f"{int(ledger.after_tokens[index]):,} tokens"
    return "" if span.fate in {"dropped", "summarised"} else f"{len(span.text):,} characters"


def _rest_title(more: int) -> str:
    if more <= 0:
        return ""
    if more > REST_CHARS:
        return f"Show {REST_CHARS:,} of {more:,} more characters"
    return f"Show {more:,} more characters"
