"""The icicle chart: the requested prompt by section, turn and item on one linear scale.

Three rows over each other. Items too narrow to be seen join their neighbours: first those of one category and fate,
then whatever else is needed for a block that can be seen, which then carries what most of its tokens are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.analysis.cost_and_usage import money_of
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.ledger import (
    CATEGORIES,
    DROPPED,
    FATES,
    LETTERS,
    SECTIONS,
    SUMMARISED,
    Ledger,
)
from budgeteer.engine.packing.result import Packing
from budgeteer.presentation.labels import FATE_NAMES, count_of, short_count
from budgeteer.presentation.sections import SectionLook, look_of
from budgeteer.workbench.item_content.whereabouts import CATEGORY, TURN, turn_name, turns_of
from budgeteer.workbench.state import ViewState

WIDTH_PX = 600.0
"""Nominal width: the picture is laid out at it and printed in percent."""

JOIN_PX = 6.0
TOTAL_PX = 34.0
LETTER_PX = 13.0
CHAR_PX = 6.55
FIRST_WIDE = "\u1100"
#: How many characters of an item's name a label may have where there is no room for all of it.
CUT_NAMES = (40, 32, 24, 18, 14)
GAP_PX = 1.0
#: How wide the picture is drawn in a narrow, a middle and a wide view, as a share of WIDTH_PX; and the class that hides
#: a label where it is not meant for that view (workbench.css has the widths).
VIEW_SHARES = {"narrow": 0.68, "middle": 1.0, "wide": 2.0}

#: History and query are drawn as one.
LIBRARY_SECTIONS = SECTIONS[: SECTIONS.index("history")]


#: Class, pattern and label class of a block that only names a stretch.
OUTLINE = ("bx", "", "s")


@dataclass(frozen=True, slots=True)
class IcicleBlock:
    """One block: its place in percent, its classes and its texts.

    `labels` are texts with their classes: one, or one for each width of the view that has room for another. `url` is
    where a click leads, and `opens` the region that it changes: an item is selected, anything else filters.
    """

    left: str
    span: str
    css: str
    fill: str
    title: str
    labels: tuple[tuple[str, str], ...]
    label_at: str
    url: str = ""
    opens: str = ""


@dataclass(frozen=True, slots=True)
class Icicle:
    """The picture and its sentence; `letters` are the categories in it with their names, `fates` those of its items."""

    sentence: str
    letters: tuple[tuple[str, str], ...]
    fates: frozenset[str]
    sections: tuple[IcicleBlock, ...]
    groups: tuple[IcicleBlock, ...]
    items: tuple[IcicleBlock, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring items shown as one: from the first to before `stop`, with what most of their tokens are."""

    start: int
    stop: int
    category: int
    fate: int
    tokens: int


def icicle_of(packing: Packing, state: ViewState) -> Icicle | None:
    """The picture of one packing; None when nothing is asked for."""
    ledger = packing.ledger
    sizes = np.maximum(ledger.before_tokens, ledger.after_tokens)
    total = int(sizes.sum())
    if not total:
        return None
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    scale = WIDTH_PX / total
    return Icicle(
        sentence=f"{total:,} tokens of items{_apart(packing, total)}, in prompt order: section, then turn, then item",
        letters=tuple((LETTERS[at], CATEGORIES[LETTERS[at]]) for at in np.unique(ledger.category[sizes > 0]).tolist()),
        fates=frozenset(FATES[at] for at in np.unique(ledger.fate[sizes > 0]).tolist()),
        sections=tuple(_sections(packing, state, starts, scale)),
        groups=tuple(_groups(packing, state, starts, scale)),
        items=tuple(_block_of(run, packing, state, starts, scale) for run in _runs(ledger, sizes, scale)),
    )


def _apart(packing: Packing, total: int) -> str:
    """What is requested beside the items, and not drawn: " (529 around them are not drawn)"."""
    tokens = packing.verdict.asked_tokens - total
    return f" ({tokens:,} around them are not drawn)" if tokens > 0 else ""


def _sections(packing: Packing, state: ViewState, starts: Ints, scale: float) -> Iterator[IcicleBlock]:
    ledger = packing.ledger
    for name in LIBRARY_SECTIONS:
        mine = np.flatnonzero(ledger.section == SECTIONS.index(name))
        url = _filtered(state, name)
        yield from _section(mine, (look_of(name), url), packing=packing, starts=starts, scale=scale)
    talk = np.flatnonzero(ledger.section >= SECTIONS.index("history"))
    both = replace(look_of("history"), title="History & query")
    url = _filtered(state, "history")
    yield from _section(talk, (both, url), packing=packing, starts=starts, scale=scale)


def _filtered(state: ViewState, key: str) -> str:
    """The address of the items of a section or a turn; all of them where the filter stands already."""
    return state.query(filter="all" if state.filter == key else key, group="", page=1)


def _section(
    mine: Ints, named: tuple[SectionLook, str], *, packing: Packing, starts: Ints, scale: float
) -> Iterator[IcicleBlock]:
    if not len(mine):
        return
    title, letter, url = named[0].title, named[0].letter, named[1]
    first, stop = int(mine[0]), int(mine[-1]) + 1
    tokens = int(starts[stop] - starts[first])
    sent = int(packing.ledger.after_tokens[mine].sum())
    if not tokens:
        return
    change = f"{tokens:,} → {sent:,}" if sent != tokens else f"{tokens:,}"
    labels = (f"{title} {change}", f"{title} {short_count(tokens)}", f"{letter} {short_count(tokens)}", letter)
    yield _block(
        (float(starts[first]) * scale, tokens * scale),
        look=(f"f{letter}", "", "ocH" if letter == "H" else "oc"),
        title=f"{title}: {sent:,} of {tokens:,} tokens sent{_paid(packing, sent)}",
        labels=labels,
        link=(url, "result"),
    )


def _groups(packing: Packing, state: ViewState, starts: Ints, scale: float) -> Iterator[IcicleBlock]:
    ledger = packing.ledger
    for name in LIBRARY_SECTIONS:
        title = look_of(name).title
        mine = np.flatnonzero(ledger.section == SECTIONS.index(name))
        if not len(mine):
            continue
        first, stop = int(mine[0]), int(mine[-1]) + 1
        gone = int((ledger.fate[mine] == DROPPED).sum())
        label = f"{len(mine) - gone:,} of {len(mine):,}" if gone else f"{len(mine):,}"
        at = (float(starts[first]) * scale, float(starts[stop] - starts[first]) * scale)
        link = (_filtered(state, name), "result")
        yield _block(at, look=OUTLINE, title=f"{title}: {label} sent", labels=(label,), link=link)
    yield from _turns(packing, state, starts, scale)


def _turns(packing: Packing, state: ViewState, starts: Ints, scale: float) -> Iterator[IcicleBlock]:
    parts = packing.ledger.parts
    first = next((at for at, part in enumerate(parts) if part.messages is not None), None)
    if first is None:
        return
    offset = sum(len(part) for part in parts[:first])
    turns = turns_of(packing)[offset : offset + len(parts[first])]
    edges = np.concatenate([[0], np.flatnonzero(np.diff(turns)) + 1, [len(turns)]])
    numbers, tokens_before = turns[edges[:-1]].tolist(), starts[offset + edges].tolist()
    begin = 0
    for at, number in enumerate(numbers):
        is_one = at == begin
        tokens = tokens_before[at + 1] - tokens_before[begin]
        width = tokens * scale
        stretch = f"{numbers[begin]}–{number}"
        # Turns that are joined go on until it can be read which they are.
        is_seen = width >= JOIN_PX if is_one else _fits(stretch, width - GAP_PX)
        if not is_seen and at + 1 != len(numbers):
            continue
        name = turn_name(number) if is_one else f"turns {stretch}"
        short_name = str(number or "") if is_one else stretch
        labels = (f"{name} · {short_count(tokens)}", name, short_name)
        link = (_filtered(state, f"{TURN}{number}" if is_one else "history"), "result")
        yield _block(
            (tokens_before[begin] * scale, width),
            look=OUTLINE,
            title=f"{name}: {tokens:,} tokens",
            labels=labels,
            link=link,
        )
        begin = at + 1


def _runs(ledger: Ledger, sizes: Ints, scale: float) -> list[_Run]:
    """Every item that can be seen by itself, and the joined rest, in order.

    Joined items end where another section begins, or another category or fate once they can be seen.
    """
    section, category, fate = ledger.section, ledger.category, ledger.fate
    new_section = np.diff(section, prepend=section[:1]) != 0
    changes = (np.diff(category, prepend=category[:1]) != 0) | (np.diff(fate, prepend=fate[:1]) != 0)
    wide = sizes * scale >= JOIN_PX
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    ends = np.flatnonzero(wide | new_section).tolist()
    changed = np.flatnonzero(changes)
    changed_at, tokens_before = changed.tolist(), before[changed].tolist()
    runs: list[_Run] = []
    start = 0
    while start < len(sizes):
        if wide[start]:
            stop = start + 1
        else:
            end = bisect_right(ends, start)
            stop = ends[end] if end < len(ends) else len(sizes)
            # The first other category or fate from which on what is joined can be seen.
            seen = bisect_left(tokens_before, float(before[start]) + JOIN_PX / scale)
            seen = max(seen, bisect_right(changed_at, start))
            if seen < len(changed_at):
                stop = min(stop, changed_at[seen])
        runs.append(_run(ledger, sizes, start, stop))
        start = stop
    return runs


def _run(ledger: Ledger, sizes: Ints, start: int, stop: int) -> _Run:
    if stop == start + 1:
        return _Run(start, stop, int(ledger.category[start]), int(ledger.fate[start]), int(sizes[start]))
    weights = sizes[start:stop]
    categories = np.bincount(ledger.category[start:stop], weights=weights, minlength=len(LETTERS))
    fates = np.bincount(ledger.fate[start:stop], weights=weights, minlength=len(FATES))
    return _Run(start, stop, int(np.argmax(categories)), int(np.argmax(fates)), int(weights.sum()))


def _paid(packing: Packing, sent: int) -> str:
    """What a request pays for tokens that are sent, as the end of a block's title; "" without a list price."""
    paid = money_of(packing, sent)
    return f", {paid} a request" if paid else ""


def _block_of(run: _Run, packing: Packing, state: ViewState, starts: Ints, scale: float) -> IcicleBlock:
    ledger = packing.ledger
    letter, fate, count = LETTERS[run.category], FATES[run.fate], run.stop - run.start
    width = run.tokens * scale
    mark = "✕ " if run.fate == DROPPED else ""
    # Stripes leave no ground that a letter could be read on; in an outline X, of tool results, would be a cross.
    labels: tuple[str, ...] = () if run.fate in {SUMMARISED, DROPPED} else (letter,)
    if run.fate != SUMMARISED and count > 1 and width >= TOTAL_PX:
        labels = (f"{mark}{short_count(run.tokens)}", *labels)
    look = (f"f{letter}", "", "oc")
    if run.fate == DROPPED:
        look = (f"ds k{letter}", "", "bb")
    elif run.fate == SUMMARISED:
        look = ("", f"url(#stripes-{letter})", "bb")
    rows, row = ledger.place(run.start)
    paid = _paid(packing, int(ledger.after_tokens[run.start : run.stop].sum()))
    title = f"{CATEGORIES[letter]}: {count_of(count, 'item')}, {run.tokens:,} tokens, {FATE_NAMES[fate].lower()}{paid}"
    if count == 1:
        named, short = rows.names(row), short_count(run.tokens)
        title = f"{named}: {run.tokens:,} tokens, {FATE_NAMES[fate].lower()}{paid}"
        if run.fate != SUMMARISED:
            alone = (f"{mark}{short}",) if mark else (f"{letter} {short}", letter)
            labels = (*(f"{mark}{name} · {short}" for name in _cut(named)), *alone)
        if rows.ids[row] == state.sel:
            look = (f"{look[0]} selected", *look[1:])
    is_item = count == 1
    link = (
        (state.query(sel=rows.ids[row]), "inspector")
        if is_item
        else (_filtered(state, f"{CATEGORY}{letter}"), "result")
    )
    return _block((float(starts[run.start]) * scale, width), look=look, title=title, labels=labels, link=link)


def _block(
    at: tuple[float, float],
    *,
    look: tuple[str, str, str],
    title: str,
    labels: Sequence[str],
    link: tuple[str, str] = ("", ""),
) -> IcicleBlock:
    """A block at (x, width) in pixels: `look` is class, pattern and class of the label, `link` address and region."""
    x, width = at
    shown = max(0.8, width - GAP_PX)
    return IcicleBlock(
        left=f"{x / WIDTH_PX * 100:.3f}%",
        span=f"{shown / WIDTH_PX * 100:.3f}%",
        css=look[0],
        fill=look[1],
        title=title,
        labels=tuple(_labels_by_view(labels, shown, look[2])),
        label_at=f"{(x + shown / 2) / WIDTH_PX * 100:.3f}%",
        url=link[0],
        opens=link[1],
    )


def _cut(name: str) -> Iterator[str]:
    """A name, and its beginnings down to what still tells items apart."""
    yield name
    for length in CUT_NAMES:
        if len(name) > length:
            yield f"{name[: length - 1].rstrip()}…"


def _labels_by_view(labels: Sequence[str], width: float, css: str) -> Iterator[tuple[str, str]]:
    """The longest label that each view has room for, with its classes; nothing for a view without room for any."""
    fitting = {
        view: next((text for text in labels if text and _fits(text, width * share)), "")
        for view, share in VIEW_SHARES.items()
    }
    for label in dict.fromkeys(fitting.values()):
        if label:
            hidden = "".join(f" not-{view}" for view, shown in fitting.items() if shown != label)
            yield label, f"{css}{hidden}"


def _fits(text: str, width: float) -> bool:
    if len(text) == 1:
        return width >= LETTER_PX
    # From the Hangul Jamo on characters are mostly as wide as two letters.
    letters = sum(2 if character >= FIRST_WIDE else 1 for character in text)
    return letters * CHAR_PX + 6 <= width
