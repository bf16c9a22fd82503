"""Automatic strategies: results of repeated calls, arguments of failed calls and superseded writes, white space.

Arrays in, arrays out: which call loses what. A call of a protected tool, of the last turns, of a pinned group or under
a block is never touched, and nothing is taken that would not make the request smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from budgeteer.engine.config.schema import PruningConfig
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.pruning.calls import Calls
from budgeteer.engine.packing.pruning.shape import Mask


class Strategy(IntEnum):
    """Which strategy pruned something, by the name of its setting's rule."""

    NONE = 0
    DEDUPE = 1
    PURGE_ERRORS = 2
    SUPERSEDE_WRITES = 3
    MINIFY_RESULTS = 4


#: Strategy -> the rule of its decisions.
RULES = {
    Strategy.DEDUPE: "dedupe",
    Strategy.PURGE_ERRORS: "purgeErrorsAfterTurns",
    Strategy.SUPERSEDE_WRITES: "supersedeWrites",
    Strategy.MINIFY_RESULTS: "minifyResults",
}


@dataclass(frozen=True, slots=True)
class AutomaticCuts:
    """What each call loses, one entry a call: its result, its arguments and by which strategy, its result's blanks."""

    results: Mask
    arguments: Ints
    minified: Mask


def found_by(calls: Calls, config: PruningConfig, *, age: Ints, seen: Mask, touchable: Mask) -> AutomaticCuts:
    """What the strategies find.

    Args:
        calls: of the whole history.
        config: which strategies are on, what they leave alone.
        age: per message, how many turns began after its own.
        seen: per message, whether it stands in the prompt: a call that does not makes no other one old.
        touchable: per message, whether it may be pruned at all.
    """
    protected = {name.casefold() for name in config.protected_tools}
    free = np.array([name.casefold() not in protected for name in calls.tools], np.bool_)[calls.tool]
    old = age >= config.turn_protection
    here = seen[calls.call_row]
    may = free & here & (touchable & old)[calls.call_row] & (touchable & old)[calls.result_row]
    none = np.zeros(len(calls), np.bool_)
    repeated = _repeated(calls, here) if config.dedupe else none
    superseded = _superseded(calls, here) if config.supersede_writes else none
    arguments = np.where(may & superseded, int(Strategy.SUPERSEDE_WRITES), 0)
    aged = calls.failed & (age[calls.call_row] >= config.purge_errors_after_turns)
    arguments[may & aged] = Strategy.PURGE_ERRORS
    minified = may & ~repeated if config.minify_results else none
    return AutomaticCuts(may & repeated, arguments.astype(np.int64), minified)


def _repeated(calls: Calls, here: Mask) -> Mask:
    """The calls that are made again later: same tool, same sorted parameters."""
    rows = np.flatnonzero(here & (calls.signature >= 0))
    last = np.full(int(calls.signature.max(initial=-1)) + 1, -1, np.int64)
    last[calls.signature[rows]] = rows
    repeated = np.zeros(len(calls), np.bool_)
    repeated[rows] = last[calls.signature[rows]] > rows
    return repeated


def _superseded(calls: Calls, here: Mask) -> Mask:
    """The writes of files that a later message writes or reads whole; a call that failed supersedes nothing."""
    size = 1 + int(max(calls.writes.max(initial=-1), calls.reads.max(initial=-1)))
    last = np.full(size, -1, np.int64)
    for files in (calls.writes, calls.reads):
        rows = np.flatnonzero(here & ~calls.failed & (files >= 0))
        np.maximum.at(last, files[rows], calls.call_row[rows])
    writes = calls.writes >= 0
    superseded: Mask = writes & (last[np.where(writes, calls.writes, 0)] > calls.call_row) if size else writes
    return superseded
