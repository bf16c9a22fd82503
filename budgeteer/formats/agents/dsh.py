"""Sessions of DeepSeek's harness (`dsh`): a line on the session, then its events, a `type` with a `seq` and its `data`.

Certain: events of that form whose types name what they are of (`turn/start`), with a message among them. What the
model is sent are the events with a `surfaceOp`: `append`, or one that replaces a range of those before it, as a
compaction does. Chunks and calls by themselves repeat what the messages hold.

Source: files of versions 0 to 4, and programs that read them, in public repositories, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    Message,
    Part,
    ReasoningPart,
    RecordedRequest,
    Role,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.bounds import iso_time
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {
    "user/message": "user",
    "system/message": "system",
    "developer/message": "developer",
    "assistant/message": "assistant",
    "tool/result": "tool",
}
"""The events that are messages, each with its role."""
_HEADER: Final = "request/header"
_TITLE: Final = "session/title"
_ENDS: Final = (("startSeq", "endSeq"), ("start", "end"))
"""The first and the last event that a replacement stands for, in newer and in older files."""


def detect(document: Document) -> str | None:
    """Why a document is a session of the harness, None when it is not."""
    if not mostly(document, lambda value: _is_event(value) or _is_session(value)):
        return None
    if any(_is_event(value) and text_value(value.get("type")) in _ROLES for value in sampled(document)):
        return "holds events with a `seq` and messages among them, as DeepSeek's harness keeps its sessions"
    return None


def _is_event(value: Mapping[str, Any]) -> bool:
    kind = text_value(value.get("type"))
    is_numbered = any(isinstance(value.get(key), int) for key in ("seq", "seq0"))
    return is_numbered and ("/" in kind or "seq0" in value) and isinstance(value.get("data"), OBJECT)


def _is_session(value: Mapping[str, Any]) -> bool:
    return text_value(value.get("type")) == "session" and isinstance(value.get("id"), str) and "seq" not in value


class _Surface:
    """The messages that the model is sent, in order, of which one may take the place of a range.

    They are a chain, so that replacing takes time that grows with what is taken away alone.
    """

    def __init__(self) -> None:
        self._entries: list[Entry | None] = [None]
        self._after: list[int] = [0]
        self._places: list[int] = [0]
        self._numbers: dict[int, int] = {}
        self._before: list[int] = [0]

    def put(self, entry: Entry, replaced: tuple[Any, Any] | None = None) -> list[Entry] | None:
        """Put a message behind the others, or in the place of a range of them by their `seq`.

        Returns:
            The messages it replaced; None where the range is not there.
        """
        ends = self._range(*replaced) if replaced is not None else None
        begin, end = ends or (0, self._before[0])
        left, right = (self._before[begin], self._after[end]) if ends else (end, 0)
        gone: list[Entry] = []
        at = begin
        while ends and at != right:
            gone += [held] if (held := self._entries[at]) is not None else []
            at = self._after[at]
        node = len(self._entries)
        self._entries.append(entry)
        self._before.append(left)
        self._after.append(right)
        self._places.append(self._places[begin] if ends else node)
        self._after[left], self._before[right] = node, node
        number = entry.value.get("seq")
        if isinstance(number, int):
            self._numbers[number] = node
        for told in (one.value.get("seq") for one in gone):
            if isinstance(told, int):
                self._numbers.pop(told, None)
        return gone if ends or replaced is None else None

    def _range(self, begin: Any, end: Any) -> tuple[int, int] | None:
        """The first and the last message of a range, None where it is none."""
        if not isinstance(begin, int) or not isinstance(end, int):
            return None
        first, last = self._numbers.get(begin, 0), self._numbers.get(end, 0)
        return (first, last) if first and last and self._places[first] <= self._places[last] else None

    def __iter__(self) -> Iterator[Entry]:
        at = self._after[0]
        while at:
            entry = self._entries[at]
            if entry is not None:
                yield entry
            at = self._after[at]


@dataclass(slots=True)
class _Session:
    """A session being read: its messages that the model is sent, and what is said of all of them."""

    about: Mapping[str, Any] = field(default_factory=dict)
    surface: _Surface = field(default_factory=_Surface)
    header: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""


def read(document: Document) -> Imported:
    """Read a session.

    Raises:
        FormatError: it holds no message.
    """
    skipped = list(document.skipped)
    session = _Session()
    for entry in entries_of(document, skipped):
        if _is_event(entry.value):
            _take(session, entry, document)
        elif _is_session(entry.value):
            session.about = entry.value
            document.notes.leave_out({key: held for key, held in entry.value.items() if key != "id"})
        else:
            skipped.append(Skipped(entry.where, "no event of a session", compact_json(entry.value)[:500]))
    chat = _conversation(session, document)
    require(chat.messages, document, "DeepSeek's harness")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _take(session: _Session, entry: Entry, document: Document) -> None:
    """Take an event in: a message to its place, anything else as what is said of the session, or counted."""
    raw, notes = entry.value, document.notes
    kind, data = text_value(raw.get("type")), object_under(raw, "data")
    if kind in _ROLES:
        replaced = None if document.options.whole else _replaced(raw.get("surfaceOp"))
        gone = session.surface.put(entry, replaced)
        if gone is None:
            notes.count("Messages that replace others which are not in the file, put behind what there is")
            return
        notes.count("Messages that a compaction replaced, left out", len(gone), of=[one.object for one in gone])
    elif kind == _HEADER:
        session.header = object_under(data, "header")
        notes.leave_out(object_under(session.header, "config"))
    elif kind == _TITLE:
        session.title = text_value(data.get("title")) or session.title
    else:
        notes.leave_line(kind[:40], raw)


def _replaced(operation: Any) -> tuple[Any, Any] | None:
    """The first and the last event that a message stands for, None of one that stands behind the others."""
    if not isinstance(operation, OBJECT) or operation.get("op") != "replace":
        return None
    first, last = next((keys for keys in _ENDS if keys[0] in operation), _ENDS[0])
    return operation.get(first), operation.get(last)


def _conversation(session: _Session, document: Document) -> Conversation:
    draft = ConversationDraft(document.notes, "line ")
    told = text_value(session.header.get("system"))
    roles = {text_value(entry.value.get("type")) for entry in session.surface}
    if told and "system/message" not in roles:
        draft.add(Message("system", texts(told)))
    for entry in session.surface:
        _add(draft, entry)
    given = text_value(session.about.get("id")) or "c1"
    chat = draft.conversation(given, session.title, document.stem or "Session")
    depth = session.about.get("delegationDepth")
    is_below = isinstance(depth, int) and depth > 0
    return replace(chat, tools=tuple(mappings(session.header.get("tools"))), is_subagent=is_below)


def _add(draft: ConversationDraft, entry: Entry) -> None:
    kind, data = text_value(entry.value.get("type")), object_under(entry.value, "data")
    said = data if kind == "user/message" and "content" in data else object_under(data, "message")
    time = entry.value.get("time")
    is_time = isinstance(time, int | float) and not isinstance(time, bool) and 0 < time < 1e15
    created = iso_time(time / 1_000) if is_time and time is not None else ""
    frame = Message(_ROLES[kind], (), text_value(said.get("id")), created=created, line=entry.number)
    source = object_under(said, "source")
    draft.notes.leave_out(source)
    if kind == "tool/result":
        _answer(draft, frame, said)
        return
    if kind == "assistant/message":
        draft.model = text_value(source.get("model")) or draft.model
        draft.record(entry.number, _recorded(object_under(data, "usage"), draft.model))
    typed = kind != "user/message" or text_value(source.get("kind")) == "user"
    message = replace(frame, parts=tuple(_parts(said.get("content"), draft)), typed=typed)
    draft.check_read(message, said, ("role", "source", "id"))
    draft.add(message)


def _parts(content: Any, draft: ConversationDraft) -> Iterator[Part]:
    for block in content if isinstance(content, list) else [content]:
        kind = text_value(block.get("type")) if isinstance(block, OBJECT) else ""
        if not isinstance(block, OBJECT):
            yield from texts(text_value(block))
        elif kind == "reasoning":
            yield from [ReasoningPart(block["text"])] if text_value(block.get("text")) else []
        elif kind == "tool-call":
            yield draft.calls.call(text_value(block.get("name")), block.get("arguments"), text_value(block.get("id")))
        elif kind == "text":
            yield from texts(text_value(block.get("text")))
        else:
            yield opaque_part(kind, block, "dsh", draft.notes)


def _answer(draft: ConversationDraft, frame: Message, said: Mapping[str, Any]) -> None:
    """Add the results of a message: itself in newer files, in older ones the parts of its content."""
    given = said.get("content")
    held = [one for one in mappings(given) if text_value(one.get("type")) == "tool-result"]
    for result in held or [said]:
        call = text_value(result.get("toolCallId")) or text_value(object_under(said, "source").get("callId"))
        answered = draft.calls.answer(given=call)
        content = tuple(_content(result.get("content"), draft))
        part = draft.checked(ToolResultPart(answered, content, result.get("isError") is True), result, "source", "role")
        draft.add(replace(frame, parts=(part,)))


def _content(content: Any, draft: ConversationDraft) -> Iterator[ContentPart]:
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, OBJECT):
            yield from texts(text_value(block))
        elif text_value(block.get("type")) == "text":
            yield from texts(text_value(block.get("text")))
        else:
            yield opaque_part(text_value(block.get("type")), block, "dsh", draft.notes)


def _recorded(usage: Mapping[str, Any], model: str) -> RecordedRequest | None:
    read_, written = token_count(usage.get("cacheReadTokens")), token_count(usage.get("cacheWriteTokens"))
    total = token_count(usage.get("inputTokens")) + read_ + written
    output, thought = token_count(usage.get("outputTokens")), token_count(usage.get("reasoningTokens"))
    return RecordedRequest(0, total, read_, written, output, thought, model) if total else None
