"""One part of the dashboard in the foreground, for a container, systemd or another supervisor.

Nothing watches over it and it watches nobody: it ends when it is told to, or by itself with a status.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import django
import structlog
from django.conf import settings

from budgeteer.engine.errors import InputError
from budgeteer.operations import private_files
from budgeteer.serve import database, parts
from budgeteer.serve.listening import Listening

#: From SIGTERM to the end of a part, at most; a supervisor that kills has to wait longer.
GRACE_SECONDS = 10.0

log = structlog.get_logger(__name__)


def run_web(listening: Listening) -> int:
    """Serve the pages; the database has to be up to date already.

    Raises:
        InputError: it is not, or it cannot be opened.
    """
    _prepare()
    if settings.BUDGETEER_MODE == "local":
        from budgeteer.accounts import services

        services.remember_served_address(listening.address)
    log.info("part started", part="web", address=listening.address)
    return parts.run_web(listening.host, listening.port, grace_seconds=GRACE_SECONDS)


def run_worker(*, queues: Iterable[str] | None, name: str | None) -> int:
    """Do the jobs of some queues.

    Args:
        queues: their names; None for all of them.
        name: what the worker is called in logs and lists; "worker" without one.

    Raises:
        InputError: there is no such queue, or see `run_web`.
    """
    django.setup()
    chosen = _known_queues(queues)
    _prepare()
    log.info("part started", part="worker", queues=chosen)
    _silence_standard_output()
    return parts.run_worker(name or "worker", chosen, grace_seconds=GRACE_SECONDS)


def run_scheduler() -> int:
    """Ask for the periodic work.

    Raises:
        InputError: see `run_web`.
    """
    _prepare()
    log.info("part started", part="scheduler")
    _silence_standard_output()
    return parts.run_scheduler()


def run_migrate() -> int:
    """Bring the database up to date and end; several at once wait for each other.

    Raises:
        InputError: it cannot be opened, or a newer version has used it.
    """
    django.setup()
    private_files.keep_private()
    database.bring_up_to_date()
    return 0


def _prepare() -> None:
    parts.begin_start()
    # Django's checks read every URL and template; they are for the tests, not for every start.
    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
    django.setup()
    private_files.keep_private()
    database.refuse_unless_current()


def _known_queues(queues: Iterable[str] | None) -> tuple[str, ...]:
    from budgeteer.jobs.services import QUEUES

    chosen = tuple(dict.fromkeys(queues or QUEUES))
    for queue in chosen:
        if queue not in QUEUES:
            raise InputError(
                f"There is no queue {queue!r}", where="--queues", mend=f"Choose among {', '.join(QUEUES)}, with commas"
            )
    return chosen


def _silence_standard_output() -> None:
    """Logs go to standard error; Celery's farewells are not for people."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
