"""What a tool call is about, as people name it: its tool with the file, the command or the query it was given.

Read from the arguments as data: the names of their keys decide, never their words. A call that only looks at what an
earlier one left running (a terminal's session, a task in the background) is about that call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ToolCallPart

#: The most of what a call is about that its name holds; a list shows as much of it as it has room for.
MOST_CHARS: Final = 160

#: Keys of arguments that hold a path, and those that hold what is asked otherwise, the most telling first; written
#: without case, dashes and underscores. Source: the tools of Claude Code, Codex, Gemini CLI, Cline, OpenCode, Cursor.
_PATHS: Final = (
    *("filepath", "absolutepath", "targetfile", "notebookpath", "relativeworkspacepath", "relativepath"),
    *("path", "file", "filename"),
)
_ASKED: Final = ("command", "cmd", "commandline", "pattern", "query", "q", "url", "skill", "name", "description")

#: Keys that hold the id of what an earlier call left running, written as the keys above. Source: the tools of Codex
#: (`session_id`), Claude Code (`bash_id`, `shell_id`, `task_id`) and Copilot CLI (`shellId`); others have such too.
_RUNNING: Final = ("sessionid", "shellid", "bashid", "taskid", "processid", "terminalid", "jobid", "execid", "pid")
#: How a result says such an id, such as session ID 54893 of Codex or ID: b1 of Claude Code.
_SAYS_ID: Final = re.compile(r"(?i:id)\W{1,4}(?=([\w-]{1,64}))")
#: So much of both ends of a result is searched for an id: programs write it before or behind what they print.
_END_CHARS: Final = 400

#: `apply_patch` names its files in lines of its own. Source: the grammar of OpenAI's apply_patch tool.
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (\S[^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CallSubject:
    """What one call is about.

    Attributes:
        tool: the tool's name.
        file: the path it was given, "" where it was given none.
        asked: the command, pattern or query it was given in one line, "" where none is known.
        running: the id of what an earlier call left running, where it was given one and no command; else "".
        is_look: whether it was given nothing but that id, and so only looks.
        look: which of its tool's looks at that it is, from 1; 0 where that was not counted.
    """

    tool: str
    file: str = ""
    asked: str = ""
    running: str = ""
    is_look: bool = False
    look: int = 0

    @property
    def about(self) -> str:
        """What it was given, without its tool; of a path its last folder and its name."""
        return self.asked or "/".join(self.file.replace("\\", "/").strip("/").split("/")[-2:])

    @property
    def title(self) -> str:
        """The call in one line: "Read quayside/boats.py", "Bash pytest -q", "write_stdin (2) pytest -q"."""
        again = f" ({self.look:,})" if self.look > 1 else ""
        return f"{self.tool}{again} {_cut(self.about)}".strip()


@dataclass(slots=True)
class StartedCalls:
    """What results say is still running, so that a later look at it is named after the call that started it.

    Results are searched when the first call asks, each once: most conversations have none that do.
    """

    _unread: list[tuple[CallSubject, str]] = field(default_factory=list)
    _started: dict[str, str] = field(default_factory=dict)
    _looks: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def answered(self, subject: CallSubject, result: str) -> None:
        """Take down that a call has this result; one that was given an id to go on with started nothing."""
        if subject.about and not subject.running:
            self._unread.append((subject, f"{result[:_END_CHARS]}\n{result[-_END_CHARS:]}"))

    def named(self, subject: CallSubject) -> CallSubject:
        """The subject of a call; of one that only looks, what the call is about that it looks at, and the count."""
        if not subject.is_look:
            return subject
        for one, said in self._unread:
            self._started.update(dict.fromkeys(_SAYS_ID.findall(said), one.about))
        self._unread.clear()
        about = self._started.get(subject.running, subject.about)
        key = (subject.tool, subject.running, about)
        self._looks[key] = self._looks.get(key, 0) + 1
        return replace(subject, asked=about, look=self._looks[key])


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
    running = "" if asked else next((found for key in _RUNNING if (found := _id_of(plain.get(key)))), "")
    told = [line for line in (_line(value) for value in given.values() if isinstance(value, str)) if line]
    is_look = bool(running) and all(line == running for line in told)
    return CallSubject(tool, asked=asked or next(iter(told), "") or _numbered(given), running=running, is_look=is_look)


def _id_of(value: Any) -> str:
    """An id as a text: a whole number, or a word; "" for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) and len(value.split()) == 1 else ""


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
