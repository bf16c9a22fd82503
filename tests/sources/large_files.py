"""A large session written line by line, and an import of it in a process of its own that tells what it took.

    python -m tests.sources.large_files FILE cli|worker

prints JSON: the peak of resident memory in MB, the longest time without word of progress in seconds of CPU, and the
counts.
The worker's import runs in a fresh data folder named by BUDGETEER_DATA_DIR.
"""

from __future__ import annotations

import json
import random
import string
import sys
import time
from pathlib import Path
from typing import Any


def write_session(path: Path, *, megabytes: int) -> int:
    """Write a Claude Code session of that size: a question, three calls with their results, an answer, again and again.

    Returns how many messages it holds.
    """
    chance = random.Random(megabytes)
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in range(5_000)]
    size = count = 0
    with path.open("w", encoding="ascii") as file:
        while size < megabytes * 1_000_000:
            for kind, message in _turn(chance, words, count):
                line = {
                    "parentUuid": _uuid(count) if count else None,
                    "uuid": _uuid(count + 1),
                    "sessionId": "large",
                    "type": kind,
                    "timestamp": "2026-01-02T03:04:05Z",
                    "message": message,
                }
                size += file.write(json.dumps(line) + "\n")
                count += 1
    return count


def _uuid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def _turn(chance: random.Random, words: list[str], first: int) -> list[tuple[str, dict[str, Any]]]:
    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))

    lines: list[tuple[str, dict[str, Any]]] = [("user", {"role": "user", "content": text(40)})]
    for step in range(3):
        call = f"toolu_{first}_{step}"
        use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": text(3)}}
        result = {"type": "tool_result", "tool_use_id": call, "content": text(chance.randint(200, 2_500))}
        lines.append(("assistant", {"role": "assistant", "id": f"msg_{call}", "content": [use]}))
        lines.append(("user", {"role": "user", "content": [result]}))
    answer = {"type": "text", "text": text(150)}
    lines.append(("assistant", {"role": "assistant", "id": f"msg_{first}", "content": [answer]}))
    return lines


class _Watch:
    """How long nothing was said of progress, in seconds of this process: other work is not its fault."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.longest = 0.0
        self._last = time.process_time()

    def __call__(self, *_args: Any, **_kwargs: Any) -> None:
        now = time.process_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def _by_command_line(path: Path, watch: _Watch) -> dict[str, Any]:
    from contextlib import contextmanager

    from budgeteer.cli import reading
    from budgeteer.formats.report import report_json

    @contextmanager
    def watched(_label: str) -> Any:
        yield watch

    setattr(reading, "progress_bar", watched)  # noqa: B010 - a function of the module, replaced for this process
    watch.start()
    report: dict[str, Any] = report_json(reading.read_source(str(path)))["counts"]
    watch()
    return report


def _by_worker(path: Path, watch: _Watch) -> dict[str, Any]:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.files.base import File
    from django.core.management import call_command

    from budgeteer.jobs.context import JobContext
    from budgeteer.jobs.execution import execute
    from budgeteer.jobs.models import Job
    from budgeteer.sources import receiving

    call_command("migrate", verbosity=0)
    owner = User.objects.create_user("owner")
    with path.open("rb") as file:
        source = receiving.receive(owner, name=path.name, content=File(file, path.name))
    job = Job.objects.get()
    report = JobContext.progress

    def watched(context: JobContext, done: int, total: int, unit: str = "", sentence: str = "") -> None:
        watch()
        report(context, done, total, unit, sentence)

    setattr(JobContext, "progress", watched)  # noqa: B010 - a method, replaced for this process
    watch.start()
    execute(job.id, job.attempt)
    watch()
    source.refresh_from_db()
    counts: dict[str, Any] = source.counts
    return counts


if __name__ == "__main__":
    given, how = Path(sys.argv[1]), sys.argv[2]
    watching = _Watch()
    found = (_by_command_line if how == "cli" else _by_worker)(given, watching)
    # Not ru_maxrss: a process inherits it from the one that started it.
    status = Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) / 1024
    sys.stdout.write(json.dumps({"peak": peak, "silence": watching.longest, "counts": found}) + "\n")
