"""Jobs and processes of the whole installation, read from the database when asked for; any web process tells the same.

Nothing names a person, a source or a workspace: labels are kinds, queues and states, which are closed sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from django.db.models import Count, Min
from django.db.models.functions import Now
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from budgeteer.jobs.heartbeats import everybody
from budgeteer.jobs.models import FINISHED, Job, JobState, ProcessPart

PERIOD: Final = timedelta(hours=1)
QUANTILES: Final = (0.5, 0.95, 1.0)
MOST_JOBS: Final = 20_000
"""Of the jobs that ended within PERIOD, the latest that their times are read of."""


class JobsCollector(Collector):
    """What waits, what runs, what ended within the last hour, and who is there to do it."""

    def collect(self) -> Iterable[Metric]:
        """Five families of gauges."""
        yield _unfinished()
        yield _oldest()
        yield from _ended()
        yield _processes()


def _unfinished() -> Metric:
    family = GaugeMetricFamily("budgeteer_jobs", "Unfinished jobs by kind, queue and state.", labels=_LABELS)
    rows = Job.objects.exclude(state__in=FINISHED).order_by().values_list("kind", "queue", "state")
    for *labels, count in rows.annotate(count=Count("pk")):
        family.add_metric(labels, count)
    return family


def _oldest() -> Metric:
    family = GaugeMetricFamily(
        "budgeteer_jobs_oldest_wait_seconds", "Age of the job of a queue that has waited longest.", labels=("queue",)
    )
    waiting = Job.objects.filter(state=JobState.QUEUED).order_by().values_list("queue")
    for queue, oldest, now in waiting.annotate(oldest=Min("created_at"), now=Now()):
        family.add_metric([queue], _seconds(oldest, now))
    return family


def _ended() -> Iterator[Metric]:
    count = GaugeMetricFamily(
        "budgeteer_jobs_ended_last_hour", "Jobs that ended within the last hour, by kind and state.", labels=_ENDED
    )
    seconds = GaugeMetricFamily(
        "budgeteer_jobs_seconds_last_hour",
        "Seconds from start to end of the jobs that ended within the last hour; quantile 1 is the longest.",
        labels=(*_ENDED, "quantile"),
    )
    lately = Job.objects.filter(finished_at__gte=Now() - PERIOD)
    for kind, state, jobs in lately.order_by().values_list("kind", "state").annotate(jobs=Count("pk")):
        count.add_metric([kind, state], jobs)
    taken: dict[tuple[str, str], list[float]] = {}
    timed = lately.filter(started_at__isnull=False).order_by("-finished_at")[:MOST_JOBS]
    for kind, state, started, finished in timed.values_list("kind", "state", "started_at", "finished_at"):
        taken.setdefault((kind, state), []).append(_seconds(started, finished))
    for labels, times in taken.items():
        for quantile, value in zip(QUANTILES, np.quantile(times, QUANTILES, method="higher"), strict=True):
            seconds.add_metric([*labels, f"{quantile:g}"], float(value))
    yield count
    yield seconds


def _processes() -> Metric:
    family = GaugeMetricFamily(
        "budgeteer_processes", "Workers and schedulers that were heard of lately.", labels=("part",)
    )
    seen = [one.part for one in everybody() if one.is_fresh]
    for part in ProcessPart:
        family.add_metric([part.value], seen.count(part))
    return family


def _seconds(since: datetime | None, until: datetime | None) -> float:
    return 0.0 if since is None or until is None else max((until - since).total_seconds(), 0.0)


_ENDED: Final = ("kind", "state")
_LABELS: Final = ("kind", "queue", "state")
