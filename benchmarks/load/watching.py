"""What processes take while people work: processor time and memory, read from /proc every two seconds."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SECONDS: Final = 2.0


@dataclass(slots=True)
class Watched:
    """What was read, in its order.

    Attributes:
        times: seconds since 1970.
        used: for each time, the processor seconds that each process took so far, by name.
        resident: for each time, the resident memory of each process in bytes, by name.
    """

    times: list[float] = field(default_factory=list)
    used: list[dict[str, float]] = field(default_factory=list)
    resident: list[dict[str, int]] = field(default_factory=list)

    def read(self, processes: Mapping[str, tuple[int, ...]]) -> None:
        """Read all of the processes once."""
        self.times.append(time.time())
        self.used.append({name: sum(map(_used, ids)) for name, ids in processes.items()})
        self.resident.append({name: sum(map(_resident, ids)) for name, ids in processes.items()})

    def between(self, begin: float, end: float) -> tuple[dict[str, float], dict[str, float]]:
        """The processors that each process took between two times, on average, and its memory at the end, in MB."""
        seen = [number for number, at in enumerate(self.times) if begin <= at <= end]
        if len(seen) < 2:
            return {}, {}
        first, last = seen[0], seen[-1]
        seconds = self.times[last] - self.times[first]
        before = self.used[first]
        taken = {name: (used - before.get(name, 0.0)) / seconds for name, used in self.used[last].items()}
        return taken, {name: held / 1e6 for name, held in self.resident[last].items()}


@contextmanager
def watching(processes: Callable[[], Mapping[str, tuple[int, ...]]]) -> Iterator[Watched]:
    """Read what `processes` names (name to process ids) until the block ends."""
    watched = Watched()
    leaving = threading.Event()

    def watch() -> None:
        while not leaving.wait(SECONDS):
            watched.read(processes())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        leaving.set()
        thread.join()


def _used(process: int) -> float:
    """Seconds of the processor in a process, and in those it started that are over."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
