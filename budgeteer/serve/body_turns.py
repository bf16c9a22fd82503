"""Turns of large bodies: of one sender only a few are read at the same time, so that nobody fills the temporary folder.

A body that has to wait is not read: its sender's connection fills up and waits too. Counted by this process alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

AT_ONCE: Final = 4
"""Large bodies of one sender that are read at the same time; a browser has six connections to a server."""

WAIT_SECONDS: Final = 30.0


class NoTurn(Exception):
    """As many bodies of this sender as may be read at the same time were on their way all the while."""


class Turns:
    """Who is sending how many bodies; used by one event loop."""

    def __init__(self, *, at_once: int = AT_ONCE, wait_seconds: float = WAIT_SECONDS) -> None:
        self._at_once = at_once
        self._wait_seconds = wait_seconds
        self._senders: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def of(self, sender: str) -> AsyncIterator[None]:
        """Hold one of the sender's turns.

        Raises:
            NoTurn: none became free in time.
        """
        places, using = self._senders.get(sender) or (asyncio.Semaphore(self._at_once), 0)
        self._senders[sender] = (places, using + 1)
        try:
            try:
                await asyncio.wait_for(places.acquire(), self._wait_seconds)
            except TimeoutError:
                raise NoTurn from None
            try:
                yield
            finally:
                places.release()
        finally:
            using = self._senders[sender][1] - 1
            self._senders[sender] = (places, using)
            if not using:
                del self._senders[sender]
