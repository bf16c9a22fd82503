"""The goals, each with the figure that is held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.packers.comparisons import APPEND, CONVERSATION, GROWTH, HELP, SKILLS, SWEEP_LIMIT, SWEEP_SHARE
from benchmarks.packers.contenders import appending, library, ours, peers, starting, sweeping
from benchmarks.packers.results import Ratio, Results, ratio


@dataclass(frozen=True, slots=True)
class Judged:
    """One goal: what was hoped for, what was measured, and whether that reaches it."""

    goal: str
    measured: str
    reached: bool


@dataclass(frozen=True, slots=True)
class _Faster:
    """`name` takes at most 1/times of what `than` takes."""

    words: str
    group: str
    name: str
    than: str
    times: float
    size: int | None = None

    def judged(self, results: Results) -> Judged | None:
        size = self.size or max(results.sizes(self.group), default=0)
        found = ratio(results.lap(self.group, self.than, size), results.lap(self.group, self.name, size))
        if found is None:
            return None
        goal = f"{self.words}, {size:,}: at least {self.times:g} times as fast as {self.than}"
        return Judged(goal, f"{shown(found)} times", found.value >= self.times)


@dataclass(frozen=True, slots=True)
class _NoSlower:
    """`name` takes at most `times` of what `than` takes; the two may have different sizes."""

    words: str
    group: str
    name: str
    than: str
    times: float
    size: int | None = None
    than_smallest: bool = False

    def judged(self, results: Results) -> Judged | None:
        sizes = results.sizes(self.group)
        if not sizes or (self.size or sizes[-1]) not in sizes:
            return None
        size = self.size or sizes[-1]
        other = sizes[0] if self.than_smallest else size
        found = ratio(results.lap(self.group, self.name, size), results.lap(self.group, self.than, other))
        if found is None:
            return None
        beside = f"{other:,}" if self.than_smallest else self.than
        goal = f"{self.words}, {size:,}: at most {self.times:g} times {beside}"
        return Judged(goal, f"{shown(found)} times", found.value <= self.times and not found.is_bound)


@dataclass(frozen=True, slots=True)
class _Within:
    """A figure with a unit is at most so much."""

    words: str
    most: float
    unit: str
    figure: Callable[[Results], float | None]

    def judged(self, results: Results) -> Judged | None:
        found = self.figure(results)
        if found is None:
            return None
        return Judged(
            f"{self.words}: at most {self.most:g} {self.unit}", f"{found:.3g} {self.unit}", found <= self.most
        )


def _help_milliseconds(results: Results) -> float | None:
    lap = results.lap(HELP, starting.HELP, 1)
    return None if lap is None or lap.median is None else lap.median * 1e3


def _skills_megabytes(results: Results) -> float | None:
    added = results.added(SKILLS, library.COUNTED)
    return None if added is None else added.megabytes


GOALS: tuple[_Faster | _NoSlower | _Within, ...] = (
    _Faster("Packing warm, messages", CONVERSATION, ours.WARM, peers.LANGCHAIN, 500),
    _NoSlower("Packing warm, messages", GROWTH, ours.WARM, ours.WARM, 15, than_smallest=True),
    _NoSlower("200 budgets warm, a tenth for skills, messages", SWEEP_SHARE, sweeping.WARM, sweeping.ONE, 3),
    _NoSlower("200 budgets warm, one limit of skills, messages", SWEEP_LIMIT, sweeping.WARM, sweeping.ONE, 3),
    _Faster("200 budgets cold, a tenth for skills, messages", SWEEP_SHARE, sweeping.COLD, sweeping.LANGCHAIN, 500),
    _Faster("200 budgets cold, one limit of skills, messages", SWEEP_LIMIT, sweeping.COLD, sweeping.LANGCHAIN, 500),
    _Faster("Packing cold with totals, messages", CONVERSATION, ours.COLD, peers.LANGCHAIN, 8, size=10_000),
    _Faster("Packing cold with totals, messages", CONVERSATION, ours.COLD, peers.LANGCHAIN, 8),
    _NoSlower("Packing cold with totals, messages", CONVERSATION, ours.COLD, peers.FAST, 2.5, size=10_000),
    _NoSlower("Packing cold with totals, messages", CONVERSATION, ours.COLD, peers.FAST, 2.5),
    _NoSlower("Only what stays, messages", GROWTH, ours.ANSWER, ours.ANSWER, 1.5, than_smallest=True),
    _Faster("Skills prepared", SKILLS, library.PREPARED, library.SEED, 500),
    _Faster("Skills counted anew", SKILLS, library.COUNTED, library.SEED, 2.5),
    _Within("Memory added by counting and fitting the skills", 40, "MB", _skills_megabytes),
    _NoSlower("Appending a message to", APPEND, appending.APPENDED, appending.ENCODED, 2),
    _Within("Time to the help, which loads neither Django nor numpy nor a tokenizer", 150, "ms", _help_milliseconds),
)


def judged(results: Results) -> Iterator[Judged]:
    """Every goal that something was measured for; two that name one size are one where only one size was run."""
    said: set[str] = set()
    for goal in GOALS:
        found = goal.judged(results)
        if found is not None and found.goal not in said:
            said.add(found.goal)
            yield found


def shown(found: Ratio) -> str:
    """A ratio in three digits; "> " before a bound."""
    return f"{'> ' if found.is_bound else ''}{figure(found.value)}"


def figure(value: float) -> str:
    """A number in three digits, with thousands apart and without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
