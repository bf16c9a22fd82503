"""Periodic clean-up: each app registers its own, and a worker runs them in turn.

    @sweep("deleted sources")
    def purge_sources(now: datetime) -> int: ...

A sweep may run at any time, also twice at once; it removes in small transactions and returns how many it removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import structlog
from django.utils import timezone
from django.utils.module_loading import autodiscover_modules

log = structlog.get_logger(__name__)

type SweepFunction = Callable[[datetime], int]
type Pace = Literal["soon", "often", "seldom"]

SECONDS_BETWEEN: Final[Mapping[Pace, float]] = {"soon": 60.0, "often": 600.0, "seldom": 6 * 3600.0}
"""By pace, how long the scheduler waits between two rounds."""

_sweeps: dict[str, CleanupTask] = {}


@dataclass(frozen=True, slots=True)
class CleanupTask:
    """One kind of thing that is swept; one that looks at all there is is done seldom."""

    what: str
    run: SweepFunction
    pace: Pace


def sweep(what: str, *, pace: Pace = "often") -> Callable[[SweepFunction], SweepFunction]:
    """Register a function that removes what has had its time by `now`, and says how many it removed."""

    def register(run: SweepFunction) -> SweepFunction:
        _sweeps[what] = CleanupTask(what, run, pace)
        return run

    return register


def clean_up(*, pace: Pace) -> dict[str, int]:
    """Do every sweep of one pace; how many things each removed. One that fails does not keep the others."""
    autodiscover_modules("tasks")
    removed: dict[str, int] = {}
    for each in _sweeps.values():
        if each.pace != pace:
            continue
        try:
            removed[each.what] = each.run(timezone.now())
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException:
            # The boundary of somebody's sweep, also for what is no Exception (a panic of native code): the next round
            # tries again.
            log.exception("sweep stopped on an error", what=each.what)
    if found := {what: count for what, count in removed.items() if count}:
        log.info("swept", **{what.replace(" ", "_"): count for what, count in found.items()})
    return removed
