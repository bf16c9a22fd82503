"""The lines of a Claude Code session as records: what each carries, and what it hangs under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from budgeteer.engine.library import compact_json
from budgeteer.formats.claude_code_attachments import attached_message
from budgeteer.formats.conversations import Notes, text_value
from budgeteer.formats.jsontext import Line
from budgeteer.formats.report import Skipped

ABSENT = "\x00absent"
"""The parent of a line that has no `parentUuid` key at all: it follows the line before it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line that stands in the tree.

    Attributes:
        number: its line; an order within the file together with its place in the list.
        kind: "user" (also an attachment that the model reads), "assistant", or the type of a line that only links
            others ("progress", "system").
        parent: the uuid before it, "" for a root.
        message: the API message of a `user` or `assistant` line, {} otherwise.
        raw: the whole line.
    """

    number: int
    kind: str
    uuid: str
    parent: str
    message: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)
    sidechain: bool = False
    agent: str = ""

    @property
    def is_message(self) -> bool:
        """Whether the line carries something the model said or read."""
        return bool(self.message)

    @property
    def is_talk(self) -> bool:
        """Whether somebody said it: a message that is no attachment."""
        return self.is_message and self.raw.get("type") != "attachment"

    @property
    def session(self) -> str:
        """The session the line was written in."""
        return text_value(self.raw.get("sessionId"))

    @property
    def message_id(self) -> str:
        """The API's id of an assistant message, shared by every line of it."""
        return text_value(self.message.get("id")) if self.kind == "assistant" else ""

    @property
    def is_boundary(self) -> bool:
        """Whether what stands before this line was compacted away."""
        return self.raw.get("subtype") == "compact_boundary" or self.raw.get("isCompactSummary") is True

    def blocks(self, kind: str) -> list[Mapping[str, Any]]:
        """The content blocks of one type."""
        content = self.message.get("content")
        items = content if isinstance(content, list) else []
        return [item for item in items if isinstance(item, Mapping) and item.get("type") == kind]


def records_of(lines: Sequence[Line], notes: Notes, skipped: list[Skipped]) -> list[Record]:
    """Every line of the tree; lines that are no messages are counted by their type."""
    records: list[Record] = []
    repeated = _Repeated()
    for line in lines:
        record = _record(line.value, line.number, skipped)
        if record is None:
            continue
        if not record.is_message:
            notes.other_lines[_type_name(line.value)] += 1
        elif record.uuid and repeated(record.uuid, record.message["content"]):
            notes.count("Lines that repeat a line with the same `uuid`, read once")
            continue
        records.append(record)
        inner = _agent_progress(line)
        if inner is not None:
            records.append(inner)
    return records


class _Repeated:
    """Whether a content was met before under a uuid; contents are written out only where a uuid comes again."""

    def __init__(self) -> None:
        self.first: dict[str, Any] = {}
        self.others: set[tuple[str, str]] = set()

    def __call__(self, uuid: str, content: Any) -> bool:
        if uuid not in self.first:
            self.first[uuid] = content
            return False
        if self.first[uuid] == content:
            return True
        key = (uuid, compact_json(content))
        if key in self.others:
            return True
        self.others.add(key)
        return False


def _record(value: Mapping[str, Any], number: int, skipped: list[Skipped]) -> Record | None:
    kind = text_value(value.get("type")) or "line without a type"
    message: Mapping[str, Any] = {}
    if kind in ("user", "assistant"):
        given = value.get("message")
        if not isinstance(given, Mapping) or "content" not in given:
            why = f"a `{kind}` line without a readable message"
            skipped.append(Skipped(f"line {number}", why, compact_json(value)[:500]))
            return None
        message = given
    elif kind == "attachment":
        message = attached_message(value)
    parent = value.get("parentUuid", ABSENT)
    return Record(
        number=number,
        kind="user" if message and kind == "attachment" else kind,
        uuid=text_value(value.get("uuid")),
        parent=parent if isinstance(parent, str) else "",
        message=message,
        raw=value,
        sidechain=value.get("isSidechain") is True,
        agent=text_value(value.get("agentId")),
    )


def _agent_progress(line: Line) -> Record | None:
    """The line of a sub-agent's run that a `progress` line carries."""
    data = line.value.get("data")
    inner = data.get("message") if isinstance(data, Mapping) and data.get("type") == "agent_progress" else None
    if not isinstance(inner, Mapping) or inner.get("type") not in ("user", "assistant"):
        return None
    message = inner.get("message")
    if not isinstance(message, Mapping) or "content" not in message or not isinstance(data, Mapping):
        return None
    return Record(
        number=line.number,
        kind=str(inner["type"]),
        uuid=text_value(inner.get("uuid")),
        parent=ABSENT,
        message=message,
        raw={"timestamp": inner.get("timestamp"), "sessionId": line.value.get("sessionId")},
        sidechain=True,
        agent=text_value(data.get("agentId")) or text_value(line.value.get("parentToolUseID")) or "agent",
    )


def _type_name(value: Mapping[str, Any]) -> str:
    kind = text_value(value.get("type")) or "line without a type"
    data = value.get("data")
    inner = value.get("attachment") if kind == "attachment" else data
    detail = text_value(value.get("subtype")) or (text_value(inner.get("type")) if isinstance(inner, Mapping) else "")
    return f"{kind} ({detail})" if detail else kind
