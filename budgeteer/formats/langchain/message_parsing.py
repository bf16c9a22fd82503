"""Parse one LangChain message from any of its serialised forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.content.conversation import (
    ContentPart,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    Role,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.formats.anthropic import messages
from budgeteer.formats.langchain.role_pairs import is_pair, role_in
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.opaque import lean
from budgeteer.formats.openai import chat as openai_chat
from budgeteer.formats.openai.roles import known_role
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.open_calls import OpenCalls, arguments_text

_CLASSES: Mapping[str, Role] = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}
_TYPES: Mapping[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_PLAIN = frozenset({"type", "content", "id", "name"})
"""The only keys of a system text in plain form: more are a line of something else, such as Claude Code's."""
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk", "input_json_delta"})
_ANTHROPIC_BLOCKS = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A message found: who speaks, the form it came in, and its fields."""

    role: Role
    form: str
    fields: Mapping[str, Any]
    removed: bool = False

    @property
    def model(self) -> str:
        """The model that replied; chunks that were added up repeat its name, so `model_name` is asked first."""
        about = self.fields.get("response_metadata")
        about = about if isinstance(about, Mapping) else {}
        return text_value(about.get("model_name")) or text_value(about.get("model"))

    @property
    def input_tokens(self) -> int | None:
        """The input tokens the reply reports."""
        usage = self.fields.get("usage_metadata")
        count = usage.get("input_tokens") if isinstance(usage, Mapping) else None
        return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def said(raw: Mapping[str, Any], *, in_talk: bool = False) -> RawMessage | None:
    """The message an object is, None when it is none; `in_talk` says that it stands among messages of LangChain.

    Understood: `{lc, type: "constructor", id: [..., "HumanMessage"], kwargs}`, `{type: "human", data: {...}}`,
    `{type: "human", content, ...}`, and the last with the name of the class as its type (`HumanMessage`).
    """
    kwargs, path = raw.get("kwargs"), raw.get("id")
    if raw.get("type") == "constructor" and isinstance(kwargs, Mapping) and isinstance(path, list) and path:
        return _of_class(text_value(path[-1]), "serialised", kwargs)
    kind = text_value(raw.get("type"))
    data = raw.get("data")
    if isinstance(data, Mapping) and "content" in data:
        return _of_type(kind, "as dicts with `data`", data)
    about = {"additional_kwargs", "response_metadata", "tool_call_id", "tool_calls", "example"} & raw.keys()
    plain = ("system", "tool") if in_talk else ("system",)
    is_own = kind in ("human", "ai") or kind.removesuffix("Chunk") in _CLASSES
    is_said = is_own or (kind in plain and raw.keys() <= _PLAIN)
    if "content" in raw and ("role" not in raw or kind == "chat") and (is_said or about):
        return _of_type(kind, "as plain dicts", raw)
    return None


def said_in_pair(raw: Any) -> RawMessage | None:
    """The message that a pair of a role and what was said is, None of anything else."""
    role = role_in(raw[0]) if is_pair(raw) else None
    return None if role is None else RawMessage(role, "as pairs of a role and a text", {"content": raw[1]})


def _of_class(name: str, form: str, fields: Mapping[str, Any]) -> RawMessage | None:
    if name == "RemoveMessage":
        return RawMessage("system", form, fields, removed=True)
    bare = name.removesuffix("Chunk")
    if bare == "ChatMessage":
        role = known_role(text_value(fields.get("role")))
        return RawMessage(role, form, fields) if role else None
    found = _CLASSES.get(bare)
    return RawMessage(found, form, fields) if found else None


def _of_type(kind: str, form: str, fields: Mapping[str, Any]) -> RawMessage | None:
    found = _TYPES.get(kind)
    if found:
        return RawMessage(found, form, fields)
    if kind == "remove":
        return RawMessage("system", form, fields, removed=True)
    return _of_class("ChatMessage" if kind == "chat" else kind, form, fields)


def message_from(one: RawMessage, number: int, open_calls: OpenCalls) -> Message:
    """The message as ours; `number` is its place in the list, `open_calls` what still waits for an answer."""
    fields = one.fields
    given = text_value(fields.get("id"))
    if one.role == "tool":
        content = tuple(_result_content(open_calls.notes.content_of(fields)))
        answered = open_calls.answer(text_value(fields.get("name")), text_value(fields.get("tool_call_id")))
        part = ToolResultPart(answered, content, fields.get("status") == "error")
        return lean(Message("tool", (part,), id=given, line=number), open_calls.notes)
    parts: list[Part] = []
    if one.role == "assistant":
        calls = list(_calls(fields, open_calls))
        parts += _reasoning_beside(fields)
        parts += _content(open_calls.notes.content_of(fields), {call.id for call in calls}, open_calls)
        parts += calls
    else:
        parts += _content(open_calls.notes.content_of(fields), set(), open_calls)
    said = Message(one.role, tuple(parts))
    open_calls.notes.check_read(said, fields, f"message {number}", read=("content", "text"))
    name = text_value(fields.get("name")) if one.role == "user" else ""
    return lean(Message(one.role, tuple(parts), id=given, name=name, line=number), open_calls.notes)


def _calls(fields: Mapping[str, Any], open_calls: OpenCalls) -> Iterator[ToolCallPart]:
    """The calls of a reply: `tool_calls`, else those of the provider; the provider's own text of their arguments."""
    beside = fields.get("additional_kwargs")
    beside = beside if isinstance(beside, Mapping) else {}
    written = {text_value(call.get("id")): call.get("function") for call in mappings(beside.get("tool_calls"))}
    listed = mappings(fields.get("tool_calls"))
    for call in listed:
        given = text_value(call.get("id"))
        own = written.get(given)
        text = own.get("arguments") if isinstance(own, Mapping) else None
        arguments = text if isinstance(text, str) else arguments_text(call.get("args"))
        yield open_calls.call(text_value(call.get("name")), arguments, given)
    invalid = mappings(fields.get("invalid_tool_calls"))
    for call in invalid:
        yield open_calls.call(text_value(call.get("name")), call.get("args"), text_value(call.get("id")))
    open_calls.notes.count("Calls whose arguments are no JSON, kept as the model wrote them", len(invalid))
    if not listed and not invalid:
        for given, own in written.items():
            if isinstance(own, Mapping):
                yield open_calls.call(text_value(own.get("name")), own.get("arguments"), given)
        legacy = beside.get("function_call")
        if isinstance(legacy, Mapping):
            open_calls.notes.count("Legacy function calls read as tool calls")
            yield open_calls.call(text_value(legacy.get("name")), legacy.get("arguments"))


def _reasoning_beside(fields: Mapping[str, Any]) -> list[Part]:
    """The reasoning that stands beside the content."""
    beside = fields.get("additional_kwargs")
    beside = beside if isinstance(beside, Mapping) else {}
    if text_value(beside.get("reasoning_content")):
        return [ReasoningPart(beside["reasoning_content"])]
    given = beside.get("reasoning")
    return [_openai_reasoning(given)] if isinstance(given, Mapping) else []


def _openai_reasoning(given: Mapping[str, Any]) -> ReasoningPart:
    text = "\n\n".join(text_value(piece.get("text")) for piece in mappings(given.get("summary")))
    sealed = text_value(given.get("encrypted_content"))
    return ReasoningPart(text, encrypted=sealed, provider="openai-responses", id=text_value(given.get("id")))


def _content(content: Any, called: set[str], open_calls: OpenCalls) -> Iterator[Part]:
    """The parts of a content; blocks that repeat a call of `tool_calls` are left out and counted."""
    for item in content if isinstance(content, list) else [content]:
        kind = text_value(item.get("type")) if isinstance(item, Mapping) else ""
        if kind in _CALL_BLOCKS:
            if kind == "input_json_delta" or {text_value(item.get("id")), text_value(item.get("call_id"))} & called:
                open_calls.notes.count("Calls that the content repeats, counted once", of=item)
                continue
            given = text_value(item.get("call_id")) or text_value(item.get("id"))
            written = item.get("input", item.get("args", item.get("arguments")))
            yield open_calls.call(text_value(item.get("name")), written, given)
        elif kind in _ANTHROPIC_BLOCKS:
            yield from messages.split_message("assistant", [item])[0].parts
        elif kind == "reasoning":
            yield ReasoningPart(item["reasoning"]) if text_value(item.get("reasoning")) else _openai_reasoning(item)
        else:
            yield from _piece(item)


def _result_content(content: Any) -> Iterator[ContentPart]:
    for item in content if isinstance(content, list) else [content]:
        yield from _piece(item)


def _piece(item: Any) -> list[ContentPart]:
    """One piece of content: LangChain's own picture and file blocks, else as OpenAI chat has it."""
    if isinstance(item, Mapping) and item.get("type") in ("image", "file"):
        address = text_value(item.get("url"))
        data, mime = text_value(item.get("base64")) or text_value(item.get("data")), text_value(item.get("mime_type"))
        if data:
            address = f"data:{mime};base64,{data}"
        if address:
            picture = image_at(address)
            return [picture if item["type"] == "image" else _file(item, address)]
        return list(messages.content_block(item))
    return openai_chat.content_parts(item)


def _file(item: Mapping[str, Any], address: str) -> FilePart:
    name = text_value(item.get("filename"))
    return FilePart({"type": "file", "file": {"filename": name, "file_data": address}}, name)
