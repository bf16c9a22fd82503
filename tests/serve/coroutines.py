"""Run a coroutine to its end, beside whatever event loop the thread of the tests already has."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine


def run[T](coroutine: Coroutine[object, object, T]) -> T:
    """Give the result of the coroutine, which runs in an event loop and a thread of its own.

    After a browser test, Playwright's event loop goes on running in the thread of all later tests of that process,
    where `asyncio.run` refuses to start another.
    """
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()  # noqa: TID251 - in this thread nothing else runs
