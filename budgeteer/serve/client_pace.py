"""Minimum transfer rates: so many bytes of a request or an answer in every time window."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

type Message = dict[str, Any]
type Receive = Callable[[], Awaitable[Message]]

MEMORY_BYTES = 1_000_000
"""A body up to this size is held in memory, a larger one in a file without a name."""


class TooSlow(Exception):
    """Fewer bytes than the pace asks for came within its window, or the whole took too long."""


class TooMuch(Exception):
    """More bytes came than are allowed; `size_bytes` of them had come."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        super().__init__(f"{size_bytes} bytes")


class BrokenOff(Exception):
    """The client went away before the end."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A connection is given up that moves fewer than `least_bytes` in any `window_seconds`, or takes `whole_seconds`.

    Within that hour the largest upload comes at 60 kB a second; a body that only just keeps the pace would take days.
    The other defaults ask for 500 bytes a second within 20 s, as Apache's mod_reqtimeout does (RequestReadTimeout
    body=20,MinRate=500), of every window and not on average.
    """

    window_seconds: float = 20.0
    least_bytes: int = 10_000
    whole_seconds: float = 3600.0


class Body:
    """The body of a request as it comes: read up to a limit, which may be raised, into memory or a file.

    Attributes:
        file: what has come; to be closed.
        size_bytes: how much that is.
        is_whole: whether that was all.
    """

    def __init__(self, receive: Receive, pace: Pace) -> None:
        self._receive = receive
        self._pace = pace
        self._window = (time.monotonic(), 0)
        self._until = time.monotonic() + pace.whole_seconds
        self.file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed by who has it
        self.size_bytes = 0
        self.is_whole = False

    async def read(self, limit_bytes: int) -> None:
        """Read on to the end.

        Raises:
            TooMuch: there is more than `limit_bytes`; a larger limit may be tried.
            TooSlow, BrokenOff: see there.
            OSError: it cannot be written down.
        """
        if self.size_bytes > limit_bytes:
            raise TooMuch(self.size_bytes)
        while not self.is_whole:
            self.is_whole = not await self._read_piece()
            if self.size_bytes > limit_bytes:
                raise TooMuch(self.size_bytes)
        self.file.seek(0)

    async def _read_piece(self) -> bool:
        """Take what comes next; whether there may be more."""
        message = await self._next()
        if message["type"] != "http.request":
            raise BrokenOff
        piece: bytes = message.get("body", b"")
        self.file.write(piece)
        self.size_bytes += len(piece)
        return bool(message.get("more_body", False))

    async def _next(self) -> Message:
        since, before = self._window
        while True:
            now = time.monotonic()
            if now >= self._until:
                raise TooSlow
            left = since + self._pace.window_seconds - now
            if left <= 0:
                if self.size_bytes - before < self._pace.least_bytes:
                    raise TooSlow
                since, before = self._window = (time.monotonic(), self.size_bytes)
                continue
            try:
                return await asyncio.wait_for(self._receive(), min(left, self._until - now))
            except TimeoutError:
                continue


async def drain(receive: Receive, *, quiet_seconds: float = 1.0, at_most_seconds: float = 10.0) -> None:
    """Read what still comes of a body that was refused, and forget it: who is still sending does not hear an answer."""
    deadline = time.monotonic() + at_most_seconds
    try:
        while time.monotonic() < deadline:
            message = await asyncio.wait_for(receive(), quiet_seconds)
            if message["type"] != "http.request" or not message.get("more_body", False):
                return
    except TimeoutError:
        return
