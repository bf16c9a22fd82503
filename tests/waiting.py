"""Waiting for another process: patient, so that a busy machine fails no test."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

PATIENCE_SECONDS = 240.0
"""How long a test waits for what must come. Long: only a test that fails anyway waits to the end of it."""


def wait_until(
    true: Callable[[], object], *, what: str | Callable[[], object], seconds: float = PATIENCE_SECONDS
) -> None:
    """Return once the condition holds; after so many seconds fail the test, naming `what` was waited for."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.05)
