"""Which contenders meet over what, at which sizes, and how long they may take."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.documents import ROOT
from benchmarks.inputs import workloads
from benchmarks.packers import oracle
from benchmarks.packers.contenders import appending, library, ours, peers, starting, sweeping
from benchmarks.packers.oracle import Costs
from benchmarks.packers.race import Contender, Pace

CONVERSATION: Final = "conversation"
GROWTH: Final = "growth"
SWEEP_SHARE: Final = "sweep-share"
SWEEP_LIMIT: Final = "sweep-limit"
SKILLS: Final = "skills"
APPEND: Final = "append"
HELP: Final = "help"
REAL: Final = "real"

#: The library beside the conversation of a sweep.
SWEEP_SKILLS: Final = 500
#: The environment whose program is started for its help.
ENVIRONMENT: Final = ROOT / ".venv"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    `sizes` are messages, or skills for SKILLS; at GROWTH all sizes meet in one race. `slow_pace` is the sweeps', which
    have a call of minutes in them, `real_pace` that of real conversations. `memory` names group, size and contender.
    """

    name: str
    sizes: Mapping[str, tuple[int, ...]]
    pace: Pace
    slow_pace: Pace
    real_pace: Pace
    memory: tuple[tuple[str, int, str], ...]

    def pace_of(self, group: str) -> Pace:
        """The pace of one group's races."""
        if group == REAL:
            return self.real_pace
        return self.slow_pace if group in (SWEEP_SHARE, SWEEP_LIMIT) else self.pace


_IN_MEMORY: Final = (
    (CONVERSATION, ours.ANSWER),
    (CONVERSATION, ours.WARM),
    (CONVERSATION, ours.COLD),
    (CONVERSATION, peers.LANGCHAIN),
    (CONVERSATION, peers.TIKTOKEN),
    (CONVERSATION, peers.FAST),
    (SKILLS, library.PREPARED),
    (SKILLS, library.COUNTED),
    (SKILLS, library.SEED),
)


_LARGEST: Final = {CONVERSATION: 100_000, SKILLS: 50_000}

FULL: Final = Plan(
    name="full",
    sizes={
        CONVERSATION: (100, 1_000, 3_000, 10_000, 30_000, 100_000),
        GROWTH: (1_000, 100_000),
        SWEEP_SHARE: (3_000,),
        SWEEP_LIMIT: (3_000,),
        SKILLS: (50, 500, 5_000, 50_000),
        APPEND: (100_000,),
        HELP: (1,),
    },
    pace=Pace(rounds=7, limit_seconds=60.0, share_seconds=30.0),
    slow_pace=Pace(rounds=5, limit_seconds=240.0, share_seconds=60.0),
    real_pace=Pace(rounds=5, limit_seconds=20.0, share_seconds=10.0),
    memory=tuple((group, _LARGEST[group], name) for group, name in _IN_MEMORY),
)
QUICK: Final = Plan(
    name="quick",
    sizes={
        CONVERSATION: (100, 1_000, 10_000),
        GROWTH: (100, 10_000),
        SWEEP_SHARE: (1_000,),
        SWEEP_LIMIT: (1_000,),
        SKILLS: (50, 5_000),
        APPEND: (10_000,),
        HELP: (1,),
    },
    pace=Pace(rounds=3, limit_seconds=3.0, share_seconds=2.0),
    slow_pace=Pace(rounds=3, limit_seconds=5.0, share_seconds=5.0),
    real_pace=Pace(rounds=3, limit_seconds=2.0, share_seconds=2.0),
    memory=((CONVERSATION, 10_000, ours.COLD), (SKILLS, 5_000, library.COUNTED)),
)


def contenders_of(group: str, size: int) -> list[Contender]:
    """Who meets at one size."""
    return _MAKERS[group](size)


def contenders_over(costs: Costs, budget_tokens: int) -> list[Contender]:
    """Who meets over one conversation, generated or real."""
    return [
        *ours.packers(costs, budget_tokens),
        *peers.trimmers(costs, budget_tokens),
        *peers.tokenizers(costs),
    ]


@functools.lru_cache(maxsize=2)
def costs_at(size: int) -> Costs:
    """The generated conversation of a size, counted."""
    return oracle.costs_of(workloads.conversation(size))


def _conversation(size: int) -> list[Contender]:
    return contenders_over(costs_at(size), workloads.BUDGET_TOKENS)


def _growth(size: int) -> list[Contender]:
    budget = min(workloads.BUDGET_TOKENS, costs_at(size).of(range(size)))
    return [one for one in ours.packers(costs_at(size), budget) if one.name in (ours.ANSWER, ours.WARM)]


def _sweep_share(size: int) -> list[Contender]:
    return _sweep(size, sweeping.SHARE)


def _sweep_limit(size: int) -> list[Contender]:
    return _sweep(size, sweeping.LIMIT)


def _sweep(size: int, skills_limit: str | int) -> list[Contender]:
    skills = workloads.skills(SWEEP_SKILLS)
    return sweeping.Sweeping(costs_at(size), skills, workloads.sweep_budgets(), skills_limit).contenders()


def _skills(size: int) -> list[Contender]:
    return library.fitters(workloads.skills(size), workloads.SKILLS_TOKENS)


def _append(size: int) -> list[Contender]:
    return appending.appenders(costs_at(size))


def _help(_size: int) -> list[Contender]:
    return starting.starters(ENVIRONMENT)


_MAKERS: Final[Mapping[str, Callable[[int], list[Contender]]]] = {
    CONVERSATION: _conversation,
    GROWTH: _growth,
    SWEEP_SHARE: _sweep_share,
    SWEEP_LIMIT: _sweep_limit,
    SKILLS: _skills,
    APPEND: _append,
    HELP: _help,
}
