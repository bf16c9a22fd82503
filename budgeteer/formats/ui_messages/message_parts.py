"""The parts of an AI SDK UI message, and what of them a model receives.

What is sent follows the SDK's own conversion (`convertToModelMessages`, ai 5 and 6): sources and data parts are not,
nor is a call whose input was still streaming; a call that was denied is answered by the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.opaque import opaque_part, without_bytes
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.open_calls import arguments_text

_UNFINISHED = frozenset({"input-streaming", "partial-call"})
_ANSWERED = frozenset({"output-available", "result"})
_DENIED = "Tool execution denied."
"""What the SDK answers a denied call with when no reason was given."""


class UiStep(ReplySteps):
    """The messages one UI message becomes."""

    def __init__(self, role: Role, notes: Notes, frame: Message) -> None:
        super().__init__(frame)
        self.role = role
        self.notes = notes


def read_part(part: Any, step: UiStep) -> None:
    """Add one part to the step it belongs to."""
    kind = text_value(part.get("type")) if isinstance(part, Mapping) else ""
    if not isinstance(part, Mapping):
        step.say(TextPart(part if isinstance(part, str) else compact_json(part)))
    elif kind == "step-start":
        step.end()
    elif kind == "text" and isinstance(part.get("text"), str):
        if part["text"]:
            step.say(TextPart(part["text"]))
    elif kind == "reasoning":
        step.say(_reasoning(part))
    elif kind == "file":
        step.say(_file(part))
    elif kind.startswith(("source", "data-")):
        what = "Sources" if kind.startswith("source") else "Data parts of the interface"
        step.notes.count(f"{what}, which a model is not sent, left out", of=part)
    elif kind.startswith("tool-") or kind == "dynamic-tool":
        _tool(part, kind, step)
    else:
        step.say(opaque_part("" if kind == "text" else kind, part, "ai-sdk", step.notes))


def _tool(part: Mapping[str, Any], kind: str, step: UiStep) -> None:
    """A call with its state; the invocation of version 4 has other names for the same."""
    inner = part.get("toolInvocation")
    given = inner if isinstance(inner, Mapping) else part
    state = text_value(given.get("state"))
    if state in _UNFINISHED:
        step.notes.count("Calls whose input was still streaming, which a model is not sent, left out", of=part)
        return
    raw = given.get("rawInput")
    arguments = raw if isinstance(raw, str) else arguments_text(given.get("input", given.get("args", raw)))
    name = text_value(given.get("toolName")) or kind.removeprefix("tool-")
    call_id = text_value(given.get("toolCallId"))
    if part.get("providerExecuted") is True:
        step.notes.count("Calls that the provider ran itself, read as calls and results")
    step.call(ToolCallPart(call_id, name, arguments), _result(given, state, call_id, step.notes))


def _result(given: Mapping[str, Any], state: str, call_id: str, notes: Notes) -> ToolResultPart | None:
    """The answer of a call, None while it has none."""
    approval = given.get("approval")
    approval = approval if isinstance(approval, Mapping) else {}
    left_out = 0
    if state in _ANSWERED:
        output, left_out = without_bytes(given.get("output", given.get("result")), notes, of="the outputs of tools")
        text, failed = arguments_text(output), False
    elif state == "output-error":
        text, failed = arguments_text(given.get("errorText")), True
    elif state == "output-denied" or approval.get("approved") is False:
        text, failed = text_value(approval.get("reason")) or _DENIED, True
    else:
        return None
    return ToolResultPart(call_id, (TextPart(text, left_out=left_out),) if text else (), failed)


def _reasoning(part: Mapping[str, Any]) -> ReasoningPart:
    """Reasoning with the seal of whichever provider wrote it."""
    text = text_value(part.get("text")) or text_value(part.get("reasoning"))
    about = part.get("providerMetadata")
    about = about if isinstance(about, Mapping) else {}
    openai, anthropic, google = (about.get(name) for name in ("openai", "anthropic", "google"))
    if isinstance(openai, Mapping):
        sealed = text_value(openai.get("reasoningEncryptedContent"))
        return ReasoningPart(text, encrypted=sealed, provider="openai-responses", id=text_value(openai.get("itemId")))
    if isinstance(anthropic, Mapping):
        signature = text_value(anthropic.get("signature"))
        return ReasoningPart(text, signature=signature, encrypted=text_value(anthropic.get("redactedData")))
    if isinstance(google, Mapping):
        return ReasoningPart(text, signature=text_value(google.get("thoughtSignature")), provider="gemini")
    return ReasoningPart(text)


def _file(part: Mapping[str, Any]) -> Part:
    """A picture, sound or document by its `data:` or web address; version 4 gives type and bytes apart."""
    mime = text_value(part.get("mediaType")) or text_value(part.get("mimeType"))
    address = text_value(part.get("url")) or f"data:{mime};base64,{text_value(part.get('data'))}"
    if mime.startswith("image/"):
        return image_at(address)
    if mime.startswith("audio/"):
        form = {"mpeg": "mp3", "x-wav": "wav"}.get(mime.removeprefix("audio/"), mime.removeprefix("audio/"))
        data = address.partition(";base64,")[2]
        return AudioPart({"type": "input_audio", "input_audio": {"data": data, "format": form}} if data else part)
    name = text_value(part.get("filename"))
    return FilePart({"type": "file", "file": {"filename": name, "file_data": address}}, name)
