"""Execute one delivery of one job: claim it, run it, and record its end under the claimed attempt."""

from __future__ import annotations

import errno
import json
import math
import time
import traceback
import uuid
from collections.abc import Iterable
from typing import Any

import structlog
from django.db import Error as AnyDatabaseError
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django.db.models.functions import Now

from budgeteer.engine.errors import BudgetExceeded, InputError, TokenizerUnavailable
from budgeteer.jobs import memory, registry, services
from budgeteer.jobs.context import ClaimLost, JobContext, Outage, WorkerStopping, worker_stopping
from budgeteer.jobs.heartbeats import own_name
from budgeteer.jobs.models import Job, JobState, appended
from budgeteer.jobs.turns import next_waiting
from budgeteer.telemetry.tracing import current_trace_id, traced

log = structlog.get_logger(__name__)


def execute(job_id: uuid.UUID, attempt: int) -> None:
    """Do the job if this attempt is still to be done; a second delivery of it does nothing.

    A kind that this process does not know is left to a worker of a newer version, which an upgrade starts beside it.
    """
    claimed = Job.objects.claim(job_id, attempt, worker=own_name(), kinds=registry.names())
    if claimed is None:
        if not services.leave_to_newer(job_id, attempt):
            log.debug("delivery ignored", job_id=str(job_id), attempt=attempt)
        return
    with (
        traced(claimed.kind, role="job", parent=claimed.trace_parent) as work,
        structlog.contextvars.bound_contextvars(**_named_on_each_line(claimed)),
    ):
        work.note({"budgeteer.job": str(claimed.id), "budgeteer.attempt": attempt, "budgeteer.queue": claimed.queue})
        log.debug("job started")
        context = JobContext(claimed)
        with context.heartbeat():
            ending = _ending_of(context)
        if context.finished:
            state = str(JobState.SUCCEEDED)
            log.info("job finished", state=state)
        elif ending is None:
            state = "given up"
            log.info("job given up")
        elif not _finish(context, ending):
            state = "claim lost"
            log.warning("job finished after its claim was lost; nothing written")
        else:
            state = str(ending["state"])
            log.info("job finished", state=state)
        work.note({"budgeteer.state": state})
        if state == JobState.FAILED:
            work.fail()


def _named_on_each_line(job: Job) -> dict[str, Any]:
    named = {"job_id": str(job.id), "kind": job.kind, "attempt": job.attempt}
    found = {"request_id": job.request_id, "trace_id": current_trace_id()}
    return named | {name: value for name, value in found.items() if value}


def work_off(queues: Iterable[str], *, seconds: float = math.inf) -> bool:
    """Do what else waits in these queues, in turn (see turns.py); whether something was left waiting.

    The rows are the queue and a message is only a nudge, so whatever the broker lost is done all the same. No job is
    begun after so many seconds: other messages (to look for lost jobs, to sweep) have their turn.
    """
    until = time.monotonic() + seconds
    while not worker_stopping.is_set() and not memory.is_swollen() and (waiting := next_waiting(queues)) is not None:
        if time.monotonic() >= until:
            return True
        execute(*waiting)
        close_old_connections()
    return False


def _ending_of(context: JobContext) -> dict[str, Any] | None:
    """Run the function; the columns its ending sets, or None where there is nothing to write."""
    try:
        result = registry.find(context.job.kind).run(context, **context.job.arguments)
        json.dumps(result)  # a result that is no JSON is the job's mistake, found here
    except ClaimLost:
        return None
    except WorkerStopping:
        # Nobody's fault: it does not count against the job, and the next worker finds it queued.
        Job.objects.held(context.job.id, context.job.attempt).requeue()
        return None
    except (Outage, OperationalError, InterfaceError) as error:
        _note_outage(context, error)
        return None
    except BaseException as error:
        # The boundary of somebody's job: whatever went wrong becomes its row's ending. That includes what is no
        # Exception, such as a panic of native code: let through, it would leave this worker waiting for ever.
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise  # about the process: `tasks` ends it, and the reaper finds the job
        return _failure(_said_of(error, context).to_json())
    return {"state": JobState.SUCCEEDED, "result": result, "error": None}


def _said_of(error: BaseException, context: JobContext) -> InputError:
    """What the job's owner is told of the error that ended it."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, BudgetExceeded | TokenizerUnavailable):
        return InputError(error.sentence.rstrip("."))
    if isinstance(error, MemoryError):
        # What the job held hangs on the frames of the error; without it there is memory to say so.
        traceback.clear_frames(error.__traceback__)
        log.warning("job stopped for want of memory")
        return InputError(
            "The work needs more memory than one job may use",
            mend="Use a smaller input (an admin sets the bound with BUDGETEER_WORKER_MEMORY_MB)",
        )
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        log.warning("job stopped for want of room on a disk")
        return InputError(
            "There is no room left on a disk that the work needs",
            mend="Use a smaller input, or let an admin make room where uploads and temporary files lie",
        )
    log.error("job stopped on an unexpected error", exc_info=error)
    return InputError(
        f"The work stopped on an unexpected error; it was recorded under {context.job.id}",
        mend="Try again; if it stops again, report that number.",
    )


def _note_outage(context: JobContext, error: Exception) -> None:
    """Say why this attempt ends, if the database can be told; the reaper gives the job to another after a while.

    Should it have been the last attempt, what is said here is what the job failed of.
    """
    said = error if isinstance(error, InputError) else _plain(error)
    log.warning("job broken off", reason=type(error).__name__)
    try:
        close_old_connections()
        row = Job.objects.held(context.job.id, context.job.attempt)
        for recorded in row.values_list("log", flat=True):
            line = f"{said.what}; it is tried again in a while."
            row.update(log=appended(recorded, line), error=said.to_json())
    except AnyDatabaseError:
        pass  # the row still says "running" and its heartbeat has stopped: that is enough for the reaper


def _plain(error: Exception) -> InputError:
    what = str(error) if isinstance(error, Outage) else "The database did not answer"
    return InputError(what, mend="Try again in a while")


def _failure(error: dict[str, str]) -> dict[str, Any]:
    return {"state": JobState.FAILED, "error": error, "sentence": error["sentence"][:500]}


def _finish(context: JobContext, ending: dict[str, Any]) -> bool:
    """Write the ending with the last progress; False where the claim was lost meanwhile."""
    if not connection.in_atomic_block:
        close_old_connections()  # the job may have ended because its connection did
    columns = context.last_word() | ending
    if ending["state"] != JobState.SUCCEEDED:
        recorded: Any = columns.get("log", context.job.log)
        columns["log"] = appended(recorded, ending["sentence"])
    held = Job.objects.held(context.job.id, context.job.attempt)
    return bool(held.update(**columns, finished_at=Now()))
