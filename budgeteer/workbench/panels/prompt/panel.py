"""The packed prompt on a page: what is sent, in order, with placeholders where items were dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from budgeteer.presentation.labels import FATE_ICONS, FATE_NAMES, FATE_TONES, count_of
from budgeteer.workbench.item_content.snippets import Snippet
from budgeteer.workbench.item_content.whereabouts import Whereabouts
from budgeteer.workbench.panels.map.before_after import BeforeAfter, comparison_of
from budgeteer.workbench.panels.prompt.outline import OutlineRow, outline_of
from budgeteer.workbench.panels.prompt.parts import PromptPart, parts_of
from budgeteer.workbench.panels.prompt.search import Match, matches_in
from budgeteer.workbench.panels.row_marks import MarkedRow
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState

PAGE_SPANS = 40
SCREEN_SPANS = 16
"""As many as a large screen shows below the outline."""
HEAD_CHARS = 1_200
"""The most of one text a page holds; the rest of it opens in place (views/prompt_part.py)."""

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
    """One part of the prompt, or a placeholder.

    `number` is its place from 1 on: it tells two that read the same apart. `offset` is the token it begins with, `rest`
    says how much more of its text there is, and `more_query` asks for it. While somebody searches, `snippets` are its
    matches and `found` their number in words.
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
    offset: str
    head: str
    rest: str
    more_query: str
    snippets: tuple[Snippet, ...] = ()
    found: str = ""


@dataclass(frozen=True, slots=True)
class OutlineLink:
    """A row of the outline; `url` is "" and `anchor` None where nothing of it is in the prompt."""

    row: OutlineRow
    url: str
    anchor: int | None


@dataclass(frozen=True, slots=True)
class PromptView:
    """A page of the prompt, or of the parts that hold what is searched for.

    Attributes:
        carried: what the search keeps.
        outline: the whole prompt in few rows, each with the address of the page that it begins on.
        is_cut: further parts of the page are still to be asked for.
    """

    sentence: str
    outline: tuple[OutlineLink, ...]
    carried: tuple[tuple[str, Any], ...]
    search_sentence: str
    spans: tuple[PromptEntry, ...]
    is_cut: bool
    pages: int
    page_sentence: str
    previous_url: str
    next_url: str
    comparison: BeforeAfter


def prompt_view(packed: Packed, state: ViewState, *, is_screenful: bool = False) -> PromptView:
    """The parts of this page, at most PAGE_SPANS of them, or those of them that a screen shows first."""
    prompt = parts_of(packed)
    searched = state.q.strip()
    found = matches_in([part.span for part in prompt.parts], searched) if searched else ()
    numbers = [one.number for one in found] if searched else range(len(prompt.parts))
    pages = max(1, -(-len(numbers) // PAGE_SPANS))
    page = min(state.page, pages)
    first = (page - 1) * PAGE_SPANS
    whole_page = numbers[first : first + PAGE_SPANS]
    shown = whole_page[: SCREEN_SPANS if is_screenful else PAGE_SPANS]
    by_number = {one.number: one for one in found}
    total, where = packed.packing.total, Whereabouts.of(packed.packing)
    outline = tuple(_link(row, state) for row in outline_of(packed, prompt))
    return PromptView(
        sentence=f"{total.tokens:,} tokens, {total.chars:,} characters, in the order the model reads them",
        outline=outline,
        carried=state.pairs(q="", page=1),
        search_sentence=_found(found, searched) if searched else "",
        spans=tuple(
            _with_match(_entry(prompt.parts[number], packed=packed, where=where, state=state), by_number.get(number))
            for number in shown
        ),
        is_cut=len(shown) < len(whole_page),
        pages=pages,
        page_sentence=f"{first + 1:,}–{first + len(whole_page):,} of {count_of(len(numbers), 'part')}",
        previous_url=state.query(page=page - 1) if page > 1 else "",
        next_url=state.query(page=page + 1) if page < pages else "",
        comparison=comparison_of(packed),
    )


def _link(row: OutlineRow, state: ViewState) -> OutlineLink:
    if row.part is None:
        return OutlineLink(row, "", None)
    return OutlineLink(row, state.query(page=row.part // PAGE_SPANS + 1, q=""), row.part + 1)


def _found(found: tuple[Match, ...], searched: str) -> str:
    if not found:
        return f"Nothing that is sent holds “{searched}”."
    count = sum(one.count for one in found)
    return f"{count:,} {'match' if count == 1 else 'matches'} in {count_of(len(found), 'part')}."


def _with_match(entry: PromptEntry, match: Match | None) -> PromptEntry:
    """The entry with its matches; a placeholder has its text in its title."""
    if match is None or entry.is_placeholder:
        return entry
    more = match.count - len(match.snippets)
    return replace(entry, snippets=match.snippets, found=f"and {more:,} more in this part" if more else "")


def _entry(part: PromptPart, *, packed: Packed, where: Whereabouts, state: ViewState) -> PromptEntry:
    span = part.span
    more = 0 if part.is_placeholder else len(span.text) - HEAD_CHARS
    return PromptEntry(
        number=part.number + 1,
        is_placeholder=part.is_placeholder,
        letter=ROLE_LETTERS.get(span.role, ""),
        role=ROLE_TITLES.get(span.role, span.role),
        title=span.text if part.is_placeholder else _title(part, packed, where),
        url=state.query(sel=span.decision_id) if span.decision_id else "",
        fate=span.fate,
        fate_word=FATE_NAMES[span.fate],
        icon=FATE_ICONS[span.fate],
        tone=FATE_TONES[span.fate],
        size=f"{part.gone_tokens if part.is_placeholder else part.tokens:,} tokens",
        offset=f"from token {part.start_token + 1:,}",
        head="" if part.is_placeholder else span.text[:HEAD_CHARS],
        rest=f"Show {more:,} more characters" if more > 0 else "",
        more_query=urlencode({"part": part.number, "of": part.digest}),
    )


def _title(part: PromptPart, packed: Packed, where: Whereabouts) -> str:
    """The name of the item with its id and turn, as every view has them."""
    span, index = part.span, part.index
    if index >= 0:
        return " · ".join((packed.names_of([index])[index], *where.of_item(index)[:2]))
    if span.decision_id:
        return span.decision_id
    return count_of(span.count, "definition") if span.role == "tools" else "instructions, skills, features, chunks"
