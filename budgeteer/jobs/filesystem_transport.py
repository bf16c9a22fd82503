"""The broker of a dashboard started with one command: messages as files in the data folder.

This is kombu's filesystem transport without its races: a message appears under its name only when
it is whole, exactly one consumer can take it, and no table says which queue a message belongs to,
since the routing key does. Nothing else differs, so `kombu.transport.filesystem` documents it.
"""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem


class Channel(filesystem.Channel):
    """Messages as files: `<time>_<id>.<queue>.msg`, oldest first; direct exchanges only."""

    supports_fanout = False

    def _put(self, queue: str, payload: object, **_options: object) -> None:  # type: ignore[override]  # as in kombu
        folder = Path(self.data_folder_out)
        folder.mkdir(parents=True, exist_ok=True)  # somebody may have removed it since this process began
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}"
        unfinished = folder / f"{name}.part"
        unfinished.write_text(json.dumps(payload))
        unfinished.rename(unfinished.with_name(f"{name}.{queue}.msg"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:  # noqa: ARG002 - kombu's signature
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = path.with_suffix(".taken")
            try:
                path.rename(taken)
                payload = taken.read_text()
                taken.unlink()
            except FileNotFoundError:
                continue  # another worker was quicker, or the folder was removed
            return json.loads(payload)
        raise Empty

    def _lookup(self, exchange: str, routing_key: str, default: str | None = None) -> list[str]:  # noqa: ARG002 - as above
        """The queue a message goes to; the table kombu keeps is filled too late for a second thread."""
        return [routing_key]

    def _queue_bind(self, *_binding: object) -> None:
        """Nothing to remember: see `_lookup`."""


class Transport(filesystem.Transport):
    """kombu's filesystem transport over the channel above."""

    Channel = Channel
