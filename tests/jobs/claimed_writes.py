"""What every job writes is written under its claim: in `context.committing` or `context.finishing`, or not at all.

A job that a test does in its own process is watched; one that forgets both fails that test, so that a worker which was
given up for dead can write nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import connection

from budgeteer.jobs import registry
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import JobFunction, JobKind

WRITE = re.compile(r"^(?:INSERT INTO|UPDATE|DELETE FROM) [\"`]?(\w+)")
#: The row of the job itself, whose every write names the attempt, and rows that anybody may add whenever they like.
ANYBODYS = frozenset({"jobs_job", "sources_knownrun"})


class UnclaimedWriteError(Exception):
    """A job wrote where it may have lost its claim."""


def watch_jobs() -> None:
    """Watch every job of ours that is run in this process from here on."""
    holding: list[JobContext] = []
    committing, find = JobContext.committing, registry.find

    @contextmanager
    def held(self: JobContext) -> Iterator[None]:
        with committing(self):
            holding.append(self)
            try:
                yield
            finally:
                holding.remove(self)

    def watched(name: str) -> JobKind:
        kind = find(name)
        if not kind.run.__module__.startswith("budgeteer."):
            return kind
        return replace(kind, run=watched_run(kind.run, holding))

    JobContext.committing = held  # type: ignore[method-assign]
    registry.find = watched


def watched_run(run: JobFunction, holding: list[JobContext]) -> JobFunction:
    """The function, which fails where it writes while no context is `holding` its claim."""

    @functools.wraps(run)
    def inner(context: JobContext, **arguments: Any) -> dict[str, Any] | None:
        def look(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
            table = WRITE.match(sql)
            if table and table[1] not in ANYBODYS and not holding:
                raise UnclaimedWriteError(f"{run.__name__} writes to {table[1]} outside context.committing: {sql[:80]}")
            return execute(sql, *rest)

        with connection.execute_wrapper(look):
            return run(context, **arguments)

    return inner
