"""What a call is about, by the arguments of the tools that agents carry."""

from __future__ import annotations

import json

import pytest

from budgeteer.engine.content.call_subjects import StartedCalls, subject_of
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
        ("read_bash", {"shellId": "30", "delay": 2}, "read_bash 30", ""),
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
        ("[" * 5_000, False, f"apply {'[' * 159}…"),
        ("", False, "apply"),
    ],
)
def test_arguments_that_are_no_object_are_named_by_their_first_line(arguments: str, is_free: bool, title: str) -> None:
    assert subject_of(ToolCallPart("c1", "apply", arguments, is_free=is_free)).title == title


def names_of(*talk: tuple[str, dict[str, object], str]) -> list[str]:
    """What the calls of a conversation are called: its tools, arguments and results in order."""
    started, names = StartedCalls(), []
    for tool, arguments, result in talk:
        subject = started.named(subject_of(ToolCallPart("c", tool, json.dumps(arguments))))
        started.answered(subject, result)
        names.append(subject.title)
    return names


@pytest.mark.parametrize(
    ("tool", "key", "value", "says"),
    [
        ("write_stdin", "session_id", 54893, "Process running with session ID 54893\nOutput:"),
        ("BashOutput", "bash_id", "b1f", "Command running in background with ID: b1f. "),
        ("read_bash", "shellId", "30", "<command started with shellId: 30>"),
    ],
)
def test_a_look_at_what_runs_is_named_after_what_started_it(tool: str, key: str, value: object, says: str) -> None:
    look = (tool, {key: value, "wait_ms": 400}, says)
    names = names_of(
        ("run", {"command": "make wheels"}, "done"),
        ("run", {"command": "make tests"}, f"{says}{' . ' * 500}"),
        look,
        ("run", {"command": "ls"}, "a 54893 30 b1f"),
        look,
        (tool, {**look[1], "chars": "yes"}, says),
        look,
    )
    assert names == [
        "run make wheels",
        "run make tests",
        f"{tool} make tests",
        "run ls",
        f"{tool} (2) make tests",
        f"{tool} {'yes' if isinstance(value, int) else value}",
        f"{tool} (3) make tests",
    ]


def test_looks_at_what_no_result_tells_of_are_told_apart_by_their_order() -> None:
    look = ("write_stdin", {"session_id": 7, "chars": ""}, "still running with session ID 7")
    other = ("write_stdin", {"session_id": 8, "chars": ""}, "session ID 8")
    assert names_of(look, look, other, look) == [
        "write_stdin session_id 7",
        "write_stdin (2) session_id 7",
        "write_stdin session_id 8",
        "write_stdin (3) session_id 7",
    ]
