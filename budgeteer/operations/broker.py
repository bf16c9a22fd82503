"""Check of the broker: a folder of files, or Redis."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from budgeteer.operations.findings import Finding, failed, ok, warning

#: A Redis that takes longer does not answer. Above readiness.ANSWER_SECONDS, which is for slow answers.
ANSWER_SECONDS = 5.0


def broker() -> Iterator[Finding]:
    """Whether messages can be written, and whether what takes them might lose them."""
    yield from _redis() if settings.REDIS_URL else _files()


def _files() -> Iterator[Finding]:
    folder: Path = settings.DATA_DIR / "broker" / "queue"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"?")
    except OSError as error:
        sentence = f"Messages cannot be written to {folder} ({error.strerror})."
        yield failed("broker", sentence, mend="Let this account write there, or make room on the disk")
        return
    yield ok("broker", f"Messages go through files in {folder}.")
    if settings.BUDGETEER_MODE == "team":
        yield warning("broker kind", "Files serve one machine only.", mend="Set REDIS_URL to a Redis")


def _redis() -> Iterator[Finding]:
    # A quarter of a second that a dashboard over files need not spend at its start.
    from redis import Redis, RedisError
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    try:
        with Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=ANSWER_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            # Trying again is what the client does by itself; here its first answer is asked for.
            retry=Retry(NoBackoff(), retries=0),
        ) as client:
            client.ping()
            told: dict[str, Any] = client.info()
    except (RedisError, OSError) as error:
        mend = "Check that it is running and that REDIS_URL is right"
        yield failed("broker", f"Redis does not answer: {' '.join(str(error).split()).rstrip('.')}.", mend=mend)
        return
    if told.get("role") == "slave":
        yield failed("broker", "Redis is a read-only replica.", mend="Let REDIS_URL name the primary")
        return
    # Either will do: a message that is lost is sent again from its row.
    kept = "keeps its messages in a file" if told.get("aof_enabled") else "forgets its messages when it stops"
    yield ok("broker", f"Redis {told.get('redis_version', '?')} answers; it {kept}.")
    yield from _redis_worries(told)


def _redis_worries(told: dict[str, Any]) -> Iterator[Finding]:
    policy = told.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        sentence = f"When Redis is full it throws messages away ({policy}); jobs are then found again, but late."
        yield warning("broker memory", sentence, mend="Set maxmemory-policy noeviction in Redis")
    if told.get("rdb_last_bgsave_status", "ok") != "ok":
        sentence = "Redis could not save to its disk, and may refuse to write until it can."
        yield warning("broker disk", sentence, mend="Make room on the disk of Redis and look at its log")
