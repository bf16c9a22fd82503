"""AI SDK model messages: what `generateText` and `streamText` take, a role and typed contents.

Certain: contents of the types `tool-call` and `tool-result`, or the `start` of a run of Rowboat. Lists, `{messages}`,
lines, and the runs of products that store them one a line (`{type: "message", message}`, as Rowboat does).
Source: https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message, versions 4 to 7, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    FilePart,
    Message,
    ReasoningPart,
    Role,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_OWN: Final = frozenset({"tool-call", "tool-result", "tool-approval-request", "tool-approval-response"})


def detect(document: Document) -> str | None:
    """Why a document is model messages of the AI SDK, None when it is not."""
    if any(map(_begins_run, sampled(document))) and mostly(document, _is_line):
        return "has the start of a run and its messages, as Rowboat stores them"
    if any(map(_is_own, sampled(document))) and mostly(document, _is_line):
        return "has messages with `tool-call` and `tool-result` contents, as the AI SDK sends them"
    if mostly(document, lambda value: any(map(_is_own, mappings(value.get("messages"))))):
        return "holds messages with `tool-call` and `tool-result` contents, as the AI SDK sends them"
    return None


def _is_line(value: Mapping[str, Any]) -> bool:
    """Whether an entry is a message, or another event of a run."""
    return _message_of(value) is not None or "runId" in value


def _message_of(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    inner = value.get("message")
    held = inner if value.get("type") == "message" and isinstance(inner, Mapping) else value
    return held if text_value(held.get("role")) in _ROLES else None


def _begins_run(value: Mapping[str, Any]) -> bool:
    """Whether an entry is the first one of a run of Rowboat, which calls no tool where it is only a talk."""
    return value.get("type") == "start" and {"runId", "agentName"} <= value.keys()


def _is_own(value: Mapping[str, Any]) -> bool:
    held = _message_of(value) or {}
    return any(text_value(part.get("type")) in _OWN for part in mappings(held.get("content")))


def read(document: Document) -> Imported:
    """Read every conversation of a document.

    Raises:
        FormatError: no message was found.
    """
    skipped = list(document.skipped)
    entries = list(entries_of(document, skipped))
    found: list[Conversation] = []
    if any(_message_of(entry.value) for entry in entries):
        found.append(_of_lines(entries, document))
    else:
        for entry in entries:
            draft = ConversationDraft(document.notes, f"{entry.where}, message ")
            for number, raw in numbered_mappings(entry.value.get("messages"), draft.place, skipped):
                held = _message_of(raw)
                if held is None:
                    skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
                    continue
                _add(draft, Message("user", (), text_value(raw.get("id")), line=number), held)
            draft.model = text_value(entry.value.get("model"))
            given = text_value(entry.value.get("id"))
            found.append(draft.conversation(given or f"c{entry.number}", text_value(entry.value.get("title")), "Chat"))
    require([chat for chat in found if chat.messages], document, "AI SDK")
    kept = tuple(chat for chat in found if chat.messages)
    return Imported("", "", "conversation", conversations=kept, skipped=tuple(skipped))


def _of_lines(entries: list[Entry], document: Document) -> Conversation:
    draft = ConversationDraft(document.notes, "line ")
    given = ""
    for entry in entries:
        held = _message_of(entry.value)
        given = given or text_value(entry.value.get("runId"))
        draft.model = text_value(entry.value.get("model")) or draft.model
        if held is None:
            draft.notes.leave_line(text_value(entry.value.get("type")) or "no type", entry.value)
            continue
        uid = text_value(entry.value.get("messageId")) or text_value(held.get("id"))
        created = text_value(entry.value.get("ts")) or text_value(entry.value.get("timestamp"))
        _add(draft, Message("user", (), uid, created=created, line=entry.number), held)
    return draft.conversation(given or "c1", "", document.stem or "Chat")


def _add(draft: ConversationDraft, frame: Message, raw: Mapping[str, Any]) -> None:
    role = _ROLES[text_value(raw.get("role"))]
    content = draft.notes.content_of(raw)
    items = content if isinstance(content, list) else [] if content is None else [content]
    if role == "tool" and "toolCallId" in raw:
        named = replace(frame, name=text_value(raw.get("toolName")))
        draft.answer(named, [part for item in items for part in _content(item, draft)], text_value(raw["toolCallId"]))
        return
    if role == "user":
        draft.calls.user_speaks()
    speaker: Role = "user" if role == "tool" else role
    steps = ReplySteps(replace(frame, role=speaker))
    for item in items:
        _item(item, steps, draft)
    said = steps.messages() or [replace(frame, role=speaker)]
    if len(said) == 1:
        draft.check_read(said[0], raw, ("content", "text", "providerOptions"))
    draft.add_all(said)


def _item(item: Any, steps: ReplySteps, draft: ConversationDraft) -> None:
    kind = text_value(item.get("type")) if isinstance(item, Mapping) else ""
    if kind not in (*_OWN, "reasoning"):
        for part in _content(item, draft):
            steps.say(part)
        return
    name, given = text_value(item.get("toolName")), text_value(item.get("toolCallId"))
    if kind == "tool-call":
        arguments = next((item[key] for key in ("input", "args", "arguments") if key in item), None)
        call = draft.calls.call(name, arguments, given)
        steps.call(call)
        if item.get("result", item.get("output")) is not None:
            steps.answer(_result(draft.calls.answer(name, call.id), item, draft))
    elif kind == "tool-result":
        steps.answer(_result(draft.calls.answer(name, given), item, draft))
    elif kind == "reasoning":
        steps.say(ReasoningPart(text_value(item.get("text"))))
    else:
        draft.notes.count("Questions for approval and their answers, left out", of=item)


def _content(item: Any, draft: ConversationDraft) -> Iterator[ContentPart]:
    """A text, a picture by its address or base64, a file, or something kept as it came."""
    kind = text_value(item.get("type")) if isinstance(item, Mapping) else ""
    if not isinstance(item, Mapping):
        yield from texts(item if isinstance(item, str) else "" if item is None else compact_json(item))
    elif kind == "text" and isinstance(item.get("text"), str):
        yield from texts(item["text"])
    elif kind in ("image", "file", "media", "image-data", "file-data"):
        mime = text_value(item.get("mediaType")) or text_value(item.get("mimeType"))
        data = next((text_value(item.get(key)) for key in ("image", "data", "url") if text_value(item.get(key))), "")
        if kind.startswith("image") or mime.startswith("image/"):
            named = data.startswith(("data:", "http://", "https://"))
            yield image_at(data if named else f"data:{mime or 'image/png'};base64,{data}")
        else:
            yield FilePart(item, text_value(item.get("filename")))
    else:
        yield opaque_part("" if kind == "text" else kind, item, "ai-sdk", draft.notes)


def _result(given: str, item: Mapping[str, Any], draft: ConversationDraft) -> ToolResultPart:
    """A result by the type of its output; version 4 has `result` and `isError` in its place."""
    output = item.get("output", item.get("result"))
    if output is None and isinstance(item.get("content"), list):  # as Zencoder keeps them
        output = {"type": "content", "value": item["content"]}
    kind = text_value(output.get("type")) if isinstance(output, Mapping) else ""
    value: Any = output
    if isinstance(output, Mapping) and kind in ("text", "json", "error-text", "error-json", "content"):
        value = output.get("value")
    elif isinstance(output, Mapping) and kind == "execution-denied":
        value = text_value(output.get("reason")) or "Tool execution denied."
    failed = kind.startswith("error") or kind == "execution-denied" or item.get("isError") is True
    parts: list[ContentPart] = []
    if kind == "content" and isinstance(value, list):
        for inner in value:
            parts += _content(inner, draft)
    else:
        parts += texts(value if isinstance(value, str) else "" if value is None else compact_json(value))
    return draft.checked(ToolResultPart(given, tuple(parts), failed), item, "toolCallId", "toolName")
