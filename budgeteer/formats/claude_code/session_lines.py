"""The lines of a Claude Code session as records: their content and their parent."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.slot_initializers import sets_slots
from budgeteer.formats.anthropic.messages import recorded_request
from budgeteer.formats.claude_code.attachments import attached_message
from budgeteer.formats.claude_code.iflow import is_iflow
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.json_text import JsonLine

ABSENT = "\x00absent"
"""The parent of a line that has no `parentUuid` key at all: it follows the line before it."""


_MOST_SHARED: Final = 10_000

MESSAGE, TALK, SIDECHAIN, INNER, COMPACTION, SUMMARY, ATTACHED, THOUGHT, LISTS = (1 << bit for bit in range(9))
PLANS, IN_PLAN_MODE, IN_OTHER_MODE, NAMES_FILE = (1 << bit for bit in range(9, 13))
"""The marks of a record: each is a property of it."""

_MARKS_OF_BARE: Final = frozenset({"uuid", "sessionId", "isSidechain"})
"""What a line has whose `message` is nothing but a content, and no `version`: so copies of sessions are written.

Lines by Claude Code itself have one, and lines by others none of these."""

_COPIED_TYPES: Final = (None, "human", "tool_result", "tool_use")
"""The types of lines with a message that only copies of sessions have: none, and names that others gave."""

_MARKS_OF_RESULT: Final = frozenset({"tool_use_id", "content"})
_MARKS_OF_CALL: Final = frozenset({"id", "name", "input"})
_MARKS_OF_FLAT: Final = frozenset({"uuid", "sessionId", "content"})

NAMED_FILE: Final = re.compile(
    r"""(?<!\S)@(?:"[^"\n]{1,400}"|[^\s"'`<>()\[\]{},;/.]{0,200}(?:/|\.[^\s"'`<>()\[\]{},;.]))"""
)
"""A file that a prompt names, as `@src/main.py` or `@"my notes.md"`: a name with a slash or a dot."""

LISTING_TOOLS: Final = frozenset({"TaskCreate", "TaskUpdate", "TodoWrite"})
"""The tools of Claude Code that write its task list."""

PLAN_TOOLS: Final = frozenset({"EnterPlanMode", "ExitPlanMode"})
"""The tools of Claude Code that begin and end its plan mode."""


class LineContext(NamedTuple):
    """What many lines have in common; the records of a session share one copy of each.

    Attributes:
        session: the session the line was written in.
        agent: the sub-agent whose run it belongs to.
        model: of an assistant's line the model's name.
        logical_parent: the uuid before a compaction's boundary.
    """

    session: str = ""
    agent: str = ""
    model: str = ""
    logical_parent: str = ""


@sets_slots
@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One line that stands in the tree: what finds its place there is held, its contents are read from the line.

    Attributes:
        line: what it was read from.
        kind: "user" (also an attachment that the model reads), "assistant", or the type of a line that only links
            others ("progress", "system").
        parent: the uuid before it, "" for a root.
        marks: what it is, as bits.
        context: what other lines have too.
        message_id: the API's id of an assistant message, shared by every line of it.
        calls, answers: the ids of the calls it makes, and of the calls it answers.
        reported: of an assistant's line what is reported of its request.
    """

    line: JsonLine
    kind: str
    uuid: str
    parent: str
    marks: int
    context: LineContext
    message_id: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    reported: RecordedRequest | None = None

    @property
    def is_message(self) -> bool:
        """Whether the line carries something the model said or read."""
        return self.marks & MESSAGE != 0

    @property
    def is_talk(self) -> bool:
        """Whether somebody said it: a message that is no attachment."""
        return self.marks & TALK != 0

    @property
    def sidechain(self) -> bool:
        """Whether it belongs to a sub-agent."""
        return self.marks & SIDECHAIN != 0

    @property
    def is_inner(self) -> bool:
        """Whether it is the line of a sub-agent's run that a `progress` line carries."""
        return self.marks & INNER != 0

    @property
    def is_compaction(self) -> bool:
        """Whether everything before it was compacted."""
        return self.marks & COMPACTION != 0

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary of what was compacted."""
        return self.marks & SUMMARY != 0

    @property
    def is_attachment(self) -> bool:
        """Whether it is an attachment, read by the model or not."""
        return self.marks & ATTACHED != 0

    @property
    def is_thought(self) -> bool:
        """Whether it holds thinking and nothing else."""
        return self.marks & THOUGHT != 0

    @property
    def lists(self) -> bool:
        """Whether it calls a tool that writes the task list."""
        return self.marks & LISTS != 0

    @property
    def plans(self) -> bool:
        """Whether it calls a tool that begins or ends plan mode."""
        return self.marks & PLANS != 0

    @property
    def names_file(self) -> bool:
        """Whether it is a prompt, or the text of a command or skill, that names a file with `@`."""
        return self.marks & NAMES_FILE != 0

    @property
    def in_plan_mode(self) -> bool | None:
        """Whether it is a prompt that was sent in plan mode; None where it names no mode."""
        return self.marks & IN_PLAN_MODE != 0 if self.marks & (IN_PLAN_MODE | IN_OTHER_MODE) else None

    @property
    def number(self) -> int:
        """Its line; an order within the file together with its place in the list."""
        return self.line.number

    @property
    def message(self) -> Mapping[str, Any]:
        """The API message, {} where there is none."""
        value = self.line.value
        if self.is_inner:
            message: Mapping[str, Any] = value["data"]["message"]["message"]
            return message
        return _message_of(value) if self.is_message else {}

    @property
    def raw(self) -> Mapping[str, Any]:
        """The whole line; of an inner one what it shares with the line that carries it."""
        value = self.line.value
        if not self.is_inner:
            return value
        return {"timestamp": value["data"]["message"].get("timestamp"), "sessionId": value.get("sessionId")}

    @property
    def is_boundary(self) -> bool:
        """Whether what stands before this line was compacted away."""
        return self.marks & (COMPACTION | SUMMARY) != 0


def records_of(lines: Sequence[JsonLine], notes: Notes, skipped: list[Skipped]) -> list[SessionRecord]:
    """Every line of the tree; lines that are no messages are counted by their type."""
    records: list[SessionRecord] = []
    repeated = _Repeated()
    shared = _Shared()
    for line in lines:
        value = line.value
        record = _record(line, value, skipped, shared)
        if record is None:
            continue
        if record.uuid and repeated(record):
            notes.count("Lines that repeat a line with the same `uuid`, read once")
            notes.leave_entries((line.number,))
            continue
        if not record.is_message:
            notes.leave_line(_type_name(value), None)
            if not _list_unknown(line, skipped):
                notes.leave_entries((line.number,))
        records.append(record)
        inner = _agent_progress(line, value, shared)
        if inner is not None:
            records.append(inner)
    return records


def _list_unknown(line: JsonLine, skipped: list[Skipped]) -> bool:
    """Whether a line that is no message of Claude Code's holds one of somebody else's, which is listed as not read."""
    message = line.value.get("message")
    if not isinstance(message, OBJECT) or not text_value(message.get("role")):
        return False
    why = f"a message in a line of the type {_type_name(line.value)}, which Claude Code does not write"
    skipped.append(Skipped(f"line {line.number}", why, compact_json(message)[:500]))
    return True


class _Shared:
    """One copy of what several lines name, of the latest thousands."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._contexts: dict[LineContext, LineContext] = {}

    def text(self, text: str) -> str:
        """The copy of a text."""
        if len(self._texts) > _MOST_SHARED:
            self._texts.clear()
        return self._texts.setdefault(text, text)

    def context(self, *named: str) -> LineContext:
        """The copy of a context."""
        if len(self._contexts) > _MOST_SHARED:
            self._contexts.clear()
        context = LineContext(*named)
        return self._contexts.setdefault(context, context)


class _Repeated:
    """Whether a content was met before under a uuid; contents are written out only where a uuid comes again.

    A line that is no message is compared whole: a repeated boundary of a compaction would make a circle of the tree.
    """

    def __init__(self) -> None:
        self.first: dict[str, SessionRecord] = {}
        self.others: set[tuple[str, str]] = set()

    def __call__(self, record: SessionRecord) -> bool:
        first = self.first.setdefault(record.uuid, record)
        if first is record:
            return False
        content = _content_of(record)
        if first.is_message == record.is_message and _content_of(first) == content:
            return True
        key = (record.uuid, compact_json(content))
        if key in self.others:
            return True
        self.others.add(key)
        return False


def _content_of(record: SessionRecord) -> Any:
    return record.message["content"] if record.is_message else record.line.value


def _message_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The API message of a line, {} where it carries none."""
    kind = value.get("type")
    if kind == "attachment":
        return attached_message(value)
    if kind in ("user", "assistant"):
        return message_of_talk(value)
    return message_of_copied(value) if kind in _COPIED_TYPES else {}


def message_of_copied(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a line that another program wrote of a session: a call, a result, or a message by its role."""
    if value.get("type") == "tool_result":
        return {"role": "user", "content": [value]} if value.keys() >= _MARKS_OF_RESULT else {}
    if value.get("type") == "tool_use":
        return {"role": "assistant", "content": [value]} if value.keys() >= _MARKS_OF_CALL else {}
    message = message_of_talk(value)
    return message if message.get("role") in ("user", "assistant") else {}


def message_of_talk(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a `user` or `assistant` line, which may be nothing but its content; {} where there is none."""
    given = value.get("message")
    if given is None and "message" not in value and value.keys() >= _MARKS_OF_FLAT:
        return value
    if isinstance(given, str | list) and value.keys() >= _MARKS_OF_BARE and "version" not in value:
        return {"content": given}
    return given if isinstance(given, OBJECT) and "content" in given else {}


def _record(line: JsonLine, value: Mapping[str, Any], skipped: list[Skipped], shared: _Shared) -> SessionRecord | None:
    """The record of a line, whose object is looked up once (`value`)."""
    kind = text_value(value.get("type")) or "line without a type"
    message = _message_of(value)
    if kind in ("user", "assistant") and not message:
        why = f"a `{kind}` line without a readable message"
        skipped.append(Skipped(f"line {line.number}", why, compact_json(value)[:500]))
        return None
    if message and kind not in ("user", "assistant"):
        kind = "attachment" if kind == "attachment" else text_value(message.get("role"))
    is_reply = kind == "assistant"
    session = text_value(value.get("sessionId"))
    parent = ABSENT if is_iflow(session) else value.get("parentUuid", ABSENT)
    return SessionRecord(
        line,
        sys.intern("user" if message and kind == "attachment" else kind),
        shared.text(text_value(value.get("uuid"))),
        shared.text(parent) if isinstance(parent, str) else "",
        (MESSAGE if message else 0)
        | (TALK if message and kind != "attachment" else 0)
        | (SIDECHAIN if value.get("isSidechain") is True else 0)
        | (COMPACTION if value.get("subtype") == "compact_boundary" else 0)
        | (SUMMARY if value.get("isCompactSummary") is True else 0)
        | (ATTACHED if kind == "attachment" else 0)
        | (_reply_marks(message) if is_reply else _mode_mark(value) | _file_mark(value, message)),
        shared.context(
            session,
            text_value(value.get("agentId")),
            text_value(message.get("model")) if is_reply else "",
            text_value(value.get("logicalParentUuid")),
        ),
        text_value(message.get("id")) if is_reply else "",
        _ids(message, "tool_use", "id"),
        _ids(message, "tool_result", "tool_use_id"),
        _reported(message, text_value(value.get("version"))) if is_reply else None,
    )


def _reply_marks(message: Mapping[str, Any]) -> int:
    """Whether a line of the assistant is thinking alone, and whether it writes the task list or switches plan mode."""
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, OBJECT)] if isinstance(content, list) else []
    kinds = {text_value(block.get("type")) for block in blocks}
    marks = THOUGHT if kinds and kinds <= {"thinking", "redacted_thinking"} else 0
    names = {text_value(block.get("name")) for block in blocks}
    return marks | (0 if names.isdisjoint(LISTING_TOOLS) else LISTS) | (0 if names.isdisjoint(PLAN_TOOLS) else PLANS)


def _mode_mark(value: Mapping[str, Any]) -> int:
    """In which mode a line of the user's was sent, where it says so."""
    mode = text_value(value.get("permissionMode")) if value.get("type") == "user" else ""
    return (IN_PLAN_MODE if mode == "plan" else IN_OTHER_MODE) if mode else 0


def _file_mark(value: Mapping[str, Any], message: Mapping[str, Any]) -> int:
    """Whether a line is a prompt, or the text of a command or skill, that names a file; a result is neither."""
    content = message.get("content")
    if value.get("isCompactSummary") is True:
        return 0
    if isinstance(content, str):
        return NAMES_FILE if "@" in content and NAMED_FILE.search(content) else 0
    blocks = [block for block in content if isinstance(block, OBJECT)] if isinstance(content, list) else []
    if any(block.get("type") == "tool_result" for block in blocks):
        return 0
    texts = (text_value(block.get("text")) for block in blocks if block.get("type") == "text")
    return NAMES_FILE if any("@" in text and NAMED_FILE.search(text) for text in texts) else 0


def _reported(message: Mapping[str, Any], version: str) -> RecordedRequest | None:
    """What the API reported of the request that this message answers, sent by this version of the program."""
    found = recorded_request(message.get("usage"), sys.intern(text_value(message.get("model"))))
    return None if found is None else replace(found, program=sys.intern(version))


def _ids(message: Mapping[str, Any], kind: str, key: str) -> tuple[str, ...]:
    """What the content blocks of one type have under a key."""
    content = message.get("content")
    if not isinstance(content, list):
        return ()
    found = [text_value(item.get(key)) for item in content if isinstance(item, OBJECT) and item.get("type") == kind]
    return tuple(found)


def _agent_progress(line: JsonLine, value: Mapping[str, Any], shared: _Shared) -> SessionRecord | None:
    """The line of a sub-agent's run that a `progress` line carries."""
    data = value.get("data")
    inner = data.get("message") if isinstance(data, OBJECT) and data.get("type") == "agent_progress" else None
    if not isinstance(inner, OBJECT) or inner.get("type") not in ("user", "assistant"):
        return None
    message = inner.get("message")
    if not isinstance(message, OBJECT) or "content" not in message or not isinstance(data, OBJECT):
        return None
    is_reply = inner["type"] == "assistant"
    return SessionRecord(
        line,
        str(inner["type"]),
        text_value(inner.get("uuid")),
        ABSENT,
        MESSAGE | TALK | SIDECHAIN | INNER,
        shared.context(
            text_value(value.get("sessionId")),
            text_value(data.get("agentId")) or text_value(value.get("parentToolUseID")) or "agent",
            text_value(message.get("model")) if is_reply else "",
        ),
        text_value(message.get("id")) if is_reply else "",
        _ids(message, "tool_use", "id"),
        _ids(message, "tool_result", "tool_use_id"),
        _reported(message, text_value(value.get("version"))) if is_reply else None,
    )


def _type_name(value: Mapping[str, Any]) -> str:
    kind = text_value(value.get("type")) or "line without a type"
    data = value.get("data")
    inner = value.get("attachment") if kind == "attachment" else data
    detail = text_value(value.get("subtype")) or (text_value(inner.get("type")) if isinstance(inner, OBJECT) else "")
    return f"{kind} ({detail})" if detail else kind
