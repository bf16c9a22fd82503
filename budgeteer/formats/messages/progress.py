"""Heartbeat for long steps that cannot report a count: the last progress message is repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

type Progress = Callable[[int, int, str], None]
"""Told how much is done, of how much, and of what."""

STEP: Final = 4_096
"""Things done between two words: some tens of milliseconds of whatever is done with them here."""


class ProgressHeartbeat:
    """Progress with a memory for its last word.

    Args:
        progress: told (done, total, unit); None where nobody listens.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._last: tuple[int, int, str] | None = None

    def __call__(self, done: int, total: int, unit: str) -> None:
        """Say how far the work is."""
        self._last = (done, total, unit)
        if self._progress is not None:
            self._progress(done, total, unit)

    def again(self) -> None:
        """Say the last word again, if there was one."""
        if self._last is not None:
            self(*self._last)

    def over[T](self, items: Iterable[T]) -> Iterator[T]:
        """The items, with word between them."""
        return iter(items) if isinstance(items, list | tuple) and len(items) < STEP else self._over(items)

    def _over[T](self, items: Iterable[T]) -> Iterator[T]:
        for number, item in enumerate(items, 1):
            yield item
            if number % STEP == 0:
                self.again()
