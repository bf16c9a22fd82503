"""Contenders side by side: a gate that looks at every answer, then rounds in which each has its turn.

No time is kept of anybody before all have answered. Ours must answer right, or nothing is measured; what is wrong with
an answer of others is kept beside their times.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

#: A call shorter than this is repeated within its turn, so that neither the clock rules nor the processor's caches,
#: which other turns left cold: a call that is made once would pay for all of that, one that is made ten times a tenth.
TURN_SECONDS = 0.05
MOST_REPEATS = 2_000

#: The work of one call: its number tells budgets apart, so that no answer is ready from the call before.
type Work = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do one thing at one size.

    Attributes:
        prepare: makes the work; what it does is not timed.
        faults: what is wrong with the answer of call 0, in words.
        ours: whether a fault stops the benchmark.
        is_peer: whether it needs a library that only .venv-bench holds.
    """

    name: str
    size: int
    prepare: Callable[[], Work]
    faults: Callable[[Any], list[str]]
    ours: bool = False
    is_peer: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a race may take: rounds, the limit of one call, and what one contender may take in all its rounds."""

    rounds: int
    limit_seconds: float
    share_seconds: float


@dataclass(frozen=True, slots=True)
class Lap:
    """How one contender did.

    Attributes:
        seconds: of each round; empty where its call was over the limit or was not tried.
        limit_seconds: what the call was over, None where it was not.
        faults: what was wrong with its answer.
    """

    name: str
    size: int
    seconds: list[float] = field(default_factory=list)
    limit_seconds: float | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def median(self) -> float | None:
        """The median of its rounds, None without any."""
        return median(self.seconds) if self.seconds else None


class WrongAnswerError(Exception):
    """Ours does not answer right; nothing was timed."""


class _OverLimitError(BaseException):
    """Not an Exception: contenders catch those."""


@dataclass(frozen=True, slots=True)
class _Runner:
    """A contender that is through the gate, or over the limit of one call and out of the race (no work)."""

    lap: Lap
    work: Work | None = None
    repeats: int = 1

    def run(self, share_seconds: float) -> None:
        """One more round, unless its share of the time is used up; the first is always run."""
        seconds = self.lap.seconds
        if self.work is not None and (not seconds or sum(seconds) + seconds[0] <= share_seconds):
            seconds.append(_timed(self.work, self.repeats))


def race(contenders: Sequence[Contender], pace: Pace) -> list[Lap]:
    """Gate, then rounds in turn.

    Raises:
        WrongAnswerError: one of ours has a fault, or is over the limit.
    """
    runners = [_through_the_gate(one, pace.limit_seconds) for one in contenders]
    with _quiet():
        for _ in range(pace.rounds):
            for runner in runners:
                runner.run(pace.share_seconds)
    return [runner.lap for runner in runners]


def _through_the_gate(one: Contender, limit_seconds: float) -> _Runner:
    work = one.prepare()
    seconds, answer = _limited(work, limit_seconds)
    if seconds is None:
        if one.ours:
            raise WrongAnswerError(f"{one.name}, {one.size:,}: no answer within {limit_seconds:g} s")
        return _Runner(Lap(one.name, one.size, limit_seconds=limit_seconds))
    lap = Lap(one.name, one.size, faults=one.faults(answer))
    if one.ours and lap.faults:
        raise WrongAnswerError(f"{one.name}, {one.size:,}: {'; '.join(lap.faults)}")
    return _Runner(lap, work, _repeats(work, seconds))


def _timed(work: Work, times: int) -> float:
    begin = time.perf_counter()
    for turn in range(1, times + 1):
        work(turn)
    return (time.perf_counter() - begin) / times


def _repeats(work: Work, first_seconds: float) -> int:
    """How often a call is made within one turn; the first of all calls is no measure of a short one."""
    if first_seconds > TURN_SECONDS * 10:
        return 1
    again = min(_timed(work, 3), first_seconds)
    return max(1, min(math.ceil(TURN_SECONDS / max(again, 1e-9)), MOST_REPEATS))


def _limited(work: Work, limit_seconds: float) -> tuple[float | None, Any]:
    """The first call with its seconds, or None where it was over the limit and was stopped."""

    def stop(_number: int, _frame: object) -> None:
        raise _OverLimitError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_seconds)
    begin = time.perf_counter()
    try:
        answer = work(0)
    except _OverLimitError:
        return None, None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return time.perf_counter() - begin, answer


@contextmanager
def _quiet() -> Iterator[None]:
    """What was prepared is left out of garbage collection, as if each contender were alone with its own."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
