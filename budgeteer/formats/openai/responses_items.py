"""The items of OpenAI Responses as messages: consecutive model items form one message, each tool output its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    ContentPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.origin import Origin
from budgeteer.formats.messages.image_sizes import base64_pixel_size, data_url_pixel_size
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.origins import origin_of
from budgeteer.formats.reading.open_calls import OpenCalls

FAMILY: Final = "openai-responses"

ITEM_TYPES: Final = frozenset(
    {
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
        "compaction",
        "item_reference",
        "additional_tools",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "tool_search_call",
        "tool_search_output",
        "computer_call",
        "computer_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
    }
)
"""Every item that is no message, as the Responses API names them (2026-11)."""

PART_TYPES: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})
"""The parts of a message's content that only Responses has."""

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
}
_TEXTS: Final = frozenset({"input_text", "output_text", "text", "summary_text"})
_READ: Final = frozenset({"content", "text", "output", "call_id"})
_ITEM_FIELDS: Final = frozenset({"type", "id", "status", "phase"})
_CALL_FIELDS: Final = frozenset({"type", "id", "status", "namespace", "caller"})
_TEXT_FIELDS: Final = frozenset({"type", "annotations", "logprobs"})
_REASONING_FIELDS: Final = frozenset({"summary", "content", "status", "encrypted_content"})
"""The fields that an item or a part of a request has beside what it says."""


def item_messages(
    items: Iterable[tuple[int, Any]], notes: Notes, skipped: list[Skipped], *, where: str = ""
) -> Iterator[Message]:
    """The (1-based number, raw item) pairs as messages; what is no item is added to `skipped`."""
    reader = _Reader(notes, skipped, where)
    for number, raw in items:
        reader.add(number, raw)
        yield from reader.finished()
    reader.flush()
    yield from reader.finished()


def content_parts(content: Any, notes: Notes) -> list[ContentPart]:
    """The parts of a content or an output: null, a string, a list of parts, or any other JSON as its text."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [TextPart(content)]
    if not isinstance(content, list):
        return [TextPart(compact_json(content))]
    return [part for item in content for part in _content_part(item, notes)]


def _of_agents(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item of OpenAI's Agents SDK for JavaScript, whose fields are written otherwise, as the item of the API."""
    named = {**raw, "call_id": raw["callId"]}
    if raw.get("type") == "function_call_result":
        output = raw.get("output")
        named |= {"type": "function_call_output", "output": [output] if isinstance(output, OBJECT) else output}
    return {key: held for key, held in named.items() if key != "callId"}


class _Reader:
    """Items being read: what the assistant says is gathered until somebody else speaks."""

    def __init__(self, notes: Notes, skipped: list[Skipped], where: str) -> None:
        self.notes = notes
        self.skipped = skipped
        self.where = where
        self._finished: list[Message] = []
        self.calls = OpenCalls(notes)
        self._said: list[Part] = []
        self._lines: list[int] = []
        self._id = ""
        self._spoke = 0

    def add(self, number: int, raw: Any) -> None:
        if isinstance(raw, OBJECT) and "callId" in raw:
            raw = _of_agents(raw)
        kind = text_value(raw.get("type")) if isinstance(raw, OBJECT) else ""
        if isinstance(raw, OBJECT) and kind in ("", "message") and "role" in raw:
            self._message(number, raw)
        elif kind in _OWN:
            self._say(number, _OWN[kind](raw, self))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._output(number, raw)
        elif kind and kind != "message":
            self._say(number, [opaque_part(kind, raw, FAMILY, self.notes)])
        else:
            self._skip(number, raw, "neither a role nor a type")

    def flush(self) -> None:
        """End the assistant's message, if one is under way."""
        if self._lines:
            self.notes.count("Replies in a row, read as one message of the assistant", max(self._spoke - 1, 0))
            message = Message("assistant", tuple(self._said), id=self._id, line=self._lines[0])
            self._finished.append(message)
        self._said, self._lines, self._id, self._spoke = [], [], "", 0

    def finished(self) -> list[Message]:
        """The messages that were ended since this was asked last."""
        done, self._finished = self._finished, []
        return done

    def _message(self, number: int, raw: Mapping[str, Any]) -> None:
        role = _ROLES.get(text_value(raw.get("role")))
        if role is None:
            self._skip(number, raw, "no known role")
            return
        content = content_parts(self.notes.content_of(raw), self.notes)
        self._check_read(Message(role, tuple(content)), number, raw)
        parts = [_whole_item(part, role) for part in content]
        origin = origin_of(FAMILY, raw, _ITEM_FIELDS)
        if role == "assistant":
            self._id = self._id or text_value(raw.get("id"))
            self._spoke += 1
            self._say(number, _in_item(parts or [TextPart("", Origin(FAMILY))], origin))
            return
        self.flush()
        said = Message(role, tuple(parts), id=text_value(raw.get("id")), line=number, origin=origin)
        self._finished.append(said)

    def _output(self, number: int, raw: Mapping[str, Any]) -> None:
        self.flush()
        call_id = self.calls.answer(given=text_value(raw.get("call_id")))
        content = tuple(content_parts(raw.get("output"), self.notes))
        origin = origin_of(FAMILY, raw, _CALL_FIELDS)
        result = ToolResultPart(call_id, content, origin=origin)
        answer = Message("tool", (result,), id=text_value(raw.get("id")), line=number)
        self._check_read(answer, number, raw)
        self._finished.append(answer)

    def _check_read(self, message: Message, number: int, raw: Mapping[str, Any]) -> None:
        self.notes.check_read(message, raw, f"{self.where}item {number}", read=_READ)

    def _say(self, number: int, parts: Iterable[Part]) -> None:
        self._said += parts
        self._lines.append(number)

    def _skip(self, number: int, raw: Any, why: str) -> None:
        self.skipped.append(Skipped(f"{self.where}item {number}", why, compact_json(raw)[:500]))


def _in_item(parts: list[Part], item: Origin) -> list[Part]:
    """The parts of one of the assistant's items, the first with what stood beside them."""
    first, *rest = parts
    if isinstance(first, TextPart):
        fields = first.origin.fields if first.origin else None
        first = TextPart(first.text, Origin(FAMILY, fields, item=item.fields))
    return [first, *rest]


def _call(raw: Mapping[str, Any], reader: _Reader) -> list[Part]:
    origin = origin_of(FAMILY, raw, _CALL_FIELDS)
    given = text_value(raw.get("call_id")) or text_value(raw.get("id"))
    if raw.get("type") != "custom_tool_call":
        return [replace(reader.calls.call(text_value(raw.get("name")), raw.get("arguments"), given), origin=origin)]
    reader.notes.count("Calls of free-form tools, which other providers are sent as calls of functions")
    call = reader.calls.call(text_value(raw.get("name")), raw.get("input"), given)
    return [replace(call, is_free=True, origin=origin)]


def _reasoning(raw: Mapping[str, Any], reader: _Reader) -> list[Part]:
    """Its own words if it has any, else their summary; an item of several paragraphs is joined by blank lines."""
    texts = _paragraphs(raw.get("content")) or _paragraphs(raw.get("summary"))
    reader.notes.count("Reasoning of several paragraphs, joined", int(len(texts) > 1))
    sealed = text_value(raw.get("encrypted_content"))
    said = [key for key in ("encrypted_content",) if raw.get(key)]
    if texts and texts == _paragraphs(raw.get("summary")) and len(texts) == 1:
        said.append("summary")
    origin = origin_of(FAMILY, raw, _REASONING_FIELDS, said=said, wanted="encrypted_content summary")
    own_id = text_value(raw.get("id"))
    return [ReasoningPart("\n\n".join(texts), encrypted=sealed, provider=FAMILY, id=own_id, origin=origin)]


def _paragraphs(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    texts = [text_value(item.get("text")) for item in listed if isinstance(item, OBJECT)]
    return [text for text in texts if text]


def _compaction(raw: Mapping[str, Any], reader: _Reader) -> list[Part]:
    reader.notes.say("A compaction item stands for everything before it: the provider may leave that out")
    return [opaque_part("compaction", raw, FAMILY, reader.notes)]


def _picture(raw: Mapping[str, Any], _reader: _Reader) -> list[Part]:
    data = text_value(raw.get("result"))
    width, height = (base64_pixel_size(data) if data else None) or (None, None)
    return [ImagePart(raw, width, height)]


_OWN: Final[Mapping[str, Callable[[Mapping[str, Any], _Reader], list[Part]]]] = {
    "function_call": _call,
    "custom_tool_call": _call,
    "reasoning": _reasoning,
    "compaction": _compaction,
    "image_generation_call": _picture,
}


def _whole_item(part: Part, role: Role) -> Part:
    """An opaque part of a message as the message it stood in: only a whole item can be sent again."""
    if not isinstance(part, OpaquePart):
        return part
    return OpaquePart(part.kind, {"type": "message", "role": role, "content": [part.raw]}, part.provider)


def _content_part(item: Any, notes: Notes) -> list[ContentPart]:
    if isinstance(item, str):
        return [TextPart(item)] if item else []
    if not isinstance(item, OBJECT):
        return [TextPart(compact_json(item))]
    kind = text_value(item.get("type"))
    match kind:
        case _ if kind in _TEXTS and isinstance(item.get("text"), str):
            return [TextPart(item["text"], origin_of(FAMILY, item, _TEXT_FIELDS))] if item["text"] else []
        case "input_image" | "image_url":
            width, height = data_url_pixel_size(_address(item.get("image_url"))) or (None, None)
            return [ImagePart(item, width, height, text_value(item.get("detail")) or "auto")]
        case "input_file" | "file":
            return [FilePart(item, text_value(item.get("filename")))]
        case "input_audio":
            return [AudioPart(item)]
        case _:
            return [opaque_part("" if kind in _TEXTS else kind, item, FAMILY, notes)]


def _address(value: Any) -> str:
    return text_value(value.get("url")) if isinstance(value, OBJECT) else text_value(value)
