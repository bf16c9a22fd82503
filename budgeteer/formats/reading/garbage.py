"""Garbage collection while a file is read: seldom, for what is made is freed by its reference counts.

Python looks for circles each time 700 objects were made. An import makes millions, none of which stand in a circle, so
that a tenth of its time and more would go into looking.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MADE: Final = 50_000
"""Objects that are made, less those that are freed, before circles are looked for: some megabytes at most."""

_LOCK: Final = threading.Lock()


class _Readers:
    """How many imports of the process are under way, and what was usual before the first."""

    count = 0
    usual = (0, 0, 0)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Look for circles seldom until the last of the imports under way, in whatever thread, has ended."""
    with _LOCK:
        if not _Readers.count:
            _Readers.usual = gc.get_threshold()
            if 0 < _Readers.usual[0] < MADE:
                gc.set_threshold(MADE, *_Readers.usual[1:])
        _Readers.count += 1
    try:
        yield
    finally:
        with _LOCK:
            _Readers.count -= 1
            if not _Readers.count:
                gc.set_threshold(*_Readers.usual)
