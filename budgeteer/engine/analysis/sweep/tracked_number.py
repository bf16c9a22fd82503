"""A number that records every comparison made with it.

A packing decides by comparing limits with sums. Give it a `TrackedNumber` in the place of a limit, and every comparison
is noted: as long as all of them come out the same, the packing is the same. So one packing answers for a whole range
of the number that is swept, and the next one is made where the first comparison turns (decision 010).

It is no `int` on purpose: whatever would use its value without comparing it (an index, a text, `int()`) raises
TypeError, so that nothing is decided behind its back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np

type Number = int | np.integer[Any]


#: Where a number may fall as well as rise, so many positions are looked at one by one.
_LOOKED_AT: Final = 4096


@dataclass(eq=False, slots=True)
class Root:
    """A number made from the position that is swept.

    `at` gives it at any position, `bounds` what it may be anywhere from the start up to a position. `rising` is set
    where it never falls as the position grows. `low` and `high` are what it may not fall below and may not reach, by
    the comparisons so far.
    """

    at: Callable[[int], int]
    bounds: Callable[[int], tuple[int, int]]
    value: int
    rising: bool
    low: int | None = None
    high: int | None = None

    def note(self, bound: int, *, reached: bool) -> None:
        """One comparison: whether the root is at least `bound`."""
        if reached:
            self.low = bound if self.low is None else max(self.low, bound)
        else:
            self.high = bound if self.high is None else min(self.high, bound)

    @property
    def is_watched(self) -> bool:
        """Whether it was compared with anything."""
        return self.low is not None or self.high is not None

    def holds_up_to(self, position: int) -> bool:
        """Whether every comparison surely comes out the same from the start up to a position."""
        return self._holds(*self.bounds(position))

    def holds_at(self, position: int) -> bool:
        """Whether every comparison comes out the same at a position."""
        value = self.at(position)
        return self._holds(value, value)

    def _holds(self, least: int, most: int) -> bool:
        return (self.low is None or self.low <= least) and (self.high is None or most < self.high)


@dataclass(slots=True)
class Watch:
    """The comparisons of one packing at one position."""

    position: int
    roots: list[Root] = field(default_factory=list)

    def number(self, at: Callable[[int], int]) -> int:
        """A swept number for use as a limit; `at` gives it for every position and never falls."""
        value = at(self.position)
        return cast("int", self.swept(at, lambda position: (value, at(position)), rising=True))

    def swept(
        self, at: Callable[[int], int], bounds: Callable[[int], tuple[int, int]], *, rising: bool
    ) -> TrackedNumber:
        """A number that may also fall, within `bounds`."""
        root = Root(at, bounds, at(self.position), rising)
        self.roots.append(root)
        return TrackedNumber(self, root, 0)

    def last(self, end: int) -> int:
        """The last position, at most `end`, up to which every comparison surely comes out the same."""
        watched = [root for root in self.roots if root.is_watched]
        last = _farthest(lambda position: all(root.holds_up_to(position) for root in watched), self.position, end)
        if all(root.rising for root in watched):
            return last
        most = min(end, last + _LOOKED_AT)
        while last < most and all(root.holds_at(last + 1) for root in watched):
            last += 1
        return last


def _farthest(holds: Callable[[int], bool], start: int, end: int) -> int:
    """The last position up to which something holds that holds at the start and, once lost, stays lost."""
    if holds(end):
        return end
    step = 1
    while start + step < end and holds(start + step):
        start, step = start + step, step * 2
    end = min(end, start + step)
    while end - start > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start


class TrackedNumber:
    """A root and what was added to it: sums and differences, scaling by what is not negative, comparisons."""

    __slots__ = ("offset", "root", "watch")
    #: numpy hands `array <= swept` to this class instead of reading it as an object.
    __array_ufunc__: Final = None

    def __init__(self, watch: Watch, root: Root, offset: int) -> None:
        self.watch, self.root, self.offset = watch, root, offset

    @property
    def value(self) -> int:
        """What it is where the packing is made."""
        return self.root.value + self.offset

    def _made(self, change: Callable[[int], int]) -> TrackedNumber:
        """What a change that never turns two values round makes of it."""
        root, offset = self.root, self.offset

        def bounds(position: int) -> tuple[int, int]:
            least, most = root.bounds(position)
            return change(least + offset), change(most + offset)

        return self.watch.swept(lambda position: change(root.at(position) + offset), bounds, rising=root.rising)

    def _with(self, other: TrackedNumber, sign: int) -> TrackedNumber:
        """The sum with another, or the difference."""
        mine, theirs, offset = self.root, other.root, self.offset + sign * other.offset

        def bounds(position: int) -> tuple[int, int]:
            low, high = mine.bounds(position)
            ends = [sign * end for end in theirs.bounds(position)]
            return low + min(ends), high + max(ends)

        def at(position: int) -> int:
            return mine.at(position) + sign * theirs.at(position)

        return self.watch.swept(at, bounds, rising=mine.rising and theirs.rising and sign > 0) + offset

    def __add__(self, other: object) -> TrackedNumber:
        if isinstance(other, TrackedNumber):
            return self._with(other, 1)
        if not isinstance(other, int | np.integer):
            return NotImplemented
        return TrackedNumber(self.watch, self.root, self.offset + int(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> TrackedNumber:
        if isinstance(other, TrackedNumber):
            return self._with(other, -1)
        return self + -int(other) if isinstance(other, int | np.integer) else NotImplemented

    def __rsub__(self, other: object) -> TrackedNumber:
        if not isinstance(other, int | np.integer):
            return NotImplemented
        root = self.root

        def bounds(position: int) -> tuple[int, int]:
            least, most = root.bounds(position)
            return -most, -least

        turned = self.watch.swept(lambda position: -root.at(position), bounds, rising=False)
        return turned + (int(other) - self.offset)

    def __mul__(self, other: object) -> TrackedNumber:
        if not isinstance(other, int | np.integer) or other < 0:
            return NotImplemented
        factor = int(other)
        return self._made(lambda value: value * factor)

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> TrackedNumber:
        if not isinstance(other, int | np.integer) or other <= 0:
            return NotImplemented
        divisor = int(other)
        return self._made(lambda value: value // divisor)

    def _reaches(self, other: Any, *, beyond: int) -> Any:
        """Whether it is at least `other + beyond`, for a number, another Swept, or each entry of an array."""
        if isinstance(other, TrackedNumber):
            if self.root is other.root:
                return self.offset >= other.offset + beyond
            return self - other >= beyond
        if isinstance(other, np.ndarray):
            bounds = other + (beyond - self.offset)
            reached = bounds <= self.root.value
            if reached.any():
                self.root.note(int(bounds[reached].max()), reached=True)
            if not reached.all():
                self.root.note(int(bounds[~reached].min()), reached=False)
            return reached
        if not isinstance(other, int | np.integer):
            return NotImplemented
        bound = int(other) + beyond - self.offset
        one = self.root.value >= bound
        self.root.note(bound, reached=one)
        return one

    def __ge__(self, other: object) -> Any:
        return self._reaches(other, beyond=0)

    def __gt__(self, other: object) -> Any:
        return self._reaches(other, beyond=1)

    def __lt__(self, other: object) -> Any:
        return _negated(self._reaches(other, beyond=0))

    def __le__(self, other: object) -> Any:
        return _negated(self._reaches(other, beyond=1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TrackedNumber | int | np.integer):
            return NotImplemented
        return bool(self >= other) and not bool(self > other)

    def __hash__(self) -> int:
        return hash((id(self.root), self.offset))

    def __bool__(self) -> bool:
        return self != 0

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __repr__(self) -> str:
        return f"TrackedNumber({self.value})"

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        arguments: tuple[Any, ...],
        options: Mapping[str, Any],
    ) -> Any:
        """`searchsorted` on the right, which compares; no other function of numpy's is known here."""
        if function is not np.searchsorted or options != {"side": "right"}:
            return NotImplemented
        column, _ = arguments
        return int(np.asarray(self >= column).sum())


def plain(number: int) -> int:
    """The number itself, whether it is swept or not."""
    swept: object = number
    return swept.value if isinstance(swept, TrackedNumber) else number


def _negated(found: Any) -> Any:
    if found is NotImplemented:
        return found
    return ~found if isinstance(found, np.ndarray) else not found
