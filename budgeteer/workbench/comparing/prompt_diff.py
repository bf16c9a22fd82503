"""The packed prompts of two sides as a line diff: only the stretches that differ, with a little around each change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import PromptSpan, render_spans
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.panels.prompt.panel import ROLE_TITLES

CONTEXT_LINES: Final = 2
#: Lines of one stretch that are compared and shown; a diff of more is quadratic in the worst case.
STRETCH_LINES: Final = 400
#: Characters of one line that are shown.
LINE_CHARS: Final = 400
PAGE_STRETCHES: Final = 30
#: The most lines of a stretch that is open without a click.
SHORT_LINES: Final = 24

type LineKind = Literal["same", "removed", "added", "skipped"]

_MARKS: Final[Mapping[LineKind, str]] = {"same": "", "removed": "−", "added": "+", "skipped": ""}
_WORDS: Final[Mapping[LineKind, str]] = {"same": "", "removed": "only in A", "added": "only in B", "skipped": ""}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: `a` and `b` are its numbers within the stretch, "" on the side that has it not."""

    kind: LineKind
    a: str
    b: str
    text: str

    @property
    def mark(self) -> str:
        """The sign before the line."""
        return _MARKS[self.kind]

    @property
    def word(self) -> str:
        """The sign as a word, for those who hear the page."""
        return _WORDS[self.kind]


@dataclass(frozen=True, slots=True)
class DiffItem:
    """One message or text that is not the same on both sides."""

    title: str
    state: str
    lines: tuple[DiffLine, ...]

    @property
    def is_short(self) -> bool:
        """Whether it is shown at once."""
        return len(self.lines) <= SHORT_LINES


@dataclass(frozen=True, slots=True)
class PromptDiff:
    """One page of the stretches that differ."""

    sentence: str
    stretches: tuple[DiffItem, ...]
    page: int
    pages: int


def prompt_diff(a: Packing, b: Packing, names: Mapping[str, str], *, page: int) -> PromptDiff:
    """The stretches that differ, in prompt order, PAGE_STRETCHES to a page; `names` of items by their ids."""
    changed = list(_changed(_spans(a), _spans(b)))
    pages = max(1, -(-len(changed) // PAGE_STRETCHES))
    page = min(page, pages)
    shown = changed[(page - 1) * PAGE_STRETCHES : page * PAGE_STRETCHES]
    said = f"{count_of(len(changed), 'part')} of the packed prompt differ" if changed else "Both prompts are the same"
    stretches = (_stretch(names.get(key, key), before, after) for key, before, after in shown)
    return PromptDiff(said, tuple(stretches), page, pages)


def _spans(packing: Packing) -> dict[str, PromptSpan]:
    """Every text that is sent, by the item it belongs to, or by role and number; placeholders are not sent."""
    found: dict[str, PromptSpan] = {}
    of_role: dict[str, int] = {}
    for span in render_spans(packing):
        if span.decision_id is not None:
            found[span.decision_id] = span
        elif span.fate == "kept":
            of_role[span.role] = number = of_role.get(span.role, 0) + 1
            found[f"{ROLE_TITLES.get(span.role, span.role)} {number}"] = span
    return found


def _changed(a: dict[str, PromptSpan], b: dict[str, PromptSpan]) -> Iterator[tuple[str, str | None, str | None]]:
    """The key of each text that differs, with both wordings, in the order of B and of A between."""
    for key in _merged(list(a), list(b)):
        before = a[key].text if key in a else None
        after = b[key].text if key in b else None
        if before != after:
            yield key, before, after


def _merged(a: Sequence[str], b: Sequence[str]) -> Iterator[str]:
    """All keys once: B's order, and before each key that both have, what A has before it and B has not."""
    in_a, in_b = {key: at for at, key in enumerate(a)}, set(b)
    at = 0
    for key in b:
        if in_a.get(key, -1) >= at:
            yield from (other for other in a[at : in_a[key]] if other not in in_b)
            at = in_a[key] + 1
        yield key
    yield from (key for key in a[at:] if key not in in_b)


def _stretch(title: str, before: str | None, after: str | None) -> DiffItem:
    if before is None or after is None:
        kind: LineKind = "added" if before is None else "removed"
        lines = (before or after or "").splitlines()
        shown = (_one_sided(kind, number, line) for number, line in enumerate(lines[:STRETCH_LINES], 1))
        return DiffItem(title, _WORDS[kind], (*shown, *_rest(len(lines) - STRETCH_LINES)))
    old, new = before.splitlines(), after.splitlines()
    more = max(len(old), len(new)) - STRETCH_LINES
    return DiffItem(title, "changed", (*_both(old[:STRETCH_LINES], new[:STRETCH_LINES]), *_rest(more)))


def _one_sided(kind: LineKind, number: int, line: str) -> DiffLine:
    a, b = ("", str(number)) if kind == "added" else (str(number), "")
    return DiffLine(kind, a, b, line[:LINE_CHARS])


def _both(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for at, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if at:
            yield DiffLine("skipped", "", "", "⋯")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                for offset in range(a2 - a1):
                    yield DiffLine("same", str(a1 + offset + 1), str(b1 + offset + 1), old[a1 + offset][:LINE_CHARS])
                continue
            yield from (_one_sided("removed", number + 1, old[number]) for number in range(a1, a2))
            yield from (_one_sided("added", number + 1, new[number]) for number in range(b1, b2))


def _rest(lines: int) -> Iterator[DiffLine]:
    if lines > 0:
        yield DiffLine("skipped", "", "", f"{count_of(lines, 'more line')}; the exports hold all of them")
