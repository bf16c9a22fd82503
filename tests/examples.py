"""How many examples a property tries: a fifth of its full number, or all of them where `TEST_EXAMPLES=full` says so."""

from __future__ import annotations

import os

SHARE = 1 if os.environ.get("TEST_EXAMPLES") == "full" else 5


def examples(full: int) -> int:
    """How many of that many examples this run tries; continuous integration tries the same ones each time."""
    return -(-full // SHARE)
