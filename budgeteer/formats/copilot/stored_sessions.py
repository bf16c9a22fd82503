"""Sessions of GitHub Copilot CLI of 2025: one object of the messages that were sent and what the screen showed.

Source: files under `~/.copilot/history-session-state` (`sessionId`, `startTime`, `chatMessages`, `timeline`), as those
who read them test it on GitHub, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.openai import chat
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings, numbered_mappings

_SENT, _SHOWN = "chatMessages", "timeline"
_OWN: Final = frozenset({"sessionId", "startTime"})
_CALLS: Final = frozenset({"tool_call_requested", "tool_call_completed"})


def is_stored_session(document: Document) -> bool:
    """Whether a document is such a session."""
    value = document.value if document.shape == "json" else None
    return isinstance(value, OBJECT) and value.keys() >= _OWN and (_is_sent(value) or _is_shown(value))


def _is_sent(value: Mapping[str, Any]) -> bool:
    return any(text_value(one.get("role")) for one in mappings(value.get(_SENT)))


def _is_shown(value: Mapping[str, Any]) -> bool:
    kinds = {text_value(one.get("type")) for one in mappings(value.get(_SHOWN))}
    return not kinds.isdisjoint({"user", "copilot", *_CALLS})


def read_stored_session(document: Document, skipped: list[Skipped]) -> Imported:
    """Read the messages that were sent; where none is there, those that the screen showed."""
    value = document.value
    about = {"source": "copilot-cli", "session": text_value(value["sessionId"])}
    if _is_sent(value):
        sent = {"messages": value[_SENT]}
        found = chat.read(replace(document, shape="json", value=sent, text="", lines=(), skipped=(), samples=[]))
        document.notes.leave_out(value.get(_SHOWN))
        skipped.extend(found.skipped)
        chats = tuple(replace(one, id=about["session"] or one.id, metadata=about) for one in found.conversations)
    else:
        chats = (replace(_shown(value, document, skipped), metadata=about),)
    return Imported("", "", "conversation", conversations=chats, skipped=tuple(skipped))


def _shown(value: Mapping[str, Any], document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, "entry ")
    called: set[str] = set()
    for number, raw in numbered_mappings(value[_SHOWN], draft.place, skipped):
        for message in _messages(raw, number, draft, called):
            draft.add(message)
    return draft.conversation(text_value(value["sessionId"]), "", document.stem or "Copilot session")


def _messages(raw: Mapping[str, Any], number: int, draft: ConversationDraft, called: set[str]) -> Iterator[Message]:
    """What an entry of the screen tells; a call that was shown twice is read once."""
    kind, created = text_value(raw.get("type")), text_value(raw.get("timestamp"))
    if kind in ("user", "copilot"):
        role: Role = "user" if kind == "user" else "assistant"
        yield Message(role, texts(text_value(raw.get("text"))), created=created, line=number)
        return
    if kind not in _CALLS:
        draft.notes.leave_line(kind or "no type", raw)
        return
    given = text_value(raw.get("callId"))
    if given not in called:
        called.add(given)
        call = draft.calls.call(text_value(raw.get("name")), raw.get("arguments"), given)
        yield Message("assistant", (call,), created=created, line=number)
    result = raw.get("result")
    if result is not None:
        log = result.get("log") if isinstance(result, OBJECT) else result
        shown = log if isinstance(log, str) else compact_json(result)
        draft.answer(Message("tool", (), created=created, line=number), texts(shown), given)
