"""Spans of Datadog's LLM Observability: calls of models (`span.kind` is `llm`) with their messages under `meta`.

They stand in a list, a line each, in the events that a tracer sends (`spans`), or as its API takes them
(`data.attributes.spans`).

Certain: a `meta` with a kind of span, and `messages` under its `input` or `output`.
Source: github.com/DataDog/dd-trace-py, ddtrace/llmobs, and
https://docs.datadoghq.com/llm_observability/instrumentation/api, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, RecordedRequest, Role, ToolResultPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.traces.recorded_calls import finished

_ROLES: Final[Mapping[str, Role]] = {
    **{role: role for role in ("system", "developer", "user", "assistant", "tool")},
    "model": "assistant",
    "function": "tool",
    "": "user",
}
"""By the role of a message; one without a role is what was asked."""
_READ: Final = ("content", "tool_calls", "tool_results")


def detect(document: Document) -> str | None:
    """Why a document is spans of Datadog, None when it is not."""
    if mostly(document, lambda value: any(_is_call(span) for _, span in _spans(value, "", []))):
        return "holds spans of a `span.kind` with messages under `meta`, as Datadog's LLM Observability does"
    return None


def _spans(value: Mapping[str, Any], where: str, skipped: list[Skipped]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The spans that an object holds, or itself, each with where it stands."""
    held: Any = value.get("data", value)
    held = held.get("attributes", held) if isinstance(held, OBJECT) else value
    given = held.get("spans") if isinstance(held, OBJECT) else None
    if isinstance(given, list):
        for number, span in numbered_mappings(given, f"{where}, span ", skipped):
            yield f"{where}, span {number}", span
    else:
        yield where, value


def _meta(span: Mapping[str, Any]) -> Mapping[str, Any]:
    return object_under(span, "meta")


def _kind(span: Mapping[str, Any]) -> str:
    meta = _meta(span)
    return (
        text_value(meta.get("span.kind"))
        or text_value(object_under(meta, "span").get("kind"))
        or text_value(meta.get("kind"))
    )


def _is_call(span: Mapping[str, Any]) -> bool:
    held = [object_under(_meta(span), side).get("messages") for side in ("input", "output")]
    return bool(_kind(span)) and any(isinstance(one, list) and one for one in held)


def read(document: Document) -> Imported:
    """Read every call of a model that no later one goes on from.

    Raises:
        FormatError: no span is a call with messages.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for entry in entries_of(document, skipped):
        for where, span in _spans(entry.value, entry.where, skipped):
            if _is_call(span):
                found.append(_conversation(entry, span, where, document, skipped))
            else:
                document.notes.leave_line(f"span {_kind(span)[:40]}", span)
    return finished([chat for chat in found if chat.messages], document, skipped, "Datadog")


def _conversation(
    entry: Entry, span: Mapping[str, Any], where: str, document: Document, skipped: list[Skipped]
) -> Conversation:
    draft = ConversationDraft(document.notes, f"{where}, message ")
    meta = _meta(span)
    draft.model = text_value(meta.get("model_name"))
    asked, answered = (object_under(meta, side).get("messages") for side in ("input", "output"))
    count = 0
    for count, raw in numbered_mappings(asked, draft.place, skipped):
        _add(draft, count, raw, skipped)
    replies = [{**raw, "role": raw.get("role") or "assistant"} for raw in mappings(answered)]
    document.notes.count("Calls without a reply", not replies)
    for number, raw in enumerate(replies, count + 1):
        _add(draft, number, raw, skipped)
    metrics = object_under(span, "metrics")
    if replies and (total := token_count(metrics.get("input_tokens"))):
        output = token_count(metrics.get("output_tokens"))
        draft.record(count + 1, RecordedRequest(0, total, output_tokens=output, model=draft.model))
    given = text_value(span.get("span_id"))
    return draft.conversation(given or f"c{entry.number}", "", text_value(span.get("name")) or "Call")


def _add(draft: ConversationDraft, number: int, raw: Mapping[str, Any], skipped: list[Skipped]) -> None:
    role = _ROLES.get(text_value(raw.get("role")).lower())
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
        return
    results = mappings(raw.get("tool_results"))
    for result in results:
        call = draft.calls.answer(text_value(result.get("name")), text_value(result.get("tool_id")))
        read = draft.checked(ToolResultPart(call, texts(_text(result.get("result")))), result, "result", "tool_id")
        draft.add(Message("tool", (read,), line=number))
    content = _text(raw.get("content"))
    if role == "tool":
        if not results:
            draft.answer(Message("tool", (), line=number), texts(content), text_value(raw.get("tool_id")))
            return
        role = "user"
    calls = tuple(
        draft.calls.call(text_value(call.get("name")), call.get("arguments"), text_value(call.get("tool_id")))
        for call in mappings(raw.get("tool_calls"))
    )
    whole = Message(role, (*texts(content), *calls), line=number)
    if whole.parts or not results:
        draft.check_read(whole, raw, _READ)
        draft.add(whole)


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else compact_json(value)
