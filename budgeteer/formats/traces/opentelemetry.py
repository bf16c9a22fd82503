"""Spans of OpenTelemetry with the GenAI conventions, and lists of their messages.

Certain: attributes `gen_ai.input.messages` or `gen_ai.output.messages` (OTLP's JSON, what Jaeger and Tempo answer, or
spans as objects), the events or numbered attributes that stood for them before, Monocle's spans with a call of a model
among them, any-agent's, or messages whose `parts` are texts with `content`, `tool_call` and `tool_call_response`.
Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-input-messages.json, and for Jaeger's answers
https://github.com/jaegertracing/jaeger-idl, `model/json/model.go`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    FilePart,
    Message,
    ReasoningPart,
    RecordedRequest,
    Role,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings, sampled
from budgeteer.formats.traces.any_agent import BOOKKEEPING, with_agent_runs
from budgeteer.formats.traces.monocle_spans import MONOCLE_ERROR, bookkeeping_of, is_monocle_span, monocle_messages
from budgeteer.formats.traces.older_spans import message_of_today, older_messages
from budgeteer.formats.traces.recorded_calls import finished
from budgeteer.formats.traces.tool_spans import is_tool_span, tool_conversations

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_IN, _OUT, _SYSTEM = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"
_RESOURCES: Final = ("resourceSpans", "resource_spans", "batches")
"""Where spans are grouped by what they are of; `batches` is Tempo's name."""
_CALL, _ANSWER = "tool_call", "tool_call_response"


def detect(document: Document) -> str | None:
    """Why a document is spans of OpenTelemetry, or their messages, None when it is not."""
    if mostly(document, lambda value: any(_IN in span or _OUT in span for span in spans_of(value))):
        return f"has spans with `{_IN}`, OpenTelemetry's conventions for calls of models"
    if mostly(document, lambda value: any(map(is_monocle_span, spans_of(value)))) and any(
        _IN in span for value in sampled(document) for span in spans_of(value)
    ):
        return "has spans of Monocle's, of which some are calls of models"
    if mostly(document, lambda value: any(map(_is_of_agent, spans_of(value)))) and any(
        is_tool_span(span) for value in sampled(document) for span in spans_of(value)
    ):
        return "has spans of tools with their `gen_ai.tool.call.arguments`, OpenTelemetry's conventions"
    if mostly(document, _is_message):
        return "holds messages with the `parts` of OpenTelemetry's conventions for calls of models"
    return None


def _is_of_agent(span: Mapping[str, Any]) -> bool:
    return "gen_ai.operation.name" in span or is_tool_span(span)


def _is_message(value: Mapping[str, Any]) -> bool:
    parts = mappings(value.get("parts"))
    kinds = {text_value(part.get("type")) for part in parts}
    worded = any(part.get("type") == "text" and isinstance(part.get("content"), str) for part in parts)
    return text_value(value.get("role")) in _ROLES and (worded or not kinds.isdisjoint({_CALL, _ANSWER}))


def spans_of(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The attributes of every span below an object, flat or as OTLP's list of keys and values."""
    held = next((found for key in _RESOURCES if (found := mappings(value.get(key)))), [])
    for resource in held:
        for scope in mappings(resource.get("scopeSpans")) or mappings(resource.get("scope_spans")):
            yield from with_agent_runs(map(_attributes, mappings(scope.get("spans"))))
    for trace in (value, *mappings(value.get("data"))):
        yield from with_agent_runs(map(_attributes, mappings(trace.get("spans"))))
    if not held and "attributes" in value:
        yield _attributes(value)
    elif _IN in value or _OUT in value:
        yield value


def _attributes(span: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes of a span; messages in an older form stand in them as in the one of today."""
    found = _flat(span.get("attributes"))
    if "tags" in span and "attributes" not in span:  # as Jaeger keeps them
        found = {"operationName": span.get("operationName"), "logs": span.get("logs"), **_flat(span["tags"])}
    if _IN in found or _OUT in found:
        return found
    events = [(text_value(event.get("name")), _flat(event.get("attributes"))) for event in mappings(span.get("events"))]
    logged = (_flat(log.get("fields")) for log in mappings(span.get("logs")))
    events += [(text_value(event.get("event")), event) for event in logged]
    written = found.get("events")  # as Logfire keeps them
    held = json_text.parse_inner(written, None) if isinstance(written, str) else written
    events += [(text_value(event.get("event.name")), event) for event in mappings(held)]
    asked, answered = older_messages(found, events)
    if asked or answered:
        return {**found, _IN: asked, _OUT: answered}
    asked, answered, beside = monocle_messages(found, events)
    if asked or answered:
        return {**found, **beside, _IN: asked, _OUT: answered}
    return {"events": [about for _, about in events], **found} if is_monocle_span(found) else found


def _flat(given: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    return {text_value(pair.get("key")): _value(pair.get("value")) for pair in mappings(given)}


def _value(held: Any) -> Any:
    """The value of OTLP's wrapping (`{"stringValue": …}`); a list or object below it unwrapped as well."""
    if not isinstance(held, Mapping) or len(held) != 1:
        return held
    kind, value = next(iter(held.items()))
    if kind == "arrayValue" and isinstance(value, Mapping):
        return [_value(item) for item in mappings(value.get("values"))]
    if kind == "kvlistValue" and isinstance(value, Mapping):
        return {text_value(pair.get("key")): _value(pair.get("value")) for pair in mappings(value.get("values"))}
    if kind == "intValue" and isinstance(value, str) and value.isdecimal() and len(value) < 16:
        return int(value)
    return value


def read(document: Document) -> Imported:
    """Read a conversation of each call that no later call goes on from, or of the messages.

    Raises:
        FormatError: nothing holds a message.
    """
    skipped = list(document.skipped)
    entries = list(entries_of(document, skipped))
    found: list[Conversation] = []
    if any(_is_message(entry.value) for entry in entries):
        reader = _Reader(ConversationDraft(document.notes), skipped)
        for entry in entries:
            reader.add(entry.number, entry.value)
        found.append(reader.draft.conversation("c1", "", document.stem or "Messages"))
    else:
        number = 0
        ran: list[Mapping[str, Any]] = []
        for entry in entries:
            document.notes.leave_out(entry.value.get("name") if "attributes" in entry.value else None)
            for span in spans_of(entry.value):
                number += 1
                if _IN in span or _OUT in span:
                    found.append(_of_span(span, number, document, skipped))
                elif is_tool_span(span):
                    ran.append(span)
                else:
                    document.notes.leave_line("span without messages", span)
        if not found:
            return finished(tool_conversations(ran, document), document, skipped, "OpenTelemetry")
        for span in ran:
            document.notes.leave_line("span without messages", span)
    return finished([chat for chat in found if chat.messages], document, skipped, "OpenTelemetry")


def _of_span(span: Mapping[str, Any], number: int, document: Document, skipped: list[Skipped]) -> Conversation:
    reader = _Reader(ConversationDraft(document.notes, f"span {number}, message "), skipped)
    draft = reader.draft
    draft.notes.leave_out([bookkeeping_of(span), *(span.get(key) for key in BOOKKEEPING)])
    draft.notes.count("Errors of calls, left out", int(MONOCLE_ERROR in span), of=span.get(MONOCLE_ERROR))
    draft.model = text_value(span.get("gen_ai.response.model")) or text_value(span.get("gen_ai.request.model"))
    system = _listed(span.get(_SYSTEM))
    if system:
        reader.add(0, {"role": "system", "parts": system})
    asked, answered = _listed(span.get(_IN)), _listed(span.get(_OUT))
    for place, raw in numbered_mappings(asked, draft.place, skipped):
        reader.add(place, raw)
    draft.record(len(asked) + 1, _recorded(span, draft.model))
    for place, raw in numbered_mappings(answered, draft.place, skipped):
        draft.record(len(asked) + place, _recorded(raw, draft.model))
        reader.add(len(asked) + place, raw)
    given = text_value(span.get("gen_ai.conversation.id")) or text_value(span.get("gen_ai.response.id"))
    chat = draft.conversation(given or f"c{number}", "", document.stem or f"Span {number}")
    tools = tuple(_tool(tool) for tool in mappings(_listed(span.get("gen_ai.tool.definitions"))))
    return replace(chat, tools=tools)


def _tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition in OpenAI's form, where the conventions' flat one is given."""
    if "function" in tool or "name" not in tool:
        return tool
    return {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}


def _listed(given: Any) -> list[Any]:
    """A list, or the JSON text of one; a text that is none is one text part."""
    if isinstance(given, str) and given.strip():
        given = json_text.parse_inner(given, [{"type": "text", "content": given}])
    return given if isinstance(given, list) else []


def _recorded(span: Mapping[str, Any], model: str) -> RecordedRequest | None:
    total = token_count(span.get("gen_ai.usage.input_tokens"))
    if not total:
        return None
    read_ = token_count(span.get("gen_ai.usage.cache_read.input_tokens"))
    written = token_count(span.get("gen_ai.usage.cache_creation.input_tokens"))
    return RecordedRequest(0, total, read_, written, token_count(span.get("gen_ai.usage.output_tokens")), model=model)


@dataclass(slots=True)
class _Reader:
    """One conversation being read."""

    draft: ConversationDraft
    skipped: list[Skipped]

    def add(self, number: int, raw: Mapping[str, Any]) -> None:
        draft = self.draft
        role = _ROLES.get(text_value(raw.get("role")))
        if role is None:
            self.skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
            return
        if role == "user":
            draft.calls.user_speaks()
        speaker: Role = "user" if role == "tool" else role
        steps = ReplySteps(Message(speaker, (), text_value(raw.get("id")), line=number))
        parts = raw.get("parts")
        if parts is None and "content" in raw:  # of OpenAI's form
            parts = message_of_today("", raw)["parts"]
        for part in parts if isinstance(parts, list) else []:
            self.part(part, steps)
        said = steps.messages() or [steps.frame]
        if len(said) == 1:
            draft.check_read(said[0], raw, ("parts", "content", "finish_reason"))
        draft.add_all(said)

    def part(self, part: Any, steps: ReplySteps) -> None:
        kind = text_value(part.get("type")) if isinstance(part, Mapping) else ""
        if not isinstance(part, Mapping):
            for text in texts(part if isinstance(part, str) else compact_json(part)):
                steps.say(text)
        elif kind == "text" and isinstance(part.get("content"), str):
            for text in texts(part["content"]):
                steps.say(text)
        elif kind == "reasoning":
            steps.say(ReasoningPart(text_value(part.get("content"))))
        elif kind == _CALL:
            given = text_value(part.get("id"))
            steps.call(self.draft.calls.call(text_value(part.get("name")), part.get("arguments"), given))
        elif kind == _ANSWER:
            value = part.get("response", part.get("result"))
            said = value if isinstance(value, str) else "" if value is None else compact_json(value)
            given = self.draft.calls.answer(given=text_value(part.get("id")))
            result = ToolResultPart(given, texts(said))
            steps.answer(self.draft.checked(result, part, "response", "result"))
        elif kind in ("blob", "uri", "file"):
            steps.say(_media(part))
        else:
            steps.say(opaque_part("" if kind == "text" else kind, part, "opentelemetry", self.draft.notes))


def _media(part: Mapping[str, Any]) -> ContentPart:
    mime = text_value(part.get("mime_type"))
    address = text_value(part.get("uri"))
    data = text_value(part.get("content")) or text_value(part.get("data"))
    if part.get("modality") == "image" or mime.startswith("image/"):
        return image_at(address or f"data:{mime or 'image/png'};base64,{data}")
    return FilePart(part, text_value(part.get("file_id")))
