"""The sample session: a dozen tasks in the made-up marina's repository, written as a Claude Code transcript.

A `Transcript` plays the tools for real on the repository's files (reads, searches and edits give what they would
give), so that every result fits what was asked. What people and the assistant say stands in `story.py`.
"""

from __future__ import annotations

import difflib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from samples import outputs

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.call_arguments import argument_texts

FOLDER = "/home/ines/quayside"
MODEL = "claude-sonnet-4-5"
VERSION = "2.0.31"
#: What a request is made to report: the tokens of its texts, of what stands around them (docs/engine.md), and of the
#: system text and the tools of the program, which a transcript does not hold.
COUNTER = counter_for("claude-v3")
MESSAGE_TOKENS = 4
CALL_TOKENS = 37
PARAMETER_TOKENS = 15
HIDDEN_TOKENS = 16_300


@dataclass(frozen=True)
class Call:
    """One tool call and, for a program, what it will print."""

    tool: str
    arguments: dict[str, Any]
    prints: str = ""
    failed: bool = False


def read(path: str, *, offset: int = 1, limit: int = 2000) -> Call:
    """Read a file, or a part of it."""
    part = {} if (offset, limit) == (1, 2000) else {"offset": offset, "limit": limit}
    return Call("Read", {"file_path": f"{FOLDER}/{path}", **part})


def grep(pattern: str, *, under: str = "") -> Call:
    """Search the repository."""
    return Call(
        "Grep", {"pattern": pattern, "path": f"{FOLDER}/{under}".rstrip("/"), "output_mode": "content", "-n": True}
    )


def edit(path: str, old: str, new: str) -> Call:
    """Replace one passage of a file."""
    return Call("Edit", {"file_path": f"{FOLDER}/{path}", "old_string": old, "new_string": new})


def write(path: str, text: str) -> Call:
    """Write a whole file."""
    return Call("Write", {"file_path": f"{FOLDER}/{path}", "content": text})


def bash(command: str, prints: str, *, what: str, failed: bool = False) -> Call:
    """Run a program; its output is given."""
    return Call("Bash", {"command": command, "description": what}, prints, failed)


@dataclass
class Transcript:
    """Lines of one session, and the repository as the session has changed it so far."""

    files: dict[str, str]
    random: Random
    lines: list[dict[str, Any]] = field(default_factory=list)
    moment: datetime = datetime(2026, 10, 26, 8, 31, 7, tzinfo=UTC)
    context_tokens: int = HIDDEN_TOKENS
    cached_tokens: int = 0

    def user(self, text: str) -> None:
        """The person writes something."""
        self.moment += timedelta(seconds=self.random.randrange(40, 600))
        self._line("user", {"role": "user", "content": text})
        self.context_tokens += MESSAGE_TOKENS + COUNTER.count(text)

    def thinks(self, text: str) -> dict[str, Any]:
        """A block of visible reasoning, to be given to `says`."""
        return {"type": "thinking", "thinking": text, "signature": f"{self.random.getrandbits(512):0128x}"}

    def says(self, text: str, *calls: Call, thinking: str = "") -> None:
        """The assistant says something and may call tools, all of them at once; the results follow."""
        message_id = f"msg_{self.random.getrandbits(96):024x}"
        blocks: list[dict[str, Any]] = [self.thinks(thinking)] if thinking else []
        blocks += [{"type": "text", "text": text}] if text else []
        uses = [
            {
                "type": "tool_use",
                "id": f"toolu_{self.random.getrandbits(96):024x}",
                "name": call.tool,
                "input": call.arguments,
            }
            for call in calls
        ]
        usage = self._usage(blocks + uses)
        for block in blocks + uses:
            self._assistant_line(message_id, block, usage)
        self.context_tokens += MESSAGE_TOKENS + sum(map(_tokens, blocks + uses))
        for call, use in zip(calls, uses, strict=True):
            self._result_line(call, str(use["id"]))

    def _usage(self, blocks: Sequence[dict[str, Any]]) -> dict[str, int]:
        """The usage of the request that these blocks answer: all before it, read from the cache as far as it reached."""
        fresh = self.random.randrange(3, 9)
        read, self.cached_tokens = self.cached_tokens, self.context_tokens - fresh
        return {
            "input_tokens": fresh,
            "cache_creation_input_tokens": self.cached_tokens - read,
            "cache_read_input_tokens": read,
            "output_tokens": sum(map(_tokens, blocks)),
        }

    def _assistant_line(self, message_id: str, block: dict[str, Any], usage: dict[str, int]) -> None:
        message = {"model": MODEL, "id": message_id, "type": "message", "role": "assistant", "content": [block]}
        self._line("assistant", message | {"stop_reason": None, "stop_sequence": None, "usage": usage})

    def _result_line(self, call: Call, use_id: str) -> None:
        text = self._play(call)
        block = {"tool_use_id": use_id, "type": "tool_result", "content": text}
        self._line("user", {"role": "user", "content": [block | ({"is_error": True} if call.failed else {})]})
        self.context_tokens += MESSAGE_TOKENS + COUNTER.count(text)

    def _play(self, call: Call) -> str:
        arguments = call.arguments
        path = str(arguments.get("file_path", arguments.get("path", ""))).removeprefix(FOLDER).removeprefix("/")
        match call.tool:
            case "Read":
                return outputs.numbered(
                    self.files[path], offset=arguments.get("offset", 1), limit=arguments.get("limit", 2000)
                )
            case "Grep":
                return outputs.grep(self.files, arguments["pattern"], under=path)
            case "Edit":
                return self._edit(path, arguments["old_string"], arguments["new_string"])
            case "Write":
                self.files[path] = arguments["content"]
                return f"File created successfully at: {FOLDER}/{path}"
            case _:
                return call.prints

    def _edit(self, path: str, old: str, new: str) -> str:
        before = self.files[path]
        if before.count(old) != 1:
            raise ValueError(f"{path}: the passage to replace stands {before.count(old)} times")
        after = self.files[path] = before.replace(old, new)
        line = before[: before.index(old)].count("\n") + 1
        shown = outputs.numbered(after, offset=max(1, line - 4), limit=new.count("\n") + 9)
        return f"The file {FOLDER}/{path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n{shown}"

    def diff_since(self, earlier: dict[str, str], paths: Sequence[str] = ()) -> str:
        """The unified diff of what the session changed, as `git diff` prints it."""
        lines: list[str] = []
        for path in sorted(paths or self.files):
            old, new = earlier.get(path, "").splitlines(), self.files.get(path, "").splitlines()
            if old != new:
                lines.append(f"diff --git a/{path} b/{path}")
                lines += difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
        return "\n".join(lines)

    def _line(self, kind: str, message: dict[str, Any]) -> None:
        self.moment += timedelta(milliseconds=self.random.randrange(300, 9000))
        identity = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        self.lines.append(
            {
                "parentUuid": self.lines[-1]["uuid"] if self.lines else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": FOLDER,
                "sessionId": "5b1f0c52-7d0e-4c39-9a41-0f6f2b8c7e10",
                "version": VERSION,
                "gitBranch": "autumn-fixes",
                "type": kind,
                "message": message,
                "uuid": identity,
                "timestamp": self.moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            }
        )

    def as_jsonl(self) -> bytes:
        """The file: a title line, then one line a block."""
        title = {
            "type": "custom-title",
            "customTitle": "Autumn fixes for the marina",
            "sessionId": self.lines[0]["sessionId"],
        }
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [title, *self.lines]).encode()


def _tokens(block: dict[str, Any]) -> int:
    """The tokens of a block of a reply, a call's with what stands around it and its result."""
    if block["type"] != "tool_use":
        return COUNTER.count(block[block["type"]])
    read = argument_texts(json.dumps(block["input"]), "parameters")
    return CALL_TOKENS + PARAMETER_TOKENS * (len(read) // 2) + COUNTER.count_parts((block["name"], *read))
