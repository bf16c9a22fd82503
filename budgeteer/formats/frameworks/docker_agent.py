"""Sessions of Docker Agent (`cagent`): the rows of its database (`session.db`), or a session as an object.

Certain: rows of a `session_id` with a `position` and an `item_type`; in an object, and in the database of older
versions, `messages` that hold a `message` with an `agentName`, or one of the other items. A summary begins the context
anew, as a prompt; what a task was given to is a session of its own. Of the tools, the definitions of those that were
called are kept.

Source: https://github.com/docker/cagent, `pkg/session/session.go`, `store.go` and `pkg/chat/chat.go`, 2026-03.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    RecordedRequest,
    Role,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, sampled
from budgeteer.formats.reading.envelopes.beside import as_tools
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_ROW: Final = frozenset({"session_id", "position", "item_type"})
_SUMMARY: Final = "Session Summary: "
"""What the text of a summary is sent behind."""
_DEEPEST: Final = 20
"""Levels of sub-sessions that are read. Source: ours."""


def detect(document: Document) -> str | None:
    """Why a document holds sessions of Docker Agent, None when it does not."""
    if any(_is_row(value) or _is_session(value) for value in sampled(document)):
        return "holds sessions whose items are messages with an `agentName`, as Docker Agent keeps them"
    return None


def _is_row(value: Mapping[str, Any]) -> bool:
    return value.keys() >= _ROW and ("message_json" in value or "subsession_id" in value or "summary_text" in value)


def _is_session(value: Mapping[str, Any]) -> bool:
    return "id" in value and any(_message(item) is not None for item in mappings(_items(value))[:5])


def _items(session: Mapping[str, Any]) -> Any:
    """The items of a session, also as the JSON text that a row of the older database holds."""
    given = session.get("messages")
    return json_text.parse_inner(given, None) if isinstance(given, str) else given


def _message(item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message of an item, beside its agent (as the server answers) or under both; None of another item."""
    held = _told(item)
    said = held.get("message") if "agentName" in held else None
    return said if isinstance(said, OBJECT) else None


def _told(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """What holds the message of an item and the name of its agent."""
    held = item.get("message")
    return held if isinstance(held, OBJECT) and "agentName" not in item else item


@dataclass(slots=True)
class _Item:
    """An item of a session: a message with its agent, or the text of a summary."""

    number: int
    agent: str = ""
    message: Mapping[str, Any] | None = None
    summary: str = ""


@dataclass(slots=True)
class _Session:
    """A session being gathered, with its items in order."""

    id: str
    place: str
    title: str = ""
    parent: str = ""
    items: list[_Item] = field(default_factory=list)


def read(document: Document) -> Imported:
    """Read every session, from its last summary on.

    Raises:
        FormatError: no session holds a message.
    """
    skipped = list(document.skipped)
    sessions: dict[str, _Session] = {}
    for entry in entries_of(document, skipped):
        value = entry.value
        if _is_row(value):
            place = entry.where.rpartition(" ")[0] + " "
            given = text_value(value["session_id"])
            session = sessions.setdefault(given, _Session(given, place))
            _take_row(session, entry.number, value, skipped)
        elif "messages" in value:
            place = f"{entry.where}, item "
            for one in _of_object(value, f"c{entry.number}", place, skipped):
                sessions[one.id] = one
        elif text_value(value.get("id")):
            session = sessions.setdefault(value["id"], _Session(value["id"], "line "))
            session.title, session.parent = text_value(value.get("title")), text_value(value.get("parent_id"))
        else:
            skipped.append(Skipped(entry.where, "neither a session nor an item of one", compact_json(value)[:500]))
    chats = tuple(chat for one in sessions.values() if (chat := _conversation(one, document, skipped)).messages)
    require(chats, document, "Docker Agent")
    return Imported("", "", "conversation", conversations=chats, skipped=tuple(skipped))


def _take_row(session: _Session, number: int, row: Mapping[str, Any], skipped: list[Skipped]) -> None:
    """Take a row of the database; one that names another session stands for its place alone."""
    given = row.get("message_json")
    said = json_text.parse_inner(given, None) if isinstance(given, str) else given
    if isinstance(said, OBJECT):
        session.items.append(_Item(number, text_value(row.get("agent_name")), said))
    elif summary := text_value(row.get("summary_text")):
        session.items.append(_Item(number, summary=summary))
    elif not text_value(row.get("subsession_id")):
        skipped.append(Skipped(f"{session.place}{number}", "no message in the item", compact_json(row)[:500]))


def _of_object(
    value: Mapping[str, Any], given: str, place: str, skipped: list[Skipped], depth: int = 0
) -> Iterator[_Session]:
    """A session that is an object, and those that its items hold behind it."""
    session = _Session(text_value(value.get("id")) or given, place, text_value(value.get("title")))
    inner: list[_Session] = []
    for number, item in enumerate(mappings(_items(value)), 1):
        below = item.get("sub_session")
        if (said := _message(item)) is not None:
            session.items.append(_Item(number, text_value(_told(item).get("agentName")), said))
        elif summary := text_value(item.get("summary")):
            session.items.append(_Item(number, summary=summary))
        elif isinstance(below, OBJECT) and depth < _DEEPEST:
            for one in _of_object(below, f"{session.id}-{number}", f"{place}{number}, item ", skipped, depth + 1):
                one.parent = one.parent or session.id
                inner.append(one)
        else:
            skipped.append(Skipped(f"{place}{number}", "no message in the item", compact_json(item)[:500]))
    yield session
    yield from inner


def _conversation(one: _Session, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, one.place)
    summaries = [at for at, item in enumerate(one.items) if item.summary]
    begin = summaries[-1] if summaries and not document.options.whole else 0
    before = [item.message or item.summary for item in one.items[:begin]]
    draft.notes.count("Items before the last summary, left out", begin, of=before)
    tools: dict[str, Mapping[str, Any]] = {}
    agents = {item.agent for item in one.items if item.agent}
    for item in one.items[begin:]:
        if item.message is None:
            frame = Message("user", texts(f"{_SUMMARY}{item.summary}"), line=item.number, typed=False)
            draft.add(frame)
            continue
        role = _ROLES.get(text_value(item.message.get("role")))
        if role is None:
            skipped.append(Skipped(f"{one.place}{item.number}", "no known role", compact_json(item.message)[:500]))
            continue
        name = item.agent if role == "assistant" and len(agents) > 1 else ""
        created = text_value(item.message.get("created_at"))
        _add(draft, Message(role, (), name=name, created=created, line=item.number), item.message)
        for tool in mappings(item.message.get("tool_definitions")):
            tools.setdefault(text_value(tool.get("name")), _sent(tool))
    chat = draft.conversation(one.id, one.title, document.stem or "Docker Agent session")
    return replace(chat, is_subagent=bool(one.parent), tools=as_tools(list(tools.values())))


def _sent(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a model is sent of a tool."""
    return {key: tool[key] for key in ("name", "description", "parameters") if key in tool}


def _add(draft: ConversationDraft, frame: Message, raw: Mapping[str, Any]) -> None:
    said = list(_content(draft, raw))
    if frame.role == "tool":
        draft.answer(frame, said, text_value(raw.get("tool_call_id")), failed=raw.get("is_error") is True)
        return
    thought, seal = text_value(raw.get("reasoning_content")), text_value(raw.get("thinking_signature"))
    parts: list[Part] = [ReasoningPart(thought, signature=seal)] if thought or seal else []
    parts += said
    if frame.role == "user":
        draft.calls.user_speaks()
    for call in mappings(raw.get("tool_calls")):
        held = call.get("function")
        called: Mapping[str, Any] = held if isinstance(held, OBJECT) else {}
        parts.append(
            draft.calls.call(text_value(called.get("name")), called.get("arguments"), text_value(call.get("id")))
        )
    if frame.role == "assistant":
        draft.model = text_value(raw.get("model")) or draft.model
        draft.record(frame.line, _recorded(raw, draft.model))
    message = replace(frame, parts=tuple(parts))
    draft.check_read(message, raw, ("content", "multi_content", "tool_calls", "tool_definitions"))
    draft.add(message)


def _content(draft: ConversationDraft, raw: Mapping[str, Any]) -> Iterator[ContentPart]:
    """The parts of a message; where there are several, `content` says again what their texts say."""
    several = mappings(raw.get("multi_content"))
    yield from texts(text_value(raw.get("content"))) if not several else ()
    for part in several:
        picture, file = part.get("image_url"), part.get("file")
        if part.get("type") == "text":
            yield from texts(text_value(part.get("text")))
        elif isinstance(picture, OBJECT):
            yield image_at(text_value(picture.get("url")), detail=text_value(picture.get("detail")) or "auto")
        elif isinstance(file, OBJECT):
            yield FilePart(file, text_value(file.get("path")))
        else:
            yield opaque_part(text_value(part.get("type")), part, "docker-agent", draft.notes)


def _recorded(raw: Mapping[str, Any], model: str) -> RecordedRequest | None:
    """What was recorded of a request, whose input does not count what came from the cache or went there."""
    used = raw.get("usage")
    if not isinstance(used, OBJECT):
        return None
    read, wrote = token_count(used.get("cached_input_tokens")), token_count(used.get("cached_write_tokens"))
    total = token_count(used.get("input_tokens")) + read + wrote
    thought = used.get("reasoning_tokens")
    return (
        RecordedRequest(
            0,
            total,
            cache_read_tokens=read,
            cache_write_tokens=wrote,
            output_tokens=token_count(used.get("output_tokens")),
            reasoning_tokens=token_count(thought) if thought else None,
            model=model,
        )
        if total
        else None
    )
