"""The capacity of a web process: how many requests may wait for a thread, and for how long.

A request past it is refused at once, with a sentence and the seconds after which to try again, instead of joining a
queue that only grows. Counted by one event loop; each process has its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import structlog

RETRY_SECONDS: Final = 5
"""What `Retry-After` says: about as long as a full queue takes to become shorter."""

WAIT_SECONDS: Final = 30.0
"""Whoever has waited for so long is refused too when a thread is free: most have gone away by then."""

SENTENCE: Final = (
    "The server is busy: more people ask than it can answer. Nothing was changed; try again in a few seconds."
)

_LOG_SECONDS: Final = 1.0

log = structlog.get_logger(__name__)


class Overloaded(Exception):
    """There is no room for a further request, or it has waited too long for a thread."""


class Threads:
    """Some threads and a bounded queue before them.

    Args:
        threads: how many requests are worked on at a time.
        waiting: how many more may wait for one of these threads.
        wait_seconds: how long each of those may wait.

    Attributes:
        pool: the threads; for what has to be done whoever waits (the rest of an answer that has begun).
    """

    def __init__(
        self, threads: int, *, waiting: int, name: str = "request", wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + waiting
        self._wait_seconds = wait_seconds
        self._inside = 0
        self._refused = 0
        self._told_at = float("-inf")

    @property
    def is_full(self) -> bool:
        """Whether a request that came now would be refused."""
        return self._inside >= self._most

    @contextmanager
    def place(self) -> Iterator[Callable[[], None]]:
        """Hold one of the places; what is yielded is to be called first by the thread that does the work.

        Raises:
            Overloaded: none is free; or, by what is yielded, a thread came too late.
        """
        if self.is_full:
            raise Overloaded
        entered = time.monotonic()

        def check() -> None:
            if time.monotonic() - entered > self._wait_seconds:
                raise Overloaded

        self._inside += 1
        try:
            yield check
        finally:
            self._inside -= 1

    def tell_refusal(self) -> None:
        """Log that requests are refused, once in a while and with their number."""
        self._refused += 1
        now = time.monotonic()
        if now - self._told_at >= _LOG_SECONDS:
            log.warning("requests refused: no capacity", refused=self._refused, places=self._most)
            self._told_at, self._refused = now, 0


def refusal(path: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of the 503: a problem document below the root of the API, a plain sentence elsewhere."""
    from budgeteer.access.bearer import is_api

    kind, body = "text/plain; charset=utf-8", f"{SENTENCE}\n"
    if is_api(path):
        kind, body = _problem()
    return [*own_headers(kind), (b"retry-after", str(RETRY_SECONDS).encode())], body.encode()


def own_headers(content_type: str) -> list[tuple[bytes, bytes]]:
    """Headers of an answer that does not come from Django, whose middleware gives all others theirs."""
    headers = {
        "content-type": content_type,
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _problem() -> tuple[str, str]:
    from budgeteer.access.problems import MEDIA_TYPE, ProblemKind, problem_document

    document: dict[str, Any] = problem_document(
        ProblemKind.OVERLOADED, "more requests wait than can be answered", hint="Try again in a few seconds"
    )
    return MEDIA_TYPE, json.dumps(document)
