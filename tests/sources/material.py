"""Small uploads in the shapes people have, written for these tests, and the job runner that imports them."""

from __future__ import annotations

import io
import json
import zipfile

from django.core.files.base import File

from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.sources import services
from budgeteer.sources.models import Source

WEATHER = {
    "type": "function",
    "function": {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object"}},
}


def chat(turns: int = 3, *, opening: str = "Plan the harbour") -> bytes:
    """An OpenAI chat request of `2 * turns + 1` messages with one tool definition."""
    messages = [{"role": "system", "content": "You plan harbours."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"{opening}, part {turn}."})
        messages.append({"role": "assistant", "content": f"Part {turn}: three berths, one crane. " * (turn + 1)})
    return json.dumps({"model": "gpt-4o", "messages": messages, "tools": [WEATHER]}).encode()


def chats(count: int) -> bytes:
    """JSONL of several requests, the n-th with n + 1 turns."""
    return b"\n".join(chat(turn + 1, opening=f"Plan harbour {turn}") for turn in range(count))


def skills_zip(names: tuple[str, ...] = ("dredge", "moor"), **extra: bytes) -> bytes:
    """A zip of skills; `extra` adds members by name. The same bytes whenever it is made: members are of 1980."""
    members: dict[str, str | bytes] = {
        f"{name}/SKILL.md": f"---\nname: {name}\ndescription: How to {name}.\n---\nFirst, {name}.\n" for name in names
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (members | extra).items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


def upload(owner, data: bytes, *, name: str = "request.json", as_format: str = "") -> Source:
    """Receive the bytes as an upload; nothing is imported yet."""
    return services.receive_upload(owner, name=name, content=File(io.BytesIO(data), name), as_format=as_format)


def run_jobs() -> list[Job]:
    """Run every queued job here and now, as a worker would."""
    jobs = list(Job.objects.filter(state="queued").order_by("created_at"))
    for job in jobs:
        execute(job.id, job.attempt)
        job.refresh_from_db()
    return jobs


def imported(owner, data: bytes, *, name: str = "request.json", as_format: str = "") -> Source:
    """Receive and import."""
    source = upload(owner, data, name=name, as_format=as_format)
    run_jobs()
    source.refresh_from_db()
    return source


def stored_bytes(source: Source) -> bytes:
    """The original as storage holds it."""
    with source.upload.open("rb") as file:
        data: bytes = file.read()
    return data
