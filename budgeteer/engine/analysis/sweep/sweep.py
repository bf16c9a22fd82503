"""Sweep: every breakpoint of a limit, and the answer that holds from it on.

The answer is a step function of the limit. Each packing on the way says itself up to where its answer is certain
(swept), so the next one is made where that ends, and nowhere else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from budgeteer.engine.analysis.sweep.axes import Axis, Unit
from budgeteer.engine.analysis.sweep.packing_answer import PackingAnswer
from budgeteer.engine.analysis.sweep.prefix_answers import prefixes_of
from budgeteer.engine.analysis.sweep.probe import Prober, Subject
from budgeteer.engine.counting.library_measures import Progress
from budgeteer.engine.errors import ConfigError

#: A curve that rises less than this share above its chord has no knee. Source: ours.
_LEAST_BEND: Final = 0.05


@dataclass(frozen=True, slots=True)
class SweepStep:
    """One step: from the value `at` on, up to the next step, the answer is this."""

    at: int | float
    answer: PackingAnswer

    def to_json(self) -> dict[str, Any]:
        """`{at, tokens, kept, fits, sections}`."""
        return {"at": self.at, **self.answer.to_json()}


@dataclass(frozen=True, slots=True)
class Sweep:
    """Every breakpoint of one limit within an interval.

    Attributes:
        path: the limit. unit: what it counts.
        first, last: the interval; values beyond `last` were not asked for, or are not allowed.
        steps: neighbours differ. The first stands at `first`, but where a compress range is refused there is none. A
            reserve is swept from the largest to the smallest.
        current: the value in force, None where the configuration sets no such limit.
        current_step: the index of the step it stands on, None where it is not set or outside of the interval.
        knee: the index of the step where the curve of tokens sent bends most, None where it does not bend.
        items: the decision ids that the answers' fates stand for.
    """

    path: str
    unit: Unit
    first: int | float
    last: int | float
    steps: tuple[SweepStep, ...]
    current: int | float | None
    current_step: int | None
    knee: int | None
    items: Callable[[], tuple[str, ...]]

    def step_at(self, value: float) -> int:
        """The index of the step that a value within the interval stands on."""
        falling = self.first > self.last
        reached = [at for at, step in enumerate(self.steps) if (step.at >= value if falling else step.at <= value)]
        return reached[-1] if reached else 0

    def breakpoints_to_json(self) -> list[dict[str, Any]]:
        """`[{at, tokens, kept, fits, sections, current, knee}]`: each step, and whether it is one of the two."""
        marked = [("current", self.current_step), ("knee", self.knee)]
        return [
            {**step.to_json(), **{name: index == at for name, index in marked}} for at, step in enumerate(self.steps)
        ]

    def to_json(self) -> dict[str, Any]:
        """`{path, unit, from, to, current, knee, steps: [{at, tokens, kept, fits, sections}]}`."""
        return {
            "path": self.path,
            "unit": self.unit,
            "from": self.first,
            "to": self.last,
            "current": self.current,
            "knee": None if self.knee is None else self.steps[self.knee].at,
            "steps": [step.to_json() for step in self.steps],
        }


def sweep(
    subject: Subject,
    name: str,
    *,
    between: tuple[float | None, float | None] = (None, None),
    progress: Progress | None = None,
) -> Sweep:
    """Every breakpoint of the limit called `name`: a configuration path, its last step, or `inputBudget`.

    `between` bounds the interval; by default it is all that the schema, the model and the material allow.

    Raises:
        ConfigError: there is no such limit, nothing of it lies in the interval, or the configuration cannot be used.
        CompressRefused: a compress range is refused at every value.
    """
    prober = Prober.of(subject, name)
    low, high = _interval(prober.axis, between)
    found = list(_answers(prober, low, high, progress))
    turned = [next(run) for _, run in groupby(found, key=lambda one: one[1])]
    runs = [(position, answer) for position, answer in turned if answer is not None]
    if not runs:
        prober.probe(low)  # refused everywhere: raises what it is refused for
    value = prober.axis.value
    return Sweep(
        path=prober.axis.path,
        unit=prober.axis.unit,
        first=value(low),
        last=prober.axis.widest if high == prober.axis.high else value(high),
        steps=tuple(SweepStep(value(position), answer) for position, answer in runs),
        current=prober.axis.current,
        current_step=_current_step(prober.axis, low, high, [position for position, _ in runs]),
        knee=knee_of([(position, answer.size.tokens) for position, answer in runs]),
        items=prober.items,
    )


def sweep_at(subject: Subject, name: str, values: Sequence[float]) -> list[PackingAnswer]:
    """The answers at some values of a limit, in the order of the values.

    Raises:
        ConfigError: as `sweep`, and where a value is outside of what may be swept.
    """
    prober = Prober.of(subject, name)
    axis = prober.axis
    positions = [axis.position(value) for value in values]
    for position, value in zip(positions, values, strict=True):
        if not axis.low <= position <= axis.high:
            mend = f"Take values from {axis.value(axis.low):,} to {axis.value(axis.high):,}."
            raise ConfigError(f"{value:,} is outside of what may be swept", where=axis.path, mend=mend)
    prefixes = prefixes_of(prober)
    wanted = sorted(set(positions))
    found = {} if prefixes is None else prefixes.answers(wanted)
    last, answer = axis.low - 1, None
    for position in [position for position in wanted if position not in found]:
        if answer is None or position > last:
            probed = prober.probe(position)
            last, answer = probed.last, probed.answer
        found[position] = answer
    return [found[position] for position in positions]


def knee_of(curve: Sequence[tuple[int, int]]) -> int | None:
    """The index of the point that rises most above the line from the first point to the last; None without a bend.

    Both axes are scaled to that line. Source: the knee of Satopaa et al. (2011, "Finding a Kneedle in a Haystack"),
    without its smoothing: these are steps.
    """
    if len(curve) < 3:
        return None
    (start, bottom), (end, top) = curve[0], curve[-1]
    if top <= bottom or end <= start:
        return None
    above = [(tokens - bottom) / (top - bottom) - (at - start) / (end - start) for at, tokens in curve]
    highest = max(range(len(above)), key=lambda index: above[index])
    return highest if above[highest] >= _LEAST_BEND else None


def _interval(axis: Axis, between: tuple[float | None, float | None]) -> tuple[int, int]:
    """The first and last position that is asked for."""
    least, most = (None if value is None else axis.position(value) for value in between)
    if axis.value(axis.low) > axis.value(axis.high):
        least, most = most, least
    low = axis.low if least is None else max(least, axis.low)
    high = axis.high if most is None else min(most, axis.high)
    if low > high:
        ends = sorted((axis.value(axis.low), axis.value(axis.high)))
        mend = f"It may be swept from {ends[0]:,} to {ends[1]:,}."
        raise ConfigError("nothing of this limit lies in the interval asked for", where=axis.path, mend=mend)
    return low, high


def _current_step(axis: Axis, low: int, high: int, turns: Sequence[int]) -> int | None:
    """The index of the step, by the positions where they begin, of the value in force."""
    if axis.current is None or not low <= axis.position(axis.current) <= high:
        return None
    return bisect_right(turns, axis.position(axis.current)) - 1


def _answers(
    prober: Prober, low: int, high: int, progress: Progress | None
) -> Iterator[tuple[int, PackingAnswer | None]]:
    """The answers from `low` to `high`, each with the position it begins at; neighbours may be the same."""
    prefixes = prefixes_of(prober)
    turns = [] if prefixes is None else prefixes.turns(low, high)
    end = turns[0] - 1 if turns else high
    position = low
    while position <= end:
        answer, last = prober.answer(position)
        yield position, answer
        if progress is not None and answer is not None:
            progress(answer.kept, len(answer.fates))
        position = last + 1
    if prefixes is not None and turns:
        yield from prefixes.answers(turns).items()
