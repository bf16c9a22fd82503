"""The tree of a Claude Code session: which lines belong to the branch the model saw last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from budgeteer.engine.library import compact_json
from budgeteer.formats.conversations import Notes, text_value
from budgeteer.formats.jsontext import Line
from budgeteer.formats.report import Skipped

_ABSENT = "\x00absent"
"""The parent of a line that has no `parentUuid` key at all: it follows the line before it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line that stands in the tree.

    Attributes:
        number: its line; an order within the file together with its place in the list.
        kind: "user", "assistant", or the type of a line that only links others ("progress", "system").
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


@dataclass(frozen=True, slots=True)
class Branch:
    """The chosen branch, in file order, and what was left out.

    Attributes:
        records: its messages, after the last compaction unless the whole transcript was wanted.
        entire: its messages with what was compacted away.
        others: other branches of the file.
        before_compaction: how many of `entire` are not in `records`.
        dangling: message lines whose parent is not in the file.
    """

    records: list[Record]
    entire: list[Record] = field(default_factory=list)
    others: int = 0
    compactions: int = 0
    before_compaction: int = 0
    dangling: int = 0


def records_of(lines: Sequence[Line], notes: Notes, skipped: list[Skipped]) -> list[Record]:
    """Every line of the tree; lines that are no messages are counted by their type."""
    records: list[Record] = []
    seen: set[tuple[str, str]] = set()
    for line in lines:
        record = _record(line.value, line.number, skipped)
        if record is None:
            continue
        if not record.is_message:
            notes.other_lines[_type_name(line.value)] += 1
        elif record.uuid:
            key = (record.uuid, compact_json(record.message["content"]))
            if key in seen:
                notes.count("Lines that repeat a line with the same `uuid`, read once")
                continue
            seen.add(key)
        records.append(record)
        inner = _agent_progress(line)
        if inner is not None:
            records.append(inner)
    return records


def main_branch(records: Sequence[Record], *, whole: bool = False) -> Branch:
    """The branch that ends in the last message; after its last compaction unless the whole transcript is wanted.

    Lines that share a message id with the branch, and results that answer its calls, belong to it wherever they
    hang: parallel calls fork the tree without being a user's branch.
    """
    last = next((index for index in range(len(records) - 1, -1, -1) if records[index].is_message), None)
    if last is None:
        return Branch([])
    tree = _Tree(records)
    entire = tree.with_siblings(tree.path(last, whole=True))
    chosen = entire if whole else tree.with_siblings(tree.path(last, whole=False))
    messages = [index for index in sorted(chosen) if records[index].is_message]
    boundaries = sum(1 for index in entire if records[index].raw.get("subtype") == "compact_boundary")
    summaries = sum(1 for index in entire if records[index].raw.get("isCompactSummary") is True)
    return Branch(
        records=[records[index] for index in messages],
        entire=[records[index] for index in sorted(entire) if records[index].is_message],
        others=tree.other_branches(entire),
        compactions=max(boundaries, summaries),
        before_compaction=sum(1 for index in entire - chosen if records[index].is_message),
        dangling=tree.dangling,
    )


class _Tree:
    """Parents by position in the list of records."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.by_uuid = {record.uuid: index for index, record in enumerate(records) if record.uuid}
        self.linked = any(record.parent in self.by_uuid for record in records if record.is_message)
        self.dangling = sum(
            1 for r in records if r.is_message and r.parent not in ("", _ABSENT) and r.parent not in self.by_uuid
        )
        self.dangling *= self.linked

    def parent(self, index: int) -> int | None:
        """The line before this one; the line above where the file does not tell."""
        record = self.records[index]
        if record.parent in self.by_uuid:
            return self.by_uuid[record.parent]
        logical = text_value(record.raw.get("logicalParentUuid"))
        if logical in self.by_uuid:
            return self.by_uuid[logical]
        is_root = record.parent == "" and self.linked and not record.is_boundary
        return None if is_root or index == 0 else index - 1

    def path(self, index: int, *, whole: bool) -> set[int]:
        """The lines from one up to its root, or up to the last compaction."""
        found: set[int] = set()
        at: int | None = index
        while at is not None and at not in found:
            found.add(at)
            if self.records[at].is_boundary and not whole:
                break
            at = self.parent(at)
        return found

    def with_siblings(self, path: set[int]) -> set[int]:
        """The path with every line of its assistant messages and every result of their calls."""
        ids = {self.records[index].message_id for index in path} - {""}
        found = set(path)
        found.update(index for index, record in enumerate(self.records) if record.message_id in ids)
        calls = {text_value(block.get("id")) for index in found for block in self.records[index].blocks("tool_use")} - {
            ""
        }
        found.update(
            index
            for index, record in enumerate(self.records)
            if record.kind == "user"
            and any(text_value(block.get("tool_use_id")) in calls for block in record.blocks("tool_result"))
        )
        return found

    def other_branches(self, chosen: Iterable[int]) -> int:
        """How many branches leave the chosen one (or start at another root)."""
        inside = set(chosen)
        outside = {i for i, record in enumerate(self.records) if record.is_message and i not in inside}
        above: dict[int, int | None] = {}
        return sum(1 for index in outside if self._message_above(index, above) not in outside)

    def _message_above(self, index: int, known: dict[int, int | None]) -> int | None:
        """The nearest message above a line; what is learnt on the way is kept in `known`."""
        way: list[int] = []
        seen = {index}
        at = self.parent(index)
        while at is not None and at not in seen and at not in known and not self.records[at].is_message:
            seen.add(at)
            way.append(at)
            at = self.parent(at)
        found = None if at is None else at if self.records[at].is_message else known.get(at)
        known.update(dict.fromkeys(way, found))
        return found


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
    parent = value.get("parentUuid", _ABSENT)
    return Record(
        number=number,
        kind=kind,
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
        parent=_ABSENT,
        message=message,
        raw={"timestamp": inner.get("timestamp"), "sessionId": line.value.get("sessionId")},
        sidechain=True,
        agent=text_value(data.get("agentId")) or text_value(line.value.get("parentToolUseID")) or "agent",
    )


def _type_name(value: Mapping[str, Any]) -> str:
    kind = text_value(value.get("type")) or "line without a type"
    data = value.get("data")
    detail = text_value(value.get("subtype")) or (text_value(data.get("type")) if isinstance(data, Mapping) else "")
    return f"{kind} ({detail})" if detail else kind
