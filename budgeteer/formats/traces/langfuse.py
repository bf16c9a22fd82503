"""Observations of Langfuse: a list, lines, or traces with their `observations`.

Certain: objects of a `traceId` and a `type` such as `GENERATION`, or a trace's `observations` of such a type that have
an `input`. Read are generations whose input is messages in a provider's form; the output is the reply. A generation
around others (`generateText` of the AI SDK) says what those say. What an observation of the type `TOOL` came to answers
the last calls of a conversation, by its call's id or by name and input.
Source: https://langfuse.com/docs/observability/data-model, and the public API's `Observation`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
    calls_of,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls
from budgeteer.formats.traces.traced_forms import call_of

_OF_A_TOOL: Final[Mapping[str, str]] = {"name": "name", "description": "description", "parameters": "inputSchema"}
"""The fields of a tool in OpenAI's form, by those of the AI SDK's."""
_TYPES: Final = frozenset({"GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EMBEDDING"})


def detect(document: Document) -> str | None:
    """Why a document is observations of Langfuse, None when it is not."""
    if mostly(document, lambda value: _is_own(value) or any(map(_is_inner, mappings(value.get("observations"))))):
        return "holds observations of a `traceId` and a `type` like `GENERATION`, as Langfuse does"
    return None


def _is_own(value: Mapping[str, Any]) -> bool:
    return ("traceId" in value or "trace_id" in value) and text_value(value.get("type")) in _TYPES


def _is_inner(value: Mapping[str, Any]) -> bool:
    """Whether it is an observation in a trace, where it need not name its trace."""
    return _is_own(value) or (text_value(value.get("type")) in _TYPES and not {"input", "output"}.isdisjoint(value))


def read(document: Document) -> Imported:
    """Read every generation that holds no other.

    Raises:
        FormatError: there is none whose input is messages.
    """
    skipped = list(document.skipped)
    outer = {_parent(raw) for raw, _ in _observations(document, []) if raw.get("type") == "GENERATION"}
    runs: list[Mapping[str, Any]] = []
    found = read_calls(_calls(document, skipped, outer, runs), document, skipped, "Langfuse")
    chats = tuple(_with_results(chat, runs) for chat in found.conversations)
    for raw in runs:
        document.notes.leave_line("observation of the type TOOL", raw)
    return replace(found, conversations=chats)


def _observations(document: Document, skipped: list[Skipped]) -> Iterator[tuple[Mapping[str, Any], str]]:
    for entry in entries_of(document, skipped):
        if "observations" in entry.value:
            place = f"{entry.where}, observation "
            for number, raw in numbered_mappings(entry.value["observations"], place, skipped):
                yield raw, f"{place}{number}"
        else:
            yield entry.value, entry.where


def _parent(raw: Mapping[str, Any]) -> str:
    return text_value(raw.get("parentObservationId")) or text_value(raw.get("parent_observation_id"))


def _calls(
    document: Document, skipped: list[Skipped], outer: set[str], runs: list[Mapping[str, Any]]
) -> Iterator[RecordedCall]:
    """The calls of models; the runs of tools are put aside."""
    for raw, where in _observations(document, skipped):
        kind = text_value(raw.get("type"))
        if kind == "TOOL" and raw.get("output") is not None:
            runs.append(raw)
        elif kind != "GENERATION":
            document.notes.leave_line(f"observation of the type {kind[:40] or 'none'}", raw)
        elif text_value(raw.get("id")) in outer - {""}:
            document.notes.leave_line("generation around others", raw)
        else:
            yield _call(raw, where, document)


def _call(raw: Mapping[str, Any], where: str, document: Document) -> RecordedCall:
    model = text_value(raw.get("model"))
    request, response = call_of(raw.get("input"), raw.get("output"))
    document.notes.count("Generations without an output", int(not response))
    if tools := _tools(raw):
        request = {"tools": tools, **request}
    if response:
        response = {**response, "usage": _usage(raw)}
    return RecordedCall({**request, "model": model}, response, where, text_value(raw.get("id")), model)


def _with_results(chat: Conversation, runs: list[Mapping[str, Any]]) -> Conversation:
    """The conversation with what the calls of its last message came to; those runs are taken from the list."""
    last = chat.messages[-1] if chat.messages else None
    answers: list[Message] = []
    for call in calls_of(last) if last is not None else ():
        run = next((raw for raw in runs if _is_run_of(raw, call)), None)
        if run is not None:
            runs.remove(run)
            output = run["output"]
            text = output if isinstance(output, str) else compact_json(output)
            made = (ToolResultPart(call.id, (TextPart(text),)),)
            answers.append(Message("tool", made, f"{call.id}.result", created=text_value(run.get("startTime"))))
    return replace(chat, messages=[*chat.messages, *answers]) if answers else chat


def _is_run_of(raw: Mapping[str, Any], call: ToolCallPart) -> bool:
    """Whether a tool's observation is the run of a call: by the id that the AI SDK keeps, else by name and input."""
    metadata = _parsed(raw.get("metadata"))
    attributes = metadata.get("attributes") if isinstance(metadata, Mapping) else None
    given = attributes.get("ai.toolCall.id") if isinstance(attributes, Mapping) else None
    if given:
        return bool(given == call.id)
    return raw.get("name") == call.name and _parsed(raw.get("input")) == call_input(call.arguments)


def _tools(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tools that the AI SDK's telemetry keeps in the metadata, in OpenAI's form."""
    metadata = _parsed(raw.get("metadata"))
    listed = metadata.get("tools") if isinstance(metadata, Mapping) else None
    given = mappings([_parsed(tool) for tool in listed] if isinstance(listed, list) else [])
    functions = (
        {key: tool[name] for key, name in _OF_A_TOOL.items() if name in tool}
        for tool in given
        if isinstance(tool.get("name"), str)
    )
    return [{"type": "function", "function": function} for function in functions]


def _parsed(given: Any) -> Any:
    """What a JSON text holds; anything else as it is."""
    return json_text.parse_inner(given, given) if isinstance(given, str) else given


def _usage(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Tokens under OpenAI's names: `usageDetails` of newer versions, `usage` of older ones."""
    held = raw.get("usageDetails") or raw.get("usage")
    usage = held if isinstance(held, Mapping) else {}
    return {"prompt_tokens": usage.get("input"), "completion_tokens": usage.get("output")}
