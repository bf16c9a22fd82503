"""Jobs that tests give to real workers; each leaves a row behind so that doing it twice would show."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from budgeteer.celery import app
from budgeteer.engine.errors import InputError
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import job


@job("probe.count", title="Count slowly")
def count(context: JobContext, *, steps: int, pause_seconds: float = 0.0, leave: str = "") -> dict[str, Any]:
    """Take `steps` steps, then leave one group of that name behind."""
    for step in range(steps):
        context.progress(step, steps, "steps", f"Step {step + 1}")
        time.sleep(pause_seconds)
    context.progress(steps, steps, "steps", "Counted")
    if leave:
        from django.contrib.auth.models import Group

        with context.committing():
            Group.objects.create(name=leave)
    return {"steps": steps, "attempt": context.job.attempt}


@job("probe.silent", title="One long call")
def silent(context: JobContext, *, seconds: float) -> None:
    """Never look up, as a long call into native code does."""
    time.sleep(seconds)


@job("probe.refuse", title="Refuse")
def refuse(context: JobContext) -> None:
    """Bad input."""
    raise InputError("not JSON", where="session.jsonl line 214", mend="Download the bad lines")


@job("probe.crash", title="Crash")
def crash(context: JobContext) -> None:
    """A mistake of ours."""
    raise ZeroDivisionError("secret detail")


class Panic(BaseException):
    """What a panic of native code is in Python: no Exception."""


@job("probe.panic", title="Panic")
def panic(context: JobContext) -> None:
    """A mistake of somebody else's library."""
    raise Panic("secret detail")


@job("probe.swell", title="Take memory")
def swell(context: JobContext, *, megabytes: int) -> None:
    """Make millions of tiny objects, as a document of them does."""
    held = []
    for _ in range(megabytes):
        held.append([[] for _ in range(1_000_000 // 64)])
        context.check()


_kept: list[bytearray] = []


@job("probe.keep", title="Keep memory")
def keep(context: JobContext, *, megabytes: int) -> None:
    """Leak, as a library might."""
    _kept.append(bytearray(megabytes * 1_000_000))


@job("probe.leave", title="Leave")
def leave(context: JobContext) -> None:
    """A library that ends the process, or tries to."""
    raise SystemExit(3)


@app.task(name="probe.wedge")  # type: ignore[untyped-decorator]  # celery ships no types
def wedge() -> None:
    """Panic outside of every job: a message that is never answered takes up the worker's one place for ever."""
    raise Panic


@job("probe.nonsense", title="Answer nonsense")
def nonsense(context: JobContext) -> dict[str, Any]:
    """A result that is no JSON."""
    return {"when": object()}


NEWER_KIND = "probe.newer"
"""A kind that only workers know that are started with TEST_NEWER_VERSION."""


def know_newer_kind() -> None:
    """Let this process know the kind, as one of a newer version does."""

    @job(NEWER_KIND, title="Newer")
    def newer(context: JobContext) -> dict[str, Any]:
        return {"attempt": context.job.attempt}


def hold_calibration(name: str) -> None:
    """Let calibrations of this process stop in the middle while a file of that name is there; `name.begun` tells so."""
    from budgeteer.workbench import tasks

    calibrate, hold = tasks.calibrate, Path(name)

    def held(*arguments: Any, **named: Any) -> Any:
        while hold.exists():
            hold.with_suffix(".begun").touch()
            time.sleep(0.02)
        return calibrate(*arguments, **named)

    tasks.calibrate = held  # type: ignore[assignment]  # in this process alone
