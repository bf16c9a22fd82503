"""Conversations as a Markdown transcript: to read, to edit, and to read back exactly (formats.markdown_transcript).

The grammar. A file begins with `OPENING`. Blocks stand apart by one empty line: a role heading (`## user`) begins a
message, a text stands as it is, everything else in a fence that names it (```tool-call). What a message or part has
beside its text is JSON behind the heading, in a comment, or behind the fence's name. A line of a text that looks like
one of these marks gets a backslash before it, so no text can be taken for a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ROLES,
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering.sent_content import sent_messages, sent_tools, system_messages

OPENING: Final = "<!-- budgeteer transcript 1 -->"
BETWEEN_TEXTS: Final = "<!-- part -->"
FENCES: Final = ("conversation", "tools", "tool-call", "result", "reasoning", "image", "file", "audio", "opaque")

_MARK: Final = rf"(?:## (?:{'|'.join(ROLES)})\b|`{{3,}}(?:{'|'.join(FENCES)})\b|{re.escape(BETWEEN_TEXTS)})"
_FLAGS: Final = re.MULTILINE | re.IGNORECASE | re.ASCII
_TO_ESCAPE: Final = re.compile(rf"^(?=\\*{_MARK})", _FLAGS)
_ESCAPED: Final = re.compile(rf"^\\(?=\\*{_MARK})", _FLAGS)
_TICKS: Final = re.compile("`+")


def markdown_transcript(conversations: Sequence[Conversation]) -> str:
    """The conversations one after the other: all their messages, tool definitions, and what the file reported."""
    blocks = [block for conversation in conversations for block in _conversation(conversation)]
    return "\n\n".join([OPENING, *blocks]) + "\n"


def render_markdown(packing: Packing) -> str:
    """The packed prompt as a transcript: its system messages, tool definitions and messages."""
    messages = (*system_messages(packing), *sent_messages(packing))
    tools = tuple(sent_tools(packing))
    return markdown_transcript([Conversation("packed", "Packed prompt", messages, tools, packing.model)])


def unescaped(text: str) -> str:
    """A text of a transcript as it was before marks in it were escaped."""
    return _ESCAPED.sub("", text)


def _conversation(conversation: Conversation) -> Iterator[str]:
    beside = {
        "id": conversation.id,
        "title": conversation.title,
        "model": conversation.model,
        "reportedInputTokens": conversation.reported_input_tokens,
        "branches": conversation.branches,
        "isSubagent": conversation.is_subagent,
        "metadata": dict(conversation.metadata),
    }
    yield _fenced("conversation", {}, compact_json(_given(beside)))
    yield f"# {' '.join(conversation.title.split())}"
    if conversation.tools:
        yield _fenced("tools", {}, "\n".join(compact_json(tool) for tool in conversation.tools))
    for message in conversation.messages:
        yield from _message(message)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", None, 0, False, {})}


def _message(message: Message) -> Iterator[str]:
    parts: Sequence[Part] = message.parts
    beside: dict[str, Any] = {"id": message.id, "name": message.name, "created": message.created}
    beside["untyped"] = not message.typed
    result = parts[0] if parts else None
    if isinstance(result, ToolResultPart):
        beside |= {"answers": result.call_id, "failed": result.is_error}
        parts = result.content
    given = _given(beside)
    yield f"## {message.role}" + (f" <!-- {compact_json(given).replace('>', '\\u003e')} -->" if given else "")
    after_text = False
    for part in parts:
        is_text = isinstance(part, TextPart) and message.role != "tool"
        if is_text and after_text:
            yield BETWEEN_TEXTS
        yield _part(part, in_result=message.role == "tool")
        after_text = is_text


def _part(part: Part, *, in_result: bool) -> str:
    match part:
        case TextPart(text=text) if in_result:
            return _fenced("result", {}, text)
        case TextPart(text=text):
            return _TO_ESCAPE.sub(r"\\", text)
        case ToolCallPart():
            return _fenced("tool-call", {"id": part.id, "name": part.name, "free": part.is_free}, part.arguments)
        case ReasoningPart():
            sealed = {"signature": part.signature, "encrypted": part.encrypted}
            return _fenced("reasoning", {**sealed, "provider": part.provider, "id": part.id}, part.text)
        case ImagePart():
            size = {"width": part.width, "height": part.height, "detail": part.detail}
            return _fenced("image", size, compact_json(part.raw))
        case FilePart():
            return _fenced("file", {"name": part.name}, compact_json(part.raw))
        case AudioPart():
            return _fenced("audio", {}, compact_json(part.raw))
        case OpaquePart():
            return _fenced("opaque", {"kind": part.kind, "provider": part.provider}, compact_json(part.raw))
        case ToolResultPart():
            raise TypeError("a result is a message of its own")


def _fenced(name: str, beside: dict[str, Any], body: str) -> str:
    """A block in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in _TICKS.findall(body)), default=0)
    fence = "`" * max(3, longest + 1)
    given = _given(beside)
    info = " " + compact_json(given).replace("`", "\\u0060") if given else ""
    return f"{fence}{name}{info}\n{body}\n{fence}"
