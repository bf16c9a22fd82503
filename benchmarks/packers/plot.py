"""One picture: time against messages, both scales logarithmic, a line a contender with its name at its end.

Plain SVG of ours. Its colours follow the reader's theme; lines differ in dashes and marks too, so that no colour has to
be told from another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from benchmarks.packers.race import Lap
from benchmarks.packers.report import duration
from benchmarks.packers.results import Results

WIDTH, HEIGHT = 880, 520
LEFT, RIGHT, TOP, BOTTOM = 70, 210, 20, 50
#: Names at the ends of lines stand at least so far apart.
LABEL_STEP = 17

#: Light, dark. Chosen apart in lightness as well as in hue, each at least 4.5 : 1 on its ground.
GROUND = ("#ffffff", "#161b22")
INK = ("#1f2328", "#e6edf3")
FAINT = ("#d0d7de", "#3d444d")
COLOURS = (
    ("#0b57d0", "#6ea8fe"),
    ("#0f766e", "#4fd1c5"),
    ("#7c3aed", "#b794f6"),
    ("#b45309", "#f6ad55"),
    ("#be123c", "#fc8181"),
    ("#a21caf", "#f687b3"),
    ("#57606a", "#9198a1"),
    ("#3f6212", "#a3c76d"),
)
DASHES = ("", "", "", "6 3", "6 3", "6 3", "2 3", "2 3")


_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    ' aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13">'
)


@dataclass(frozen=True, slots=True)
class LogScale:
    """Decades to pixels."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def decades(self) -> range:
        return range(self.low, self.high + 1)


@dataclass(frozen=True, slots=True)
class _Line:
    """One contender: the points that were measured, and where it was stopped, if it was."""

    name: str
    points: Sequence[tuple[int, float]]
    stopped: tuple[int, float] | None

    @property
    def end(self) -> tuple[int, float]:
        return self.stopped or self.points[-1]


def picture(results: Results, group: str) -> str:
    """The SVG of one group of laps; it needs at least one lap with a time."""
    lines = [line for name in results.names(group) if (line := _line(name, results.laps[group])) is not None]
    sizes = results.sizes(group)
    times = [seconds for line in lines for _, seconds in (*line.points, line.end)]
    x = _scale(sizes, LEFT, WIDTH - RIGHT)
    y = _scale(times, HEIGHT - BOTTOM, TOP)
    labels = _apart([y.at(line.end[1]) for line in lines])
    drawn = [*axes(x, y, across="messages", label=duration)]
    for at, (line, label) in enumerate(zip(lines, labels, strict=True)):
        drawn += _drawn(line, at, label, x=x, y=y)
    return "\n".join([_open(lines), *drawn, "</svg>", ""])


def _line(name: str, laps: Sequence[Lap]) -> _Line | None:
    mine = sorted((lap for lap in laps if lap.name == name), key=lambda lap: lap.size)
    points = [(lap.size, lap.median) for lap in mine if lap.median is not None]
    stopped = next(((lap.size, lap.limit_seconds) for lap in mine if lap.limit_seconds is not None), None)
    return _Line(name, points, stopped) if points else None


def _scale(values: Sequence[float], start: float, end: float) -> LogScale:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return LogScale(low, max(high, low + 1), start, end)


def _open(lines: Sequence[_Line]) -> str:
    told = "; ".join(
        f"{line.name}: {duration(line.points[0][1])} at {line.points[0][0]:,} messages, "
        + (
            f"stopped after {duration(line.stopped[1])} at {line.stopped[0]:,}"
            if line.stopped
            else f"{duration(line.points[-1][1])} at {line.points[-1][0]:,}"
        )
        for line in lines
    )
    return opened("Time to pack a conversation into its budget, by its messages", f"{told}.")


def opened(title: str, told: str) -> str:
    """The head of a picture, what is said to whom does not see, and the colours of both themes."""
    return "\n".join(
        [
            _HEAD,
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">Both scales are logarithmic. {escape(told)}</desc>',
            f"<style>\n{_rules(0)}\n@media (prefers-color-scheme: dark) {{\n{_rules(1)}\n}}\n</style>",
            f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
        ]
    )


def _rules(theme: int) -> str:
    plain = {
        ".ground": f"fill: {GROUND[theme]}",
        ".ink": f"fill: {INK[theme]}",
        ".grid": f"stroke: {FAINT[theme]}; stroke-width: 1",
    }
    coloured: Mapping[str, str] = {
        f".line{at}": f"stroke: {colour[theme]}; fill: none; stroke-width: 2" for at, colour in enumerate(COLOURS)
    }
    filled = {f".mark{at}": f"fill: {colour[theme]}" for at, colour in enumerate(COLOURS)}
    return "\n".join(f"{name} {{ {rule} }}" for name, rule in {**plain, **coloured, **filled}.items())


def axes(x: LogScale, y: LogScale, *, across: str, label: Callable[[float], str]) -> Iterator[str]:
    """The grid with its numbers; `across` names what runs to the right, `label` says a value that runs up."""
    for decade in x.decades:
        at = x.at(10.0**decade)
        yield f'<line class="grid" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text class="ink" x="{at:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{10**decade:,}</text>'
    for decade in y.decades:
        at = y.at(10.0**decade)
        yield f'<line class="grid" x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}"/>'
        said = label(10.0**decade)
        yield f'<text class="ink" x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{said}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text class="ink" x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{across}</text>'


def _drawn(line: _Line, at: int, label: float, *, x: LogScale, y: LogScale) -> Iterator[str]:
    points = [(x.at(size), y.at(seconds)) for size, seconds in line.points]
    colour, dash = at % len(COLOURS), DASHES[at % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    yield f'<polyline class="line{colour}" points="{path}"{dashed}/>'
    for px, py in points:
        yield f'<circle class="mark{colour}" cx="{px:.1f}" cy="{py:.1f}" r="3.5"/>'
    end = x.at(line.end[0]), y.at(line.end[1])
    name = line.name
    if line.stopped is not None:  # an open mark: at least this long
        (px, py), (sx, sy) = points[-1], end
        yield f'<line class="line{colour}" x1="{px:.1f}" y1="{py:.1f}" x2="{sx:.1f}" y2="{sy:.1f}"{dashed}/>'
        arrow = f"M {sx - 5:.1f} {sy + 4:.1f} L {sx:.1f} {sy - 5:.1f} L {sx + 5:.1f} {sy + 4:.1f}"
        yield f'<path class="line{colour}" d="{arrow}"/>'
        name = f"{name} (stopped)"
    yield f'<line class="grid" x1="{end[0] + 6:.1f}" y1="{end[1]:.1f}" x2="{WIDTH - RIGHT + 12}" y2="{label:.1f}"/>'
    yield f'<text class="mark{colour}" x="{WIDTH - RIGHT + 16}" y="{label + 4:.1f}">{escape(name)}</text>'


def _apart(places: Sequence[float]) -> list[float]:
    """The places moved apart, order kept, none far from where it was and none off the picture."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    moved = list(places)
    for before, here in pairwise(order):
        moved[here] = max(moved[here], moved[before] + LABEL_STEP)
    lowest = float(HEIGHT - BOTTOM)
    for here in reversed(order):
        moved[here] = min(moved[here], lowest)
        lowest = moved[here] - LABEL_STEP
    return moved
