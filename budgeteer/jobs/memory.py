"""A memory limit for workers, so that a job that needs more ends with an error message.

Without one the system kills the process, and four others after it, before the job is given up.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

MEGABYTE: Final = 1_000_000

#: What a worker may take by itself: of its container (the rest is for what the kernel keeps for it, and for scratch
#: files where these lie in memory), of the whole machine (others run there), and at most.
CONTAINER_SHARE: Final = 0.75
MACHINE_SHARE: Final = 0.5
MOST_BYTES: Final = 4_000 * MEGABYTE

#: What a worker holds for itself, both vocabularies in both counters among it, in memory of its own.
IDLE_BYTES: Final = 350 * MEGABYTE

#: That and some room for a job: less is no bound that one can work under.
LEAST_BYTES: Final = 500 * MEGABYTE

#: A worker that keeps this share of the room for its jobs when it has none starts anew.
SWOLLEN_SHARE: Final = 0.5

#: Where the limit of a container's memory stands: version 2 of Linux's control groups, then version 1.
CONTAINER_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def bound_bytes() -> int:
    """What a worker may hold: BUDGETEER_WORKER_MEMORY_MB, or what its container or machine allows."""
    if settings.WORKER_MEMORY_MB:
        return int(settings.WORKER_MEMORY_MB) * MEGABYTE
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = min(filter(None, map(_number_in, CONTAINER_LIMITS)), default=machine)
    # Version 1 writes a number beyond all memory where there is no limit.
    share = container * CONTAINER_SHARE if container < machine else machine * MACHINE_SHARE
    return int(max(LEAST_BYTES, min(share, MOST_BYTES)))


def bound_this_process() -> None:
    """Let this process get no more memory than that: what asks for more is refused it, in Python a MemoryError.

    Bounded are the pages that are its own (RLIMIT_DATA), not the address space, of which threads and mapped files take
    far more than they use. Only Linux holds anonymous memory to it; elsewhere nothing is bounded.
    """
    bound = bound_bytes()
    if not sys.platform.startswith("linux"):
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    log.debug("memory bounded", bytes=bound)


def is_swollen() -> bool:
    """Whether this process, with no job at hand, still holds so much that the next job might not get what it needs."""
    bound, _hard = resource.getrlimit(resource.RLIMIT_DATA)
    return bound != resource.RLIM_INFINITY and held_bytes() > IDLE_BYTES + (bound - IDLE_BYTES) * SWOLLEN_SHARE


def held_bytes() -> int:
    """The memory that is counted against the bound; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmData:")), "VmData: 0 kB")
    return int(line.split()[1]) * 1024


def _number_in(path: Path) -> int:
    try:
        told = path.read_text().strip()
    except OSError:
        return 0
    return int(told) if told.isdecimal() else 0
