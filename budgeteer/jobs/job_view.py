"""A job as the interface shows it: every number and word that a template prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme

from budgeteer.jobs import registry
from budgeteer.jobs.models import Job, JobState

#: How soon a page without JavaScript is asked for again while a job that it shows is not finished.
REFRESH_SECONDS: Final = 2

#: After so many milliseconds a card asks again how far its job is; sooner while the job is young, since most end soon.
POLL_MS: Final = 700
EARLY_POLL_MS: Final = 250
EARLY: Final = timedelta(seconds=3)

WORDS = {
    JobState.QUEUED: "Waiting to start",
    JobState.RUNNING: "Working",
    JobState.SUCCEEDED: "Done",
    JobState.FAILED: "Stopped",
    JobState.CANCELLED: "Cancelled",
}


@dataclass(frozen=True, slots=True)
class StateMark:
    """How a state is marked: the name of an icon, and the class of its colour."""

    icon: str
    tone: str


STATE_MARKS: Final = {
    JobState.QUEUED: StateMark("clock", "lk"),
    JobState.RUNNING: StateMark("clock", "lk"),
    JobState.SUCCEEDED: StateMark("check", "ok"),
    JobState.FAILED: StateMark("warning", "over"),
    JobState.CANCELLED: StateMark("stop", "s"),
}


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a job's log."""

    at: datetime | None
    sentence: str


@dataclass(frozen=True, slots=True)
class JobCard:
    """What a progress card shows.

    Attributes:
        sentence: one line on how it stands.
        counted: "1,204 of 3,000 messages", or "".
        value, maximum: for a native `progress`; `maximum` 0 while nobody knows the total.
        error: `{what, where, mend, sentence}` of a failed job, else None.
        poll_url: this card's own address; empty once nothing will change.
        then: the path to go to when the job has succeeded; "" to stay.
        about: what the job works on, such as a file's name; "" where its title says all.
        outcome: what came of a job that ended on its own, and how long it took; "" for others.
        next_url: where the result can be seen, once there is one. next_words: what the link there says.
    """

    job: Job
    title: str
    state: str
    state_word: str
    sentence: str
    counted: str
    value: int
    maximum: int
    error: dict[str, str] | None
    poll_url: str
    then: str
    about: str
    outcome: str
    next_url: str
    next_words: str
    log: tuple[LogLine, ...]

    @property
    def mark(self) -> StateMark:
        """The icon and the colour of its state."""
        return STATE_MARKS[JobState(self.state)]

    @property
    def poll_ms(self) -> int:
        """How long the card waits until it asks again."""
        return EARLY_POLL_MS if timezone.now() - self.job.created_at < EARLY else POLL_MS

    @property
    def can_cancel(self) -> bool:
        return self.state in (JobState.QUEUED, JobState.RUNNING)

    @property
    def can_retry(self) -> bool:
        return self.state in (JobState.FAILED, JobState.CANCELLED)

    @property
    def url(self) -> str:
        return _with(reverse("jobs:detail", args=[self.job.id]), then=self.then, about=self.about)

    @property
    def cancel_url(self) -> str:
        return _with(reverse("jobs:cancel", args=[self.job.id]), then=self.then, about=self.about)

    @property
    def retry_url(self) -> str:
        return _with(reverse("jobs:retry", args=[self.job.id]), then=self.then, about=self.about)


def job_card(job: Job, *, then: str = "", about: str = "") -> JobCard:
    """The card of a job; include it with `{% include "jobs/detail.html#card" %}` as `card`.

    Args:
        job: as it stands now.
        then: a path of this dashboard to go to when the job succeeds; anything else is dropped.
        about: what it works on, for people; a card says it again whenever it asks how far the job is.
    """
    then = safe_path(then)
    next_url, next_words = _next(job, then)
    return JobCard(
        job=job,
        title=title_of(job.kind),
        state=job.state,
        state_word=WORDS[JobState(job.state)],
        sentence=_sentence(job),
        counted=_counted(job),
        value=min(job.done, job.total),
        maximum=job.total,
        error=job.error if job.state == JobState.FAILED else None,
        poll_url="" if job.is_finished else _with(reverse("jobs:detail", args=[job.id]), then=then, about=about),
        then=then,
        about=about,
        outcome=_outcome(job),
        next_url=next_url,
        next_words=next_words,
        log=tuple(LogLine(at=parse_datetime(line["at"]), sentence=line["sentence"]) for line in job.log),
    )


def _next(job: Job, then: str) -> tuple[str, str]:
    """Where a job that succeeded leads, and the words of that link: the page that waits for it, else what it made."""
    if job.state != JobState.SUCCEEDED:
        return "", ""
    result: dict[str, Any] = job.result or {}
    if going_on := safe_path(str(result.get("next", ""))) or then:
        return going_on, "Continue"
    made = made_by(job.kind)
    address = "" if made is None else made.address(job.arguments, result)
    return (address, made.words) if made is not None and address else ("", "")


def _outcome(job: Job) -> str:
    """The last sentence of a job that succeeded, with what it counted, and how long it took."""
    if job.state != JobState.SUCCEEDED:
        return ""
    took = "" if job.started_at is None or job.finished_at is None else duration_text(job.finished_at - job.started_at)
    counted = f"{job.done:,} {job.unit}".rstrip() if job.total and job.unit else ""
    return " in ".join(part for part in (counted, took) if part)


def duration_text(duration: timedelta) -> str:
    """How long something took: `40 ms` below a second, `1.5 s` from there on."""
    seconds = duration.total_seconds()
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def safe_path(path: str) -> str:
    """The path if it stays on this dashboard, else ""."""
    safe = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return path if safe else ""


def _with(url: str, **carried: str) -> str:
    """An address with those parameters that are not empty."""
    query = urlencode({name: text for name, text in carried.items() if text})
    return f"{url}?{query}" if query else url


def title_of(kind: str) -> str:
    """The title of a kind of job; its name where no installed app knows it."""
    try:
        return registry.find(kind).title
    except registry.UnknownKind:
        return kind


def made_by(kind: str) -> registry.ResultPage | None:
    """Where to see what a kind of job makes; None where no installed app knows it."""
    try:
        return registry.find(kind).made
    except registry.UnknownKind:
        return None


def _sentence(job: Job) -> str:
    if job.state == JobState.QUEUED and job.error:
        return str(job.error["sentence"])
    if job.state in (JobState.QUEUED, JobState.SUCCEEDED):
        return WORDS[JobState(job.state)] + "."
    return job.sentence or WORDS[JobState(job.state)] + "."


def _counted(job: Job) -> str:
    if not job.total:
        return ""
    return f"{job.done:,} of {job.total:,} {job.unit}".rstrip()
