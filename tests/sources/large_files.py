"""Large sessions written line by line, and an import of one in a process of its own that tells what it took.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

type Line = dict[str, Any]

STAMP = "2026-01-02T03:04:05Z"


def write_session(path: Path, *, megabytes: int, kind: str = "claude-code") -> int:
    """Write a session of that size: a question, three calls with their results, an answer, again and again.

    Returns how many messages it holds.
    """
    chance = random.Random(megabytes)
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in range(5_000)]
    head, line_of = _KINDS[kind]
    count = 0
    with path.open("w", encoding="ascii") as file:
        size = sum(file.write(json.dumps(line) + "\n") for line in head)
        while size < megabytes * 1_000_000:
            for role, message in _turn(chance, words, count):
                size += file.write(json.dumps(line_of(count, role, message)) + "\n")
                count += 1
    return count


def write_small_messages(path: Path, *, messages: int) -> None:
    """Write a chat of short messages, one a line."""
    with path.open("w", encoding="ascii") as file:
        for number in range(messages):
            said = f"{number} " + "How late is the ferry to the island today, and from which pier does it leave? " * 2
            file.write(json.dumps({"role": ("user", "assistant")[number % 2], "content": said}) + "\n")


def _claude_code(count: int, role: str, message: Line) -> Line:
    return {
        "parentUuid": _uuid(count) if count else None,
        "uuid": _uuid(count + 1),
        "sessionId": "large",
        "type": role,
        "timestamp": STAMP,
        "message": message,
    }


def _codex(_count: int, role: str, message: Line) -> Line:
    for call, answer, text in _blocks(message):
        if call:
            item = {
                "type": "function_call",
                "call_id": call["id"],
                "name": "Read",
                "arguments": json.dumps(call["input"]),
            }
        elif answer:
            item = {"type": "function_call_output", "call_id": answer, "output": text}
        else:
            part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
            item = {"type": "message", "role": role, "content": [part]}
        return {"timestamp": STAMP, "type": "response_item", "payload": item}
    raise ValueError(message)


def _pi(count: int, role: str, message: Line) -> Line:
    for call, answer, text in _blocks(message):
        said: Line = {"role": role, "content": [{"type": "text", "text": text}]}
        if call:
            said["content"] = [{"type": "toolCall", "id": call["id"], "name": "Read", "arguments": call["input"]}]
        elif answer:
            said |= {"role": "toolResult", "toolCallId": answer, "toolName": "Read"}
        above = _uuid(count) if count else None
        return {"type": "message", "id": _uuid(count + 1), "parentId": above, "timestamp": STAMP, "message": said}
    raise ValueError(message)


def _blocks(message: Line) -> Iterator[tuple[Line, str, str]]:
    """The call, the id of the call it answers, and the text of each block of an Anthropic message."""
    content = message["content"]
    for block in [{"text": content}] if isinstance(content, str) else content:
        if block.get("type") == "tool_use":
            yield block, "", ""
        else:
            yield {}, block.get("tool_use_id", ""), str(block.get("content") or block.get("text"))


_KINDS: dict[str, tuple[list[Line], Callable[[int, str, Line], Line]]] = {
    "claude-code": ([], _claude_code),
    "codex": ([{"timestamp": STAMP, "type": "session_meta", "payload": {"id": "large", "cwd": "/w"}}], _codex),
    "pi": ([{"type": "session", "version": 3, "id": "large", "timestamp": STAMP, "cwd": "/w"}], _pi),
}


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

    from budgeteer.cli import source_files
    from budgeteer.formats.messages.imported import report_json

    @contextmanager
    def watched(_label: str) -> Any:
        yield watch

    setattr(source_files, "progress_bar", watched)  # noqa: B010 - a function of the module, replaced for this process
    watch.start()
    report: dict[str, Any] = report_json(source_files.read_source(str(path)))["counts"]
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
    from budgeteer.sources import tasks, uploads

    tasks.load_vocabularies()  # as a worker does when it starts
    call_command("migrate", verbosity=0)
    owner = User.objects.create_user("owner")
    with path.open("rb") as file:
        source = uploads.receive(owner, name=path.name, content=File(file, path.name))
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
