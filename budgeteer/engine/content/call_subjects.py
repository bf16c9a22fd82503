"""What a tool call is about, as people name it: its tool with the file, the command or the query it was given.

Read from the arguments as data: the names of their keys decide, never their words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from budgeteer.engine.content.conversation import ToolCallPart

MOST_CHARS: Final = 60

#: Keys of arguments that hold a path, and those that hold what is asked otherwise, the most telling first; written
#: without case, dashes and underscores. Source: the tools of Claude Code, Codex, Gemini CLI, Cline, OpenCode, Cursor.
_PATHS: Final = (
    *("filepath", "absolutepath", "targetfile", "notebookpath", "relativeworkspacepath", "relativepath"),
    *("path", "file", "filename"),
)
_ASKED: Final = ("command", "cmd", "commandline", "pattern", "query", "q", "url", "skill", "name", "description")

#: `apply_patch` names its files in lines of its own. Source: the grammar of OpenAI's apply_patch tool.
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (\S[^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CallSubject:
    """What one call is about.

    Attributes:
        tool: the tool's name.
        file: the path it was given, "" where it was given none.
        asked: the command, pattern or query it was given in one line, "" where none is known.
    """

    tool: str
    file: str = ""
    asked: str = ""

    @property
    def title(self) -> str:
        """The call in one line: "Read quayside/boats.py", "Bash pytest -q"; of a path its last folder and its name."""
        about = self.asked or "/".join(self.file.replace("\\", "/").strip("/").split("/")[-2:])
        return f"{self.tool} {_cut(about)}".strip()


def subject_of(call: ToolCallPart) -> CallSubject:
    """The subject of one call."""
    if call.is_free:
        patched = _PATCHED.search(call.arguments)
        return (
            CallSubject(call.name, patched[1].strip())
            if patched
            else CallSubject(call.name, asked=_line(call.arguments))
        )
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return CallSubject(call.name, asked=_line(call.arguments))
    if not isinstance(given, Mapping):
        return CallSubject(call.name, asked=_words(given))
    return _of_arguments(call.name, given)


def _of_arguments(tool: str, given: Mapping[str, Any]) -> CallSubject:
    plain: dict[str, Any] = {}
    for key, value in given.items():
        plain.setdefault(key.casefold().replace("_", "").replace("-", ""), value)
    asked = next((words for key in _ASKED if (words := _words(plain.get(key)))), "")
    patched = _PATCHED.search(asked_text) if isinstance(asked_text := plain.get("input"), str) else None
    if patched:
        return CallSubject(tool, patched[1].strip())
    path = next((_line(value) for key in _PATHS if isinstance(value := plain.get(key), str) and value.strip()), "")
    if path:
        command = next((words for key in _ASKED[:5] if (words := _words(plain.get(key)))), "")
        return CallSubject(tool, path, command if command and command != path else "")
    told = (_line(value) for value in given.values() if isinstance(value, str))
    return CallSubject(tool, asked=asked or next((line for line in told if line), "") or _numbered(given))


def _numbered(given: Mapping[str, Any]) -> str:
    """The first number that a call was given, with its key: "session_id 32402"; "" where there is none."""
    return next((f"{key} {value}" for key, value in given.items() if type(value) in {int, float}), "")


def _words(value: Any) -> str:
    """A text in one line; of a list of words (a command as Codex writes it) what the shell runs."""
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return _line(value[2] if len(value) == 3 and value[1] in {"-c", "-lc"} else " ".join(value))
    return ""


def _line(text: str) -> str:
    """The first line that says anything."""
    return " ".join(next((line for line in text[:4_000].splitlines() if line.strip()), "").split())[:400]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1] + "…"
