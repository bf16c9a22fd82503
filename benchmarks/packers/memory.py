"""What one call adds to the memory of a fresh process: the peak of its resident size less what was there before.

    python -m benchmarks.packers.memory '["conversation", 10000, "Budgeteer, warm"]'

prints megabytes. Linux tells that peak, and lets it be reset; elsewhere nothing is measured.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import click

#: Where Linux tells the peak (VmHWM) and lets it be reset. Source: proc(5).
_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def is_measured() -> bool:
    """Whether this system tells."""
    return _RESET.exists()


def added_megabytes(group: str, size: int, name: str, *, limit_seconds: float) -> float | None:
    """What the call of one contender adds, in a process of its own; None where it is over the limit.

    Raises:
        RuntimeError: the process failed; with the end of what it said.
    """
    command = [sys.executable, "-m", "benchmarks.packers.memory", json.dumps([group, size, name])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit_seconds)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return float(done.stdout.splitlines()[-1])


def _measured(group: str, size: int, name: str) -> float:
    from benchmarks.packers.comparisons import contenders_of

    contender = next(one for one in contenders_of(group, size) if one.name == name)
    work = contender.prepare()
    gc.collect()
    _RESET.write_text("5")
    before = _peak_kilobytes()
    answer = work(0)
    peak = _peak_kilobytes()
    del answer
    return (peak - before) / 1024


def _peak_kilobytes() -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


if __name__ == "__main__":
    click.echo(f"{_measured(*json.loads(sys.argv[1])):.3f}")
