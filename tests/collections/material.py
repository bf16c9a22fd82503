"""Collections for tests: conversations in our own words, imported as a worker would."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User

from budgeteer.collections import runs, services
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.schema import load_config
from tests.sources.material import run_jobs, upload

CONFIGS: dict[str, dict[str, Any]] = {
    "full": {"model": "gpt-4o"},
    "newest": {"model": "gpt-4o", "history": {"strategy": "newestFirst", "maxTokens": 200}},
    "claude": {"model": "claude-sonnet-4-5", "contextWindow": 900, "outputReserve": 100},
}


def conversation(number: int) -> dict[str, Any]:
    """A conversation of one to five questions, as an OpenAI request body; every seventh calls a tool."""
    said: list[dict[str, Any]] = []
    for turn in range(1 + number % 4):
        said.append({"role": "user", "content": f"Question {turn} of {number}. " * (1 + number % 9)})
        said.append({"role": "assistant", "content": f"Ferry {turn}. " * (5 * (number % 40))})
    if number % 7 == 0:
        call = {"id": "c1", "type": "function", "function": {"name": "tides", "arguments": "{}"}}
        said.append({"role": "user", "content": "What is the tide?"})
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": "c1", "content": "low water at nine " * 20})
        said.append({"role": "assistant", "content": "Low."})
    return {"messages": [*said, {"role": "user", "content": "And then?"}]}


def lines(numbers: range) -> bytes:
    """A file with a conversation a line."""
    return "".join(json.dumps(conversation(number)) + "\n" for number in numbers).encode()


def collected(owner: User, files: dict[str, bytes], *, name: str = "Harbour") -> Collection:
    """A collection of these files, imported and surveyed."""
    members = [upload(owner, data, name=file) for file, data in files.items()]
    drain()
    collection = services.create(owner, name=name, members=members)
    services.ensure_surveyed(collection)
    drain()
    collection.refresh_from_db()
    return collection


def drain() -> None:
    """Do every queued job and those that they request, as one worker would."""
    while run_jobs():
        pass


def named(*names: str) -> list[NamedConfig]:
    """Some of CONFIGS."""
    return [NamedConfig(name, load_config(CONFIGS[name])) for name in names or CONFIGS]


def evaluated(collection: Collection, *names: str, **options: bool) -> EvaluationRun:
    """The collection evaluated under some of CONFIGS, all jobs done; `options` are those of `runs.begin`."""
    run = runs.begin(collection, named(*names), owner=collection.owner, **options)
    drain()
    run.refresh_from_db()
    assert run.state == EvaluationRun.State.DONE, run.error
    return run
