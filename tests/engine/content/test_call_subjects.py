"""What a call is about, by the arguments of the tools that agents carry."""

from __future__ import annotations

import json

import pytest

from budgeteer.engine.content.call_subjects import subject_of
from budgeteer.engine.content.conversation import ToolCallPart


@pytest.mark.parametrize(
    ("tool", "arguments", "title", "file"),
    [
        (
            "Read",
            {"file_path": "/home/ines/quayside/boats.py", "limit": 40},
            "Read quayside/boats.py",
            "/home/ines/quayside/boats.py",
        ),
        ("Bash", {"description": "Run the tests", "command": "pytest -q"}, "Bash pytest -q", ""),
        ("Bash", {"command": "\ncd src\npytest"}, "Bash cd src", ""),
        ("shell", {"command": ["bash", "-lc", "rg -n tide"], "workdir": "/src"}, "shell rg -n tide", ""),
        ("shell", {"command": ["ls", "-a"]}, "shell ls -a", ""),
        ("Grep", {"pattern": "def tide", "path": "src/tides.py"}, "Grep def tide", "src/tides.py"),
        ("read_file", {"absolutePath": "C:\\src\\tides.py"}, "read_file src/tides.py", "C:\\src\\tides.py"),
        ("weather", {"harbour": "Falmouth", "days": 3}, "weather Falmouth", ""),
        ("stop", {}, "stop", ""),
        ("count", {"n": 4}, "count n 4", ""),
        ("write_stdin", {"session_id": 7, "chars": "", "wait": True}, "write_stdin session_id 7", ""),
        ("write_stdin", {"session_id": 7, "chars": "", "note": "poll"}, "write_stdin poll", ""),
        ("wait", {"is_long": True, "steps": [{"n": 4}]}, "wait", ""),
    ],
)
def test_a_call_is_named_by_what_it_was_given(tool: str, arguments: dict[str, object], title: str, file: str) -> None:
    subject = subject_of(ToolCallPart("c1", tool, json.dumps(arguments)))
    assert (subject.title, subject.file) == (title, file)


@pytest.mark.parametrize(
    ("arguments", "is_free", "title"),
    [
        ("*** Begin Patch\n*** Update File: src/tides.py\n@@\n", True, "apply src/tides.py"),
        ("SELECT 1\nFROM t", True, "apply SELECT 1"),
        ('{"a": ', False, 'apply {"a":'),
        ("[1, 2]", False, "apply"),
        ("[" * 5_000, False, f"apply {'[' * 59}…"),
        ("", False, "apply"),
    ],
)
def test_arguments_that_are_no_object_are_named_by_their_first_line(arguments: str, is_free: bool, title: str) -> None:
    assert subject_of(ToolCallPart("c1", "apply", arguments, is_free=is_free)).title == title
