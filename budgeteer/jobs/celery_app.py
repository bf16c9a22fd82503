"""The Celery application: it carries a job's id to a worker; the Job row is the source of truth."""

from __future__ import annotations

import os

from celery import Celery
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

from budgeteer.jobs.cleanup import SECONDS_BETWEEN

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")


def _transport() -> dict[str, object]:
    """Redis where there is one, else files in the data folder."""
    if settings.REDIS_URL:
        return {
            "broker_url": settings.REDIS_URL,
            # A broker that is away must not hold up the page that enqueued the job.
            "broker_transport_options": {
                "socket_connect_timeout": 2,
                "max_retries": 1,
                "interval_start": 0,
                "visibility_timeout": 6 * 3600,
            },
        }
    # Ours closes the races of kombu's; a broker address cannot name a class, so it takes the name.
    TRANSPORT_ALIASES["filesystem"] = "budgeteer.jobs.filesystem_transport:Transport"
    folder = settings.DATA_DIR / "broker"
    for name in ("queue", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "broker_url": "filesystem://localhost",
        "broker_transport_options": {
            "data_folder_in": str(folder / "queue"),
            "data_folder_out": str(folder / "queue"),
            "control_folder": str(folder / "control"),
            "polling_interval": 0.1,
        },
    }


app = Celery("budgeteer")
app.conf.update(
    **_transport(),
    task_ignore_result=True,
    task_default_queue="default",
    task_serializer="json",
    accept_content=["json"],
    task_publish_retry=False,
    broker_connection_retry_on_startup=True,
    # One message at a time and acknowledged when done: what a worker holds is what it works on.
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    timezone="UTC",
    beat_schedule={
        "jobs.reap": {
            "task": "jobs.reap",
            "schedule": settings.JOB_REAP_SECONDS,
            # A reap nobody had time for is not owed later.
            "options": {"expires": settings.JOB_REAP_SECONDS},
        },
        **{
            f"jobs.clean_up.{pace}": {
                "task": "jobs.clean_up",
                "schedule": seconds,
                "kwargs": {"pace": pace},
                "options": {"expires": seconds},
            }
            for pace, seconds in SECONDS_BETWEEN.items()
        },
    },
)
app.autodiscover_tasks()
