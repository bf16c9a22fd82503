"""The distribution of sizes as a chart: bars on a scale of logarithms, each a link, and what may be sent as a line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.analysis.evaluation.distribution import Distribution
from budgeteer.presentation.scale import Scale, short

#: Bars of the chart, beside one for empty requests.
MOST_BARS: Final = 32
_GAP: Final = 2.0
_LEAST_HEIGHT: Final = 3.0
_LABELS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class ChartSize:
    """One drawing: its size in pixels, and the margins that leave room for labels."""

    name: str
    width: int
    height: int
    left: int
    right: int
    ticks: int
    top: int = 24
    bottom: int = 36


SIZES: Final = (
    ChartSize("wide", 1152, 300, 56, 16, 5),
    ChartSize("medium", 728, 280, 52, 12, 5),
    ChartSize("narrow", 358, 260, 48, 8, 4),
)


@dataclass(frozen=True, slots=True)
class SizeBar:
    """One bar: its place in pixels, its address, and what it stands for in words."""

    x: float
    y: float
    width: float
    height: float
    url: str
    title: str
    is_over: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """A label of an axis, and where it stands."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """A drawing of one size; `limit_x` is None where what may be sent lies beyond it."""

    size: ChartSize
    plot_right: float
    plot_width: float
    plot_bottom: float
    bars: tuple[SizeBar, ...]
    x_ticks: tuple[AxisLabel, ...]
    y_ticks: tuple[AxisLabel, ...]
    limit_x: float | None
    limit_label: str
    limit_anchor: str


@dataclass(frozen=True, slots=True)
class ChartQuestion:
    """What the chart is drawn of.

    Attributes:
        limit_tokens: what may be sent.
        chosen: the bounds of the bar that is looked at, None for none.
        url: the address of a bar by its bounds.
    """

    limit_tokens: int
    chosen: tuple[int, int] | None
    url: Callable[[int, int], str]


def draw_histogram(values: Distribution, question: ChartQuestion) -> tuple[Histogram, ...]:
    """The drawings of a distribution that has values, one for each size."""
    bars = values.bars(MOST_BARS)
    return tuple(_draw(size, bars, question) for size in SIZES)


def _draw(size: ChartSize, bars: list[tuple[int, int, int]], question: ChartQuestion) -> Histogram:
    right, bottom = float(size.width - size.right), float(size.height - size.bottom)
    pitch = (right - size.left) / len(bars)
    up = Scale(0, max(count for _, _, count in bars), bottom, size.top).up_to_tick(size.ticks)
    drawn = []
    for at, (low, high, count) in enumerate(bars):
        if not count:
            continue
        height = max(bottom - up.at(count), _LEAST_HEIGHT)
        words = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        noun = "conversation" if count == 1 else "conversations"
        drawn.append(
            SizeBar(
                round(size.left + at * pitch, 2),
                round(bottom - height, 2),
                round(max(pitch - _GAP, 1), 2),
                round(height, 2),
                question.url(low, high),
                f"{words} tokens: {count:,} {noun}",
                is_over=low > question.limit_tokens,
                is_chosen=question.chosen == (low, high),
            )
        )
    limit = _place_of(question.limit_tokens, bars, size.left, pitch)
    return Histogram(
        size,
        right,
        right - size.left,
        bottom,
        tuple(drawn),
        tuple(_value_labels(bars, size, pitch)),
        tuple(AxisLabel(up.at(value), f"{value:,.0f}") for value in up.ticks(size.ticks) if value == int(value)),
        limit,
        f"may be sent: {question.limit_tokens:,}",
        "end" if limit is not None and limit > size.width / 2 else "start",
    )


def _place_of(value: int, bars: list[tuple[int, int, int]], left: float, pitch: float) -> float | None:
    """Where a value stands on the axis, None where it lies beyond it."""
    for at, (low, high, _) in enumerate(bars):
        if low <= value <= high and high > 0:
            share = 0.0 if low == high else math.log(value / low) / math.log((high + 1) / low)
            return round(left + (at + share) * pitch, 2)
    return None


def _value_labels(bars: list[tuple[int, int, int]], size: ChartSize, pitch: float) -> list[AxisLabel]:
    """Labels at round values (1, 2, 5, 10, …), as many as there is room for."""
    high = bars[-1][1]
    rounds = [step * 10**power for power in range(len(str(high)) + 1) for step in _LABELS]
    places = [(_place_of(value, bars, size.left, pitch), value) for value in rounds]
    standing = [(at, value) for at, value in places if at is not None]
    room = 48.0
    found: list[AxisLabel] = []
    for at, value in standing:
        if not found or at - found[-1].at >= room:
            found.append(AxisLabel(at, short(value)))
    return found
