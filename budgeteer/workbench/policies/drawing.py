"""The chart of policies: what each has cost, or sent, up to every request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.analysis.replay.policies import PolicyTotals
from budgeteer.presentation.scale import Scale, pushed_apart, short
from budgeteer.presentation.setting_values import choice_text
from budgeteer.workbench.panels.sweep.drawing import PictureSize, Tick

#: Pixels at the right of a chart whose lines end in their numbers.
_NUMBERS_WIDTH: Final = 32
#: As wide as the narrowest page that each is shown on, so that no letter is drawn below its size (policies.css). In the
#: last two a line has its number, and the key below has the names.
SIZES: Final = (
    PictureSize("broad", 1216, 420, 64, 240, 12, top=20),
    PictureSize("wide", 952, 380, 64, 240, 10, top=20),
    PictureSize("medium", 664, 360, 56, 220, 7, top=20),
    PictureSize("narrow", 343, 320, 40, _NUMBERS_WIDTH, 5, top=16),
    PictureSize("slim", 288, 300, 44, _NUMBERS_WIDTH, 4, top=16),
)
#: Points of a line: more than that are no more than a pixel apart.
MOST_POINTS: Final = 400
#: Marks of breaks on one line: more are every n-th.
MOST_MARKS: Final = 60
#: More policies than that with one line are named by the first of them.
MOST_NAMES: Final = 2
_LABEL_GAP: Final = 16.0


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """The line of one policy, or of several with the same course: where it ends, and its label at the right of that.

    `is_shown` stands out; `number` counts the lines from the top where they end. `url` and `is_own` are of the first of
    them, or of the one that stands out.
    """

    name: str
    number: int
    path: str
    end_y: float
    label_y: float
    figure: str
    url: str
    is_shown: bool
    is_own: bool


@dataclass(frozen=True, slots=True)
class PolicyDrawing:
    """One drawing in its own pixels; `breaks` are where the prefix of the line that stands out broke."""

    size: PictureSize
    plot_right: float
    plot_width: float
    plot_bottom: float
    lines: tuple[PolicyLine, ...]
    breaks: tuple[tuple[float, float, str], ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]

    @property
    def has_names(self) -> bool:
        """Whether the names stand at the lines; else their numbers."""
        return self.size.right > _NUMBERS_WIDTH

    @property
    def key(self) -> tuple[PolicyLine, ...]:
        """The lines by their number."""
        return tuple(sorted(self.lines, key=lambda line: line.number))


@dataclass(frozen=True, slots=True)
class DrawnPolicy:
    """What is drawn of one policy: its totals, where its line leads, and whether it stands out."""

    totals: PolicyTotals
    url: str
    is_shown: bool
    is_own: bool


def has_prices(found: Sequence[PolicyTotals]) -> bool:
    """Whether the chart is drawn in money; else in tokens."""
    return all(one.by_request.cost is not None for one in found)


def draw_policies(policies: Sequence[DrawnPolicy]) -> tuple[PolicyDrawing, ...]:
    """The drawings of policies that have at least one request, one for each size."""
    in_money = has_prices([one.totals for one in policies])
    return tuple(_drawing(size, policies, in_money=in_money) for size in SIZES)


def _drawing(size: PictureSize, policies: Sequence[DrawnPolicy], *, in_money: bool) -> PolicyDrawing:
    by_course: dict[tuple[float, ...], list[DrawnPolicy]] = {}
    for one in policies:
        by_course.setdefault(tuple(_course(one.totals, in_money=in_money)), []).append(one)
    courses, groups = list(by_course), list(by_course.values())
    leads = [next((one for one in group if one.is_shown), group[0]) for group in groups]
    right, bottom = size.width - size.right, size.height - 36.0
    across = Scale(1, max(len(courses[0]), 2), size.left, right)
    up = Scale(0, max(course[-1] for course in courses) or 1, bottom, size.top)
    ends = [up.at(course[-1]) for course in courses]
    heights = pushed_apart(ends, gap=_LABEL_GAP, low=size.top, high=bottom)
    numbers = {at: number for number, at in enumerate(sorted(range(len(heights)), key=heights.__getitem__), 1)}
    lines = [
        PolicyLine(
            _name(lead, group),
            numbers[at],
            _path(course, across, up),
            end,
            height,
            _amount(course[-1], in_money=in_money),
            lead.url,
            lead.is_shown,
            any(each.is_own for each in group),
        )
        for at, (lead, group, course, end, height) in enumerate(zip(leads, groups, courses, ends, heights, strict=True))
    ]
    shown = next((at for at, lead in enumerate(leads) if lead.is_shown), 0)
    return PolicyDrawing(
        size=size,
        plot_right=right,
        plot_width=right - size.left,
        plot_bottom=bottom,
        lines=tuple(sorted(lines, key=lambda line: line.is_shown)),
        breaks=_breaks(leads[shown].totals, courses[shown], across, up),
        x_ticks=tuple(Tick(across.at(value), f"{value:,.0f}") for value in across.ticks(size.ticks) if value >= 1),
        y_ticks=tuple(Tick(up.at(value), _tick(value, in_money=in_money)) for value in up.ticks(5)),
    )


def _name(lead: DrawnPolicy, group: Sequence[DrawnPolicy]) -> str:
    """The names of policies with one line, the one that stands out first, and as many as there is room for."""
    names = [choice_text(one.totals.policy.name) for one in (lead, *(one for one in group if one is not lead))]
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{names[0]} and {len(names) - 1} more"


def _course(one: PolicyTotals, *, in_money: bool) -> Sequence[float]:
    """What was paid, or sent, up to each request."""
    costs = one.by_request.cost
    return list(accumulate(costs if in_money and costs is not None else one.by_request.sent))


def _path(course: Sequence[float], across: Scale, up: Scale) -> str:
    step = max(1, -(-len(course) // MOST_POINTS))
    rows = sorted({*range(0, len(course), step), len(course) - 1})
    points = [f"{across.at(row + 1):g} {up.at(course[row]):g}" for row in rows]
    return f"M{'L'.join(points)}"


def _breaks(
    one: PolicyTotals, course: Sequence[float], across: Scale, up: Scale
) -> tuple[tuple[float, float, str], ...]:
    broken = one.by_request.breaks
    step = max(1, -(-len(broken) // MOST_MARKS))
    return tuple((across.at(row + 1), up.at(course[row]), f"{row + 1:,}") for row in broken[::step])


def _amount(value: float, *, in_money: bool) -> str:
    return money(value, "USD") if in_money else short(round(value))


def _tick(value: float, *, in_money: bool) -> str:
    return f"${value:g}" if in_money else short(value)
