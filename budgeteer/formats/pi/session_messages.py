"""The entries of a pi branch as messages, as pi sends them.

The texts around summaries and commands are those pi writes (`messages`: `convertToLlm`), so that they are counted too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
    results_of,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import base64_pixel_size
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.result_order import behind_calls
from budgeteer.formats.pi.session_tree import PiRecord, is_unfinished
from budgeteer.formats.reading.open_calls import OpenCalls, arguments_text

PROVIDER: Final = "pi"

_COMPACTED: Final = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
_BRANCHED: Final = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
_ROLES: Final = frozenset(
    {
        "user",
        "assistant",
        "toolResult",
        "bashExecution",
        "compactionSummary",
        "branchSummary",
        "custom",
        "hookMessage",
    }
)
_UNTYPED: Final = "User messages nobody typed (commands, summaries, texts of extensions), kept: the model saw them"


def messages_of(records: Sequence[PiRecord], notes: Notes) -> Sequence[Message]:
    """The messages of a branch, each result behind its call; put aside as they are made where they are too many."""
    found = notes.message_list()
    calls = OpenCalls(notes)
    untyped = 0
    for record in records:
        message = message_of(record, notes)
        if message is not None:
            untyped += not message.typed
            found.append(_tied(message, calls))
    notes.count(_UNTYPED, untyped)
    return behind_calls(found, notes)


def _tied(message: Message, calls: OpenCalls) -> Message:
    """A result without the id of its call, as copies of sessions have, with that of the oldest that waits."""
    if message.role == "assistant":
        calls.waiting.update((call.id, call.name) for call in calls_of(message))
    for result in results_of(message):
        if not result.call_id:
            return replace(message, parts=(replace(result, call_id=calls.answer()),))
        calls.waiting.pop(result.call_id, None)
    return message


def message_of(record: PiRecord, notes: Notes) -> Message | None:
    """The message that an entry stands for, None when pi sends none."""
    match record.kind:
        case "message":
            return _said(record, notes)
        case "compaction":
            return _untyped(record, _wrapped(text_value(record.raw.get("summary")), _COMPACTED))
        case "branch_summary":
            return _untyped(record, _wrapped(text_value(record.raw.get("summary")), _BRANCHED))
        case "custom_message":
            return _untyped(record, _content(record.raw.get("content"), notes))
        case _:
            return None


def _said(record: PiRecord, notes: Notes) -> Message | None:
    message = record.message
    why = _not_sent(record)
    if why:
        notes.count(why)
        return None
    match record.role:
        case "user" | "assistant":
            content = notes.content_of(message)
            parts = _content(content, notes) if record.role == "user" else _reply(content, notes)
            said = Message("user" if record.role == "user" else "assistant", parts)
            notes.check_read(said, message, f"line {record.number}", read=("content", "text"))
            return _made(record, said)
        case "toolResult":
            content = _content(message.get("content"), notes)
            answer = ToolResultPart(text_value(message.get("toolCallId")), content, message.get("isError") is True)
            return _made(record, Message("tool", (answer,)))
        case _:
            return _untyped(record, _own_words(record.role, message, notes))


def _not_sent(record: PiRecord) -> str:
    """Why pi does not send a message again, "" when it does."""
    if record.role == "assistant" and is_unfinished(record.message):
        return "Replies that were aborted or failed, left out because pi does not send them again"
    if record.role == "bashExecution" and record.message.get("excludeFromContext") is True:
        return "Commands the user kept out of the context, left out"
    if record.role not in _ROLES:
        return f"Messages of the role `{record.role[:40]}`, which pi does not send, left out"
    return ""


def _own_words(role: str, message: Mapping[str, Any], notes: Notes) -> tuple[ContentPart, ...]:
    """What pi writes into a user message for a role of its own."""
    match role:
        case "bashExecution":
            return (TextPart(_command_text(message)),)
        case "compactionSummary":
            return _wrapped(text_value(message.get("summary")), _COMPACTED)
        case "branchSummary":
            return _wrapped(text_value(message.get("summary")), _BRANCHED)
        case _:
            return _content(message.get("content"), notes)


def _made(record: PiRecord, message: Message) -> Message:
    uid, created = text_value(record.raw.get("id")), text_value(record.raw.get("timestamp"))
    return Message(message.role, message.parts, uid, "", created, record.number, message.typed)


def _untyped(record: PiRecord, parts: Sequence[Part]) -> Message | None:
    return _made(record, Message("user", tuple(parts), typed=False)) if parts else None


def _wrapped(summary: str, around: tuple[str, str]) -> tuple[ContentPart, ...]:
    return (TextPart(f"{around[0]}{summary}{around[1]}"),) if summary else ()


def _command_text(message: Mapping[str, Any]) -> str:
    """A command that the user ran, and its output, as pi tells them."""
    output = text_value(message.get("output"))
    text = f"Ran `{text_value(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif isinstance(code, int) and code:
        text += f"\n\nCommand exited with code {code}"
    if message.get("truncated") is True and text_value(message.get("fullOutputPath")):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


def _reply(content: Any, notes: Notes) -> tuple[Part, ...]:
    parts: list[Part] = []
    for block in content if isinstance(content, list) else [content]:
        kind = block.get("type") if isinstance(block, Mapping) else ""
        if kind == "toolCall":
            name, arguments = text_value(block.get("name")), arguments_text(block.get("arguments"))
            parts.append(ToolCallPart(text_value(block.get("id")), name, arguments))
        elif kind == "thinking":
            signature = text_value(block.get("thinkingSignature"))
            parts.append(ReasoningPart(text_value(block.get("thinking")), signature=signature))
        else:
            parts.extend(_content([block], notes))
    return tuple(parts)


def _content(content: Any, notes: Notes) -> tuple[ContentPart, ...]:
    if content is None or content == "":
        return ()
    blocks = content if isinstance(content, list) else [content]
    return tuple(part for block in blocks for part in _block(block, notes))


def _block(block: Any, notes: Notes) -> tuple[ContentPart, ...]:
    if isinstance(block, str):
        return (TextPart(block),) if block else ()
    if not isinstance(block, Mapping):
        return () if block is None else (TextPart(compact_json(block)),)
    kind = text_value(block.get("type"))
    if kind == "text" and isinstance(block.get("text"), str):
        return (TextPart(block["text"]),) if block["text"] else ()
    if kind == "image" and text_value(block.get("data")):
        width, height = base64_pixel_size(block["data"]) or (None, None)
        source = {"type": "base64", "media_type": text_value(block.get("mimeType")), "data": block["data"]}
        return (ImagePart({"type": "image", "source": source}, width, height),)
    return (opaque_part("" if kind == "text" else kind, block, PROVIDER, notes),)
