"""The labels under the budget bar: which of them fit, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

NEAR_PX = 24.0  # how far a label may stand from the line it speaks of
CHAR_PX = 6.55  # mean width of the 12 px interface font
CLEAR_PX = 4.0  # between two labels, or a label and the next line


@dataclass(frozen=True, slots=True)
class Variant:
    """A nominal width and how many axis rows it has."""

    name: str
    width_px: float
    rows: int


# Nominal widths are the narrowest at which each drawing is shown (1200, 700 and 320 px screens less the padding).
VARIANTS = (
    Variant("wide", 1168.0, 1),
    Variant("medium", 668.0, 1),
    Variant("narrow", 288.0, 2),
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What the labels speak of, in tokens, and where it stands, in pixels at the nominal width.

    `over` is by how much more is kept than the limit allows. `threshold_px` is None where no warning tick is drawn;
    `held_px` is where the hatches end, `end_px` where the bar does.
    """

    limit: int
    limit_px: float
    margin: int
    reserve: int
    unusable: int
    not_sent: int
    over: int
    threshold_percent: float | None
    threshold_px: float | None
    held_px: float
    end_px: float

    @property
    def limit_texts(self) -> tuple[str, ...]:
        """The words for the limit, the longest first; with how much is over it."""
        limit = f"limit {self.limit:,}"
        return (f"{limit} · {self.over:,} over", limit) if self.over else (limit,)

    @property
    def limit_tone(self) -> str:
        """The class of these words."""
        return "o" if self.over else "bb"


@dataclass(frozen=True, slots=True)
class AxisText:
    """One label under the bar. `tone` is a CSS class of the SVG text."""

    text: str
    at: str
    anchor: str
    tone: str
    y: float


type LabelDetail = Mapping[str, int]
"""By what a label speaks of, how much of it the label says; 0 where there is something to say and no room for it."""

ALL_DETAIL: Final[LabelDetail] = MappingProxyType({})


def axis_texts(marks: Marks, variant: Variant, at_most: LabelDetail = ALL_DETAIL) -> list[AxisText]:
    """The labels under the bar that fit; in one row, of the ways to place them the one that names most.

    `at_most` is how much labels may say where bars beside each other are labelled alike.
    """
    return list(_two_rows(marks, variant)) if variant.rows > 1 else _best_row(marks, variant, at_most).texts


def shared_detail(bars: Iterable[Marks], variant: Variant) -> LabelDetail:
    """How much the labels of all these bars can say: what has no room below one is said below none."""
    found: dict[str, int] = {}
    for marks in bars if variant.rows == 1 else ():
        for about, detail in _best_row(marks, variant, ALL_DETAIL).detail.items():
            found[about] = min(detail, found.get(about, detail))
    return found


def _best_row(marks: Marks, variant: Variant, at_most: LabelDetail) -> _Row:
    ways = [
        _OneRow(marks, variant, anchor, missing, detail)
        for missing, detail in _missing_texts(marks)
        for anchor in _ANCHORS
    ]
    return max((way.placed(at_most) for way in ways), key=lambda row: row.named)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A label that may be placed: how much it names counts when ways to place all of them are compared.

    `detail` is how much it says among the ways to say the same.
    """

    text: str
    at_px: float
    anchor: str
    tone: str
    named: int = 0
    detail: int = 1


class _Row:
    """A row of labels that do not overlap."""

    def __init__(self, variant: Variant, at_most: LabelDetail = ALL_DETAIL) -> None:
        self.variant = variant
        self.at_most = at_most
        self.texts: list[AxisText] = []
        self.named = 0
        self.detail: dict[str, int] = {}
        self._taken: list[tuple[float, float]] = []

    def pass_over(self, about: str) -> None:
        """Note that there is something to say and no room for it."""
        self.detail[about] = 0

    def place(self, about: str, *candidates: _Candidate) -> None:
        """Place the first of these that fits and says no more than labels may, if any does."""
        if candidates:
            self.pass_over(about)
        for one in candidates:
            if one.detail > self.at_most.get(about, one.detail):
                continue
            width = len(one.text) * CHAR_PX
            start = {"start": one.at_px, "middle": one.at_px - width / 2, "end": one.at_px - width}[one.anchor]
            end = start + width
            is_within = start >= -0.5 and end <= self.variant.width_px + 0.5
            if is_within and not any(start < right + 4 and end > left - 4 for left, right in self._taken):
                self._taken.append((start, end))
                self.texts.append(AxisText(one.text, percent(one.at_px, self.variant), one.anchor, one.tone, 50))
                self.named += one.named
                self.detail[about] = one.detail
                return


#: On which side of its line the limit stands.
_ANCHORS: Final = ("end", "start")


@dataclass(frozen=True, slots=True)
class _OneRow:
    """A way to place all labels in one row: the limit's anchor, the words for what is not sent, how much they say."""

    marks: Marks
    variant: Variant
    anchor: str
    missing: str
    detail: int

    def placed(self, at_most: LabelDetail) -> _Row:
        """The labels that fit, most important first."""
        marks, row = self.marks, _Row(self.variant, at_most)
        sides = (self.anchor, *(side for side in _ANCHORS if side != self.anchor))
        row.place("limit", *_limit_candidates(marks, self.variant, sides, self.missing))
        if self.missing:
            row.place("missing", *_at_the_end(marks, self.variant, self.missing, named=4, detail=self.detail))
        row.place("warning", *self._warnings())
        behind = 6.0 if self.anchor == "end" else (len(marks.limit_texts[0]) + 2) * CHAR_PX
        at_px = marks.limit_px + behind
        held = [_Candidate(text, at_px, "start", "s", named, named) for text, named in _held(marks)]
        if at_px < marks.held_px:
            row.place("held", *held)
        elif held:  # farther off nobody would take it for the hatch's
            row.pass_over("held")
        row.place("0", _Candidate("0", 0, "start", "s"))
        return row

    def _warnings(self) -> Iterator[_Candidate]:
        """The words for the warning tick, the longest first, below it or to one side."""
        if (at_px := self.marks.threshold_px) is not None:
            for text, named in _warning_texts(self.marks):
                for anchor in ("middle", "end", "start"):
                    yield _Candidate(text, at_px, anchor, "w", named, named)


def _limit_candidates(
    marks: Marks, variant: Variant, sides: Iterable[str] = _ANCHORS, missing: str = ""
) -> Iterator[_Candidate]:
    """The limit on either side of its line, or so little before it that what is not sent has room at the right end."""
    texts, sides, tone = marks.limit_texts, tuple(sides), marks.limit_tone
    before_px = variant.width_px - len(missing) * CHAR_PX - 2 * CLEAR_PX
    if missing and 0 < marks.limit_px - before_px <= NEAR_PX:
        yield _Candidate(texts[-1], before_px, "end", tone, 4)
    for more, text in zip(range(len(texts) - 1, -1, -1), texts, strict=True):
        yield from (_Candidate(text, marks.limit_px, side, tone, 4 + more) for side in sides)


def end_texts(marks: Marks, variant: Variant) -> list[AxisText]:
    """What stands under a bar without labels: the limit at its line, and what is not sent at the end with room."""
    row = _Row(variant)
    missing = f"{marks.not_sent:,} not sent" if marks.not_sent else ""
    row.place("limit", *_limit_candidates(marks, variant, missing=missing))
    if missing:
        row.place("missing", *_at_the_end(marks, variant, missing))
    return row.texts


def _at_the_end(marks: Marks, variant: Variant, text: str, *, named: int = 0, detail: int = 1) -> Iterator[_Candidate]:
    """A label where the bar ends, before or behind that; at the right end where neither has room."""
    for at_px, anchor in ((marks.end_px, "end"), (marks.end_px + CLEAR_PX, "start"), (variant.width_px, "end")):
        yield _Candidate(text, at_px, anchor, "s", named, detail)


def _two_rows(marks: Marks, variant: Variant) -> Iterator[AxisText]:
    """The limit and the scale in one row, the rest below."""
    row = _Row(variant)
    row.place("limit", *_limit_candidates(marks, variant))
    row.place("0", _Candidate("0", 0, "start", "s"))
    yield from row.texts
    below = _Row(variant)
    behind = f"{marks.not_sent:,} not sent" if marks.not_sent else " · ".join(list(_hatched(marks))[:2])
    if behind:
        below.place("behind", *_at_the_end(marks, variant, behind))
    if (at_px := marks.threshold_px) is not None:
        for text, _ in _warning_texts(marks)[1:2]:
            below.place("warning", *(_Candidate(text, at_px, anchor, "w") for anchor in ("middle", "end", "start")))
    yield from (replace(text, y=66) for text in below.texts)


def _missing_texts(marks: Marks) -> tuple[tuple[str, int], ...]:
    """The words for what is not sent, the longest first, each with how much it says; "" for nothing."""
    if not marks.not_sent:
        return (("", 0),)
    return ((f"{marks.not_sent:,} tokens not sent", 2), (f"{marks.not_sent:,} not sent", 1))


def _warning_texts(marks: Marks) -> tuple[tuple[str, int], ...]:
    """The words for the warning tick, the longest first, each with how much it says; none where none is drawn."""
    if marks.threshold_percent is None:
        return ()
    share, tokens = f"{marks.threshold_percent:g} %", f"{marks.limit * marks.threshold_percent / 100:,.0f}"
    return ((f"{share} warning {tokens}", 5), (f"{share} {tokens}", 4), (share, 3))


def _hatched(marks: Marks) -> dict[str, int]:
    """The words for each hatch with its tokens."""
    named = (("margin", marks.margin), ("reserve", marks.reserve), ("not for input", marks.unusable))
    return {f"{name} {tokens:,}": tokens for name, tokens in named if tokens}


def _held(marks: Marks) -> list[tuple[str, int]]:
    """The words for all hatches, and for the widest alone where these do not fit, with how many they name."""
    hatched = _hatched(marks)
    if not hatched:
        return []
    return [(" · ".join(hatched), len(hatched)), (max(hatched, key=hatched.__getitem__), 1)]


def percent(px: float, variant: Variant) -> str:
    """A place in pixels as a percent of the nominal width."""
    return f"{px / variant.width_px * 100:.3f}%"
