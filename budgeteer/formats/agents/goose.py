"""Sessions of Goose: messages whose content has `toolRequest` and `toolResponse`, an export or a line each.

Certain: those two types of content, or a header with a `working_dir` before messages with `created`.
(https://github.com/block/goose, `conversation/message.rs`, 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    Message,
    Part,
    ReasoningPart,
    Role,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.bounds import iso_time
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings, sampled
from budgeteer.formats.reading.envelopes import require

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_CALLS: Final = frozenset({"toolRequest", "toolResponse", "frontendToolRequest", "toolConfirmationRequest"})


def detect(document: Document) -> str | None:
    """Why a document is a session of Goose, None when it is not."""
    if mostly(document, lambda value: any(map(_is_own, _messages(value)))):
        return "holds messages with `toolRequest` and `toolResponse`, as Goose does"
    lines = sampled(document)
    headed = document.shape == "jsonl" and bool(lines) and "working_dir" in lines[0]
    if any(map(_is_own, lines)) or (headed and any("role" in value and "created" in value for value in lines)):
        return "has lines of messages with `toolRequest` and `toolResponse`, or Goose's header"
    return None


def _messages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(value.get("messages")) or mappings(value.get("conversation"))


def _is_own(raw: Mapping[str, Any]) -> bool:
    kinds = {text_value(item.get("type")) for item in mappings(raw.get("content"))}
    return "role" in raw and not kinds.isdisjoint(_CALLS)


def read(document: Document) -> Imported:
    """Read every session of a document.

    Raises:
        FormatError: no message was found.
    """
    skipped = list(document.skipped)
    entries = list(entries_of(document, skipped))
    found: list[Conversation] = []
    lines = [entry for entry in entries if not _messages(entry.value)]
    for entry in entries:
        if _messages(entry.value):
            given = entry.value.get("messages") or entry.value.get("conversation")
            pairs = numbered_mappings(given, f"{entry.where}, message ", skipped)
            found.append(_conversation(entry, pairs, document, skipped))
    spoken = [entry for entry in lines if "role" in entry.value]
    if spoken:
        header = next((entry for entry in lines if "role" not in entry.value), Entry(1, "", {}))
        told = ((entry.number, entry.value) for entry in spoken)
        found.append(_conversation(Entry(header.number, "", header.value), told, document, skipped))
    require([chat for chat in found if chat.messages], document, "Goose")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


def _conversation(
    entry: Entry, given: Iterator[tuple[int, Mapping[str, Any]]], document: Document, skipped: list[Skipped]
) -> Conversation:
    draft = ConversationDraft(document.notes, f"{entry.where}, message " if entry.where else "line ")
    for number, raw in given:
        role = _ROLES.get(text_value(raw.get("role")))
        if role is None:
            skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
            continue
        _add(draft, Message(role, (), text_value(raw.get("id")), created=_created(raw), line=number), raw)
    about = entry.value
    config = about.get("model_config")
    named = text_value(config.get("model_name")) if isinstance(config, Mapping) else ""
    draft.model = named or text_value(about.get("model"))
    title = text_value(about.get("name")) or text_value(about.get("description"))
    return draft.conversation(text_value(about.get("id")) or f"c{entry.number}", title, document.stem or "Goose")


def _created(raw: Mapping[str, Any]) -> str:
    made = raw.get("created")
    return iso_time(made) if isinstance(made, int | float) and not isinstance(made, bool) else ""


def _add(draft: ConversationDraft, frame: Message, raw: Mapping[str, Any]) -> None:
    shown = raw.get("metadata")
    if isinstance(shown, Mapping) and shown.get("agentVisible") is False:
        draft.notes.count("Messages that only the user saw, left out", of=raw)
        return
    content = draft.notes.content_of(raw)
    others: list[Part] = []
    for item in content if isinstance(content, list) else [content]:
        kind = text_value(item.get("type")) if isinstance(item, Mapping) else ""
        if kind == "toolResponse" and isinstance(item, Mapping):
            given = draft.calls.answer(given=text_value(item.get("id")))
            result = _result(given, item.get("toolResult"), draft.notes)
            draft.add(replace(frame, role="tool", parts=(draft.checked(result, item, "id"),)))
        elif kind in ("toolRequest", "frontendToolRequest") and isinstance(item, Mapping):
            called = item.get("toolCall")
            value = called.get("value", called) if isinstance(called, Mapping) else None
            named = value if isinstance(value, Mapping) else {}
            given = text_value(item.get("id"))
            others.append(draft.calls.call(text_value(named.get("name")), named.get("arguments"), given))
        else:
            others += _part(item, kind, draft.notes)
    said = replace(frame, parts=tuple(others))
    only_results = any(item.get("type") == "toolResponse" for item in mappings(content)) and not others
    if not only_results:
        draft.check_read(said, raw, ("content", "text"))
        draft.add(said)


def _part(item: Any, kind: str, notes: Notes) -> list[Part]:
    if not isinstance(item, Mapping):
        return list(texts(text_value(item)))
    if kind == "text" and isinstance(item.get("text"), str):
        return list(texts(item["text"]))
    if kind == "thinking":
        return [ReasoningPart(text_value(item.get("thinking")), signature=text_value(item.get("signature")))]
    if kind == "redactedThinking":
        return [ReasoningPart("", encrypted=text_value(item.get("data")))]
    if kind == "image" and text_value(item.get("data")):
        return [image_at(f"data:{text_value(item.get('mimeType'))};base64,{item['data']}")]
    if kind in ("toolConfirmationRequest", "systemNotification", "actionRequired"):
        notes.count("Questions and notices of the interface, which a model is not sent, left out", of=item)
        return []
    return [opaque_part("" if kind == "text" else kind, item, "goose", notes)]


def _result(given: str, raw: Any, notes: Notes) -> ToolResultPart:
    """What a tool answered: a list of contents, in newer versions inside a result of MCP, or an error."""
    held = raw if isinstance(raw, Mapping) else {}
    value = held.get("value", raw if not held else None)
    inner = value.get("content") if isinstance(value, Mapping) and "content" in value else value
    failed = held.get("status") == "error" or (isinstance(value, Mapping) and value.get("isError") is True)
    content: list[ContentPart] = []
    for item in inner if isinstance(inner, list) else [] if inner is None else [inner]:
        kind = text_value(item.get("type")) if isinstance(item, Mapping) else ""
        content += [part for part in _part(item, kind, notes) if not isinstance(part, ReasoningPart)]  # type: ignore[misc]
    error = held.get("error")
    if error is not None:
        content += texts(error if isinstance(error, str) else compact_json(error))
    return ToolResultPart(given, tuple(content), failed)
