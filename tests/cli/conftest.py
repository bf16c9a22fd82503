"""Running the program the way a shell does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from budgeteer.cli import main


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the program left behind."""

    status: int
    out: str
    err: str


type Budgeteer = Callable[..., Run]


@pytest.fixture
def budgeteer(capsys: pytest.CaptureFixture[str]) -> Budgeteer:
    """Run the program inside this process."""

    def run(*arguments: object) -> Run:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Run(left.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Budgeteer:
    """Run the program as a process of its own, in an empty folder."""

    def run(*arguments: object) -> Run:
        line = [sys.executable, "-m", "budgeteer.cli", *map(str, arguments)]
        done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, check=False)
        return Run(done.returncode, done.stdout, done.stderr)

    return run


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You keep the harbour's timetable."},
    {"role": "user", "content": "Which ferry leaves first?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "timetable", "arguments": '{"day":"Monday"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "06:10 Skarholm\n07:40 Vik"},
    {"role": "assistant", "content": "The 06:10 to Skarholm."},
    {"role": "user", "content": "And the last one?"},
]


@pytest.fixture
def chat_file(tmp_path: Path) -> Path:
    """One OpenAI chat of six messages that ends with a question."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")
    return path


@pytest.fixture
def chats_file(tmp_path: Path) -> Path:
    """Three chats in one file, one a line."""
    path = tmp_path / "chats.jsonl"
    lines = [json.dumps({"messages": [*MESSAGES, {"role": "assistant", "content": f"No. {n}"}]}) for n in range(3)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def skills_folder(tmp_path: Path) -> Path:
    """A library of twelve skills."""
    for number in range(12):
        folder = tmp_path / "skills" / f"skill-{number:02}"
        folder.mkdir(parents=True)
        description = f"Does thing number {number}, with some words about when that is useful."
        text = f"---\nname: skill-{number:02}\ndescription: {description}\n---\n\n# Thing {number}\n\nThe body.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return tmp_path / "skills"


@pytest.fixture
def features_folder(tmp_path: Path) -> Path:
    """A library of two feature specs."""
    folder = tmp_path / "features"
    folder.mkdir()
    (folder / "boarding.md").write_text("# Boarding\n\n## Summary\nPeople board.\n", encoding="utf-8")
    (folder / "tickets.md").write_text("# Tickets\n\nOne each.\n", encoding="utf-8")
    return folder


@pytest.fixture
def tools_file(tmp_path: Path) -> Path:
    """Three tool definitions in the OpenAI form."""
    path = tmp_path / "tools.json"
    definitions = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": f"Answers questions on {name}.",
                "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
            },
        }
        for name in ("timetable", "weather", "tides")
    ]
    path.write_text(json.dumps(definitions), encoding="utf-8")
    return path
