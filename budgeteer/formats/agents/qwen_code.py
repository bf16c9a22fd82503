"""Sessions of Qwen Code: JSONL like Claude Code's, whose messages are Gemini contents.

Certain: `user`, `assistant` and `tool_result` lines with a `uuid`, whose `message` has `parts` and no `content`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.gemini.contents import ContentReader, parts_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.conversation_draft import ConversationDraft
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mostly
from budgeteer.formats.reading.envelopes import require

_SPEAKING: Final = frozenset({"user", "assistant", "tool_result"})


def detect(document: Document) -> str | None:
    """Why a document is a session of Qwen Code, None when it is not."""
    if mostly(document, _is_line):
        return "has lines with a `uuid` whose `message` is a Gemini content, as Qwen Code writes them"
    return None


def _is_line(value: Mapping[str, Any]) -> bool:
    message = value.get("message")
    known = isinstance(message, Mapping) and isinstance(message.get("parts"), list) and "content" not in message
    return known and "uuid" in value and text_value(value.get("type")) in _SPEAKING


def read(document: Document) -> Imported:
    """Read a session.

    Raises:
        FormatError: no line holds a message.
    """
    skipped = list(document.skipped)
    draft = ConversationDraft(document.notes, "line ")
    reader = ContentReader(document.notes)
    session = ""
    for entry in entries_of(document, skipped):
        value = entry.value
        kind = text_value(value.get("type"))
        message = value.get("message")
        session = session or text_value(value.get("sessionId"))
        if kind not in _SPEAKING:
            subtype = text_value(value.get("subtype"))
            document.notes.leave_line(f"{kind or 'no type'} ({subtype})" if subtype else kind or "no type", value)
            continue
        if not isinstance(message, Mapping):
            skipped.append(Skipped(entry.where, f"a `{kind}` line without a message", compact_json(value)[:500]))
            continue
        role = "model" if kind == "assistant" else "user"
        uid, created = text_value(value.get("uuid")), text_value(value.get("timestamp"))
        if kind == "assistant":
            draft.model = text_value(value.get("model")) or draft.model
            draft.record(entry.number, _recorded(value.get("usageMetadata"), draft.model))
        said = list(reader.messages(role, parts_of(message), line=entry.number, uid=uid, created=created))
        draft.check_read(said[0], message, ("parts", "role"))
        draft.add_all(said)
    chat = draft.conversation(session or "c1", "", document.stem or "Qwen Code")
    require(chat.messages, document, "Qwen Code")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _recorded(usage: Any, model: str) -> RecordedRequest | None:
    """Gemini's usage: cached tokens are part of the prompt's, thoughts stand beside the candidates'."""
    if not isinstance(usage, Mapping) or not token_count(usage.get("promptTokenCount")):
        return None
    thought = token_count(usage.get("thoughtsTokenCount"))
    output = token_count(usage.get("candidatesTokenCount")) + thought
    cached = token_count(usage.get("cachedContentTokenCount"))
    return RecordedRequest(0, usage["promptTokenCount"], cached, 0, output, thought or None, model)
