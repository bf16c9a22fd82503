"""The labels under the budget bar: which of them fit, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHAR_PX = 6.55  # mean width of the 12 px interface font


@dataclass(frozen=True, slots=True)
class Variant:
    """A nominal width and how many axis rows it has."""

    name: str
    width_px: float
    rows: int
    full_labels: bool


# Nominal widths are the narrowest at which each drawing is shown (1200, 700 and 320 px screens less the padding).
VARIANTS = (
    Variant("wide", 1168.0, 1, full_labels=True),
    Variant("medium", 668.0, 1, full_labels=True),
    Variant("narrow", 288.0, 2, full_labels=False),
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What the labels speak of, in tokens, and where it stands, in pixels at the nominal width.

    `is_over` says that more is sent than the limit allows. `threshold_px` is None where no warning tick is drawn.
    """

    limit: int
    limit_px: float
    margin: int
    reserve: int
    unusable: int
    not_sent: int
    is_over: bool
    threshold_percent: float | None
    threshold_px: float | None


@dataclass(frozen=True, slots=True)
class AxisText:
    """One label under the bar. `tone` is a CSS class of the SVG text."""

    text: str
    at: str
    anchor: str
    tone: str
    y: float


def axis_texts(marks: Marks, variant: Variant) -> Iterator[AxisText]:
    """The labels under the bar that fit, most important first."""
    taken: list[tuple[float, float]] = []
    limit = f"limit {marks.limit:,}"
    anchor = "end" if marks.limit_px > len(limit) * CHAR_PX else "start"
    yield from _place(limit, marks.limit_px, (anchor, "o" if marks.is_over else "bb"), variant=variant, taken=taken)
    missing = f"{marks.not_sent:,} tokens left out" if variant.full_labels else f"{marks.not_sent:,} left out"
    named = (("margin", marks.margin), ("reserve", marks.reserve), ("not for input", marks.unusable))
    hatched = {f"{name} {tokens:,}": tokens for name, tokens in named if tokens}
    held = [" · ".join(hatched), max(hatched, key=hatched.__getitem__)] if hatched else []
    warning = ""
    if marks.threshold_px is not None and marks.threshold_percent is not None:
        warning = f"{marks.threshold_percent:g} % warning {marks.limit * marks.threshold_percent / 100:,.0f}"
    if variant.rows == 1:
        if marks.not_sent:
            yield from _place(missing, variant.width_px, ("end", "s"), variant=variant, taken=taken)
        # A warning stands beside its tick where the limit's label has no room for it below; of the hatches all are
        # named, or the widest.
        warnings = [(warning, marks.threshold_px or 0.0, (anchor, "w")) for anchor in ("middle", "end") if warning]
        hatches = [(text, marks.limit_px + 6, ("start", "s")) for text in held]
        for candidates in (warnings, hatches):
            yield from _first_that_fits(candidates, variant=variant, taken=taken)
        yield from _place("0", 0, ("start", "s"), variant=variant, taken=taken)
        return
    yield from _place("0", 0, ("start", "s"), variant=variant, taken=taken)
    if marks.not_sent:
        yield AxisText(missing, "100%", "end", "s", 66)
    elif hatched:
        yield AxisText(" · ".join(list(hatched)[:2]), "100%", "end", "s", 66)
    if warning:
        yield AxisText(warning.replace(" warning", ""), "0%", "start", "w", 66)


def _first_that_fits(
    candidates: Sequence[tuple[str, float, tuple[str, str]]], *, variant: Variant, taken: list[tuple[float, float]]
) -> Iterator[AxisText]:
    for text, at_px, look in candidates:
        if placed := list(_place(text, at_px, look, variant=variant, taken=taken)):
            yield from placed
            return


def _place(
    text: str, at_px: float, look: tuple[str, str], *, variant: Variant, taken: list[tuple[float, float]]
) -> Iterator[AxisText]:
    anchor, tone = look
    width = len(text) * CHAR_PX
    start = {"start": at_px, "middle": at_px - width / 2, "end": at_px - width}[anchor]
    end = start + width
    if start < -0.5 or end > variant.width_px + 0.5:
        return
    if any(start < right + 4 and end > left - 4 for left, right in taken):
        return
    taken.append((start, end))
    yield AxisText(text, percent(at_px, variant), anchor, tone, 50)


def percent(px: float, variant: Variant) -> str:
    """A place in pixels as a percent of the nominal width."""
    return f"{px / variant.width_px * 100:.3f}%"
