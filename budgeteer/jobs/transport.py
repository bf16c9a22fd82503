"""The broker of a dashboard started with one command: messages as files in the data folder.

This is kombu's filesystem transport with its three races closed: a message appears under its name
only when it is whole, exactly one consumer can take it, and the table of queues is read and
written under one lock. Nothing else differs, so `kombu.transport.filesystem` documents it.
"""

from __future__ import annotations

import fcntl
import json
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem


class Channel(filesystem.Channel):
    """Messages as files: `<time>_<id>.<queue>.msg`, oldest first."""

    def _put(self, queue: str, payload: object, **_options: object) -> None:  # type: ignore[override]  # as in kombu
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}"
        unfinished = Path(self.data_folder_out) / f"{name}.part"
        unfinished.write_text(json.dumps(payload))
        unfinished.rename(unfinished.with_name(f"{name}.{queue}.msg"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:  # noqa: ARG002 - kombu's signature
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = path.with_suffix(".taken")
            try:
                path.rename(taken)
            except FileNotFoundError:
                continue  # another worker was quicker
            payload = taken.read_text()
            taken.unlink()
            return json.loads(payload)
        raise Empty

    def get_table(self, exchange: str) -> Any:
        """The queues bound to an exchange."""
        with self._table_lock():
            return super().get_table(exchange)  # type: ignore[no-untyped-call]  # kombu is partly typed

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        with self._table_lock():
            super()._queue_bind(exchange, routing_key, pattern, queue)  # type: ignore[no-untyped-call]  # as above

    @contextmanager
    def _table_lock(self) -> Iterator[None]:
        with (Path(self.control_folder) / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """kombu's filesystem transport over the channel above."""

    Channel = Channel
