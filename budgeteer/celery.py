"""Entry point of Celery's processes (`celery -A budgeteer.celery`): the application and its process signals."""

from __future__ import annotations

from typing import Any

import django
from celery import signals
from django.conf import settings
from django.utils.log import configure_logging

from budgeteer.jobs.celery_app import app
from budgeteer.logs import name_process

__all__ = ["app"]


@signals.setup_logging.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _keep_django_logging(**_kwargs: object) -> None:
    """Celery leaves logging as Django configures it, also in the scheduler, which starts without Django."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@signals.worker_init.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _name_worker(sender: Any, **_kwargs: object) -> None:
    name_process(f"worker {str(sender.hostname).partition('@')[0]}")


@signals.worker_ready.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _announce_worker(sender: Any, **_kwargs: object) -> None:
    from budgeteer.jobs import liveness
    from budgeteer.jobs.heartbeats import announce
    from budgeteer.jobs.services import QUEUES

    label, _, _ = str(sender.hostname).partition("@")
    queues = sorted(queue for queue in sender.app.amqp.queues.consume_from if queue in QUEUES)
    announce("worker", label=label, queues=queues, is_alive=lambda: liveness.own.is_alive)


@signals.beat_init.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _announce_scheduler(**_kwargs: object) -> None:
    name_process("scheduler")
    # The scheduler imports nobody's tasks, so nobody has set Django up for it.
    django.setup()
    from budgeteer.jobs.heartbeats import announce

    announce("scheduler")


@signals.worker_shutdown.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _say_goodbye(**_kwargs: object) -> None:
    from budgeteer.jobs.heartbeats import leave

    leave()
