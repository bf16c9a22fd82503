"""The packed prompts of two sides as a line diff: only the parts that differ, with a little around each change.

A page names PAGE_PARTS parts and draws the first that says something else; the others, and those whose order alone
differs, are drawn when they are opened, some lines at a time.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import PromptSpan, render_spans
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.panels.prompt.panel import ROLE_TITLES

CONTEXT_LINES: Final = 2
#: Lines of one part that are compared and shown; a diff of more is quadratic in the worst case.
PART_LINES: Final = 400
#: Characters of one line that are shown, and of these as many before the first change where that is what is shown.
LINE_CHARS: Final = 400
LEAD_CHARS: Final = 80
PAGE_PARTS: Final = 30
#: Lines of an opened part that are drawn at a time.
LINES_AT_ONCE: Final = 40

type LineKind = Literal["same", "removed", "added", "skipped"]

_WORDS: Final[Mapping[LineKind, str]] = {"same": "", "removed": "only in A", "added": "only in B", "skipped": ""}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: `a` and `b` are its numbers within the part, "" on the side that has it not.

    Of a long line `text` is a piece; `chars_before` and `chars_after` say how much of it is not shown on either side.
    """

    kind: LineKind
    a: str
    b: str
    text: str
    chars_before: int = 0
    chars_after: int = 0

    @property
    def before(self) -> str:
        """What stands for the characters before the piece, "" where there are none."""
        return f"{count_of(self.chars_before, 'character')} before …" if self.chars_before else ""

    @property
    def after(self) -> str:
        """What stands for the characters after the piece, "" where there are none."""
        return f"… {count_of(self.chars_after, 'more character')}" if self.chars_after else ""

    @property
    def word(self) -> str:
        """The sign as a word, for those who hear the page."""
        return _WORDS[self.kind]


@dataclass(frozen=True, slots=True)
class DiffPart:
    """One message or text that is not the same on both sides.

    Attributes:
        number: its place among all that differ, from 1.
        state: which side has it, or that both have it otherwise.
        lines: those that are drawn; none while it is closed.
        later_line: the first line after those, counted from 1; 0 where none follows.
        later_lines: how many follow.
    """

    number: int
    title: str
    state: str
    lines: tuple[DiffLine, ...] = ()
    later_line: int = 0
    later_lines: int = 0


@dataclass(frozen=True, slots=True)
class PromptDiff:
    """One page of the parts that differ."""

    sentence: str
    parts: tuple[DiffPart, ...]
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class _Difference:
    """A text on both sides, None on the side that has it not."""

    number: int
    key: str
    before: str | None
    after: str | None

    @property
    def is_order(self) -> bool:
        """Whether both sides say the same in another order."""
        before, after = self.before, self.after
        return before is not None and after is not None and _at_any_place(before) == _at_any_place(after)

    @property
    def state(self) -> str:
        if self.before is None:
            return _WORDS["added"]
        if self.after is None:
            return _WORDS["removed"]
        if not self.is_order:
            return "changed"
        moved = sum(line.kind == "added" for line in diff_lines(self.before, self.after))
        is_whole = len((self.after or "").splitlines()) <= PART_LINES
        return f"{count_of(moved, 'line')} reordered" if is_whole else "reordered"


def prompt_diff(
    a: Packing, b: Packing, names: Mapping[str, str], *, page: int = 1, opened: tuple[int, int] = (0, 1)
) -> PromptDiff:
    """The parts that differ, in prompt order, PAGE_PARTS to a page.

    Args:
        a: one side.
        b: the other.
        names: the names of items, by their ids.
        page: from 1; the last one where there are fewer.
        opened: the number of the part that is drawn, on its own page, 0 for the first of the page that differs in more
            than its order; and the line from which on it is drawn, counted from 1.
    """
    part, line = opened
    changed = _differences(a, b)
    pages = max(1, -(-len(changed) // PAGE_PARTS))
    page = min(-(-part // PAGE_PARTS) if 0 < part <= len(changed) else page, pages)
    said = f"{count_of(len(changed), 'part')} of the packed prompt differ" if changed else "Both prompts are the same"
    parts: list[DiffPart] = []
    first = (page - 1) * PAGE_PARTS
    shown = changed[first : first + PAGE_PARTS]
    is_named = 0 < part <= len(changed)
    opened_part = part if is_named else next((one.number for one in shown if not one.is_order), 0)
    for one in shown:
        named = DiffPart(one.number, names.get(one.key, one.key), one.state)
        if one.number == opened_part:
            named = _drawn(named, diff_lines(one.before, one.after), line if is_named else 1)
        parts.append(named)
    return PromptDiff(said, tuple(parts), page, pages)


def diff_part(a: Packing, b: Packing, *, part: int, line: int) -> DiffPart | None:
    """Some lines of one part, from `line` on; None where there is no such part."""
    found = next((one for one in _differences(a, b) if one.number == part), None)
    if found is None:
        return None
    return _drawn(DiffPart(part, found.key, found.state), diff_lines(found.before, found.after), line)


def _drawn(part: DiffPart, lines: tuple[DiffLine, ...], line: int) -> DiffPart:
    """The part with as many lines as are drawn at a time, at least the last ones."""
    start = min(max(line, 1), max(len(lines), 1)) - 1
    left = max(len(lines) - start - LINES_AT_ONCE, 0)
    return replace(
        part,
        lines=lines[start : start + LINES_AT_ONCE],
        later_line=start + LINES_AT_ONCE + 1 if left else 0,
        later_lines=left,
    )


def _differences(a: Packing, b: Packing) -> list[_Difference]:
    changed = _changed(_spans(a), _spans(b))
    return [_Difference(number, *each) for number, each in enumerate(changed, 1)]


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


def diff_lines(before: str | None, after: str | None) -> tuple[DiffLine, ...]:
    """The lines of a text that differ, with a little around each change; None stands for the side that has it not."""
    if before is None or after is None:
        kind: LineKind = "added" if before is None else "removed"
        lines = (before or after or "").splitlines()
        shown = (_one_sided(kind, number, line) for number, line in enumerate(lines[:PART_LINES], 1))
        return (*shown, *_rest(len(lines) - PART_LINES))
    old, new = before.splitlines(), after.splitlines()
    more = max(len(old), len(new)) - PART_LINES
    return (*_both(old[:PART_LINES], new[:PART_LINES]), *_rest(more))


def _at_any_place(text: str) -> list[str]:
    """The lines in an order that is the same for any order of them; a comma at the end belongs to the place."""
    return sorted(line.rstrip(",") for line in text.splitlines())


def _one_sided(kind: LineKind, number: int, line: str, start: int = 0) -> DiffLine:
    a, b = ("", str(number)) if kind == "added" else (str(number), "")
    return _piece(kind, a, b, line, start)


def _piece(kind: LineKind, a: str, b: str, line: str, start: int = 0) -> DiffLine:
    """A line, or as much of a long one as is shown, from the character at `start` on."""
    text = line[start : start + LINE_CHARS]
    return DiffLine(kind, a, b, text, start, len(line) - start - len(text))


def _both(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for at, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if at:
            yield DiffLine("skipped", "", "", "⋯")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                for offset in range(a2 - a1):
                    yield _piece("same", str(a1 + offset + 1), str(b1 + offset + 1), old[a1 + offset])
                continue
            yield from _pieces("removed", a1, old[a1:a2], new[b1:b2])
            yield from _pieces("added", b1, new[b1:b2], old[a1:a2])


def _pieces(kind: LineKind, before: int, lines: Sequence[str], others: Sequence[str]) -> Iterator[DiffLine]:
    """Lines of one side that are not on the other: `before` them stand so many, `others` in their place."""
    for number, (line, start) in enumerate(zip(lines, _starts(lines, others), strict=True), before + 1):
        yield _one_sided(kind, number, line, start)


def _starts(lines: Sequence[str], others: Sequence[str]) -> Iterator[int]:
    """Where to begin each line, so that what is shown of it differs from the other side's line with the same beginning.

    0 for every line that differs from all others in what is shown from its beginning.
    """
    by_head = {line[:LINE_CHARS]: line for line in others if len(line) >= LINE_CHARS}
    for line in lines:
        other = by_head.get(line[:LINE_CHARS])
        yield 0 if other is None else max(_same_chars(line, other) - LEAD_CHARS, 0)


def _same_chars(line: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(line, other, strict=False)
    return next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(line), len(other)))


def _rest(lines: int) -> Iterator[DiffLine]:
    if lines > 0:
        yield DiffLine("skipped", "", "", f"{count_of(lines, 'more line')}; the exports hold all of them")
