"""Transcripts of one content block a line: who said it under `role`, the block under `content`.

Certain: lines whose `content` is one object, calls among them (`tool_use` with a `tool_name` and a `tool_id`, or with
Anthropic's `name` and `id`). What the assistant says up to a result or a person's turn is one message. A result
(`tool_result`) says what came out under `output` or `content`; thoughts are blocks of the type `thinking`.
Source: transcripts that recorders of coding agents wrote and people have published, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, Role, ToolResultPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import first_text, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.openai.chat import content_parts
from budgeteer.formats.reading.conversation_draft import ConversationDraft
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mostly, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_NAMES: Final = ("tool_name", "name")
_IDS: Final = ("tool_id", "tool_use_id", "tool_call_id", "id")
_INPUTS: Final = ("input", "parameters", "arguments")
_OUTPUTS: Final = ("output", "content", "text")
_READ: Final = ("text", "thinking", *_NAMES, *_INPUTS)


def detect(document: Document) -> str | None:
    """Why a document is a transcript of one block a line, None when it is not."""
    if any(_is_call(value) for value in sampled(document)) and mostly(document, _is_block):
        return "is lines of one content block each, calls of tools (`tool_use`) among them"
    return None


def _is_block(value: Mapping[str, Any]) -> bool:
    block = value.get("content")
    return text_value(value.get("role")) in _ROLES and isinstance(block, OBJECT) and bool(text_value(block.get("type")))


def _is_call(value: Mapping[str, Any]) -> bool:
    block = value.get("content")
    return isinstance(block, OBJECT) and block.get("type") == "tool_use" and bool(first_text(block, _NAMES))


def read(document: Document) -> Imported:
    """Read a transcript as one conversation.

    Raises:
        FormatError: no line holds a block.
    """
    skipped = list(document.skipped)
    reader = _Reader(ConversationDraft(document.notes, "line "))
    for entry in entries_of(document, skipped):
        if _is_block(entry.value):
            reader.add(entry)
        else:
            skipped.append(Skipped(entry.where, "no block of a known role", compact_json(entry.value)[:500]))
    reader.end()
    chat = reader.draft.conversation("c1", "", document.stem or "Transcript")
    require(chat.messages, document, "transcript")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


class _Reader:
    """A transcript being read: what one speaker says is one message until a result comes or another one speaks."""

    def __init__(self, draft: ConversationDraft) -> None:
        self.draft = draft
        self._frame = Message("assistant", ())
        self._said: list[Part] = []

    def add(self, entry: Entry) -> None:
        """Add the block of a line."""
        raw = entry.value
        block: Mapping[str, Any] = raw["content"]
        role = _ROLES[raw["role"]]
        frame = Message(role, (), created=text_value(raw.get("timestamp")), line=entry.number)
        if role == "tool" or block.get("type") == "tool_result":
            self.end()
            self._answer(replace(frame, name=first_text(block, _NAMES)), block)
            return
        if role != "assistant" or self._frame.role != role or not self._said:
            self.end()
            self._frame = frame
        parts = self._parts(block)
        self.draft.check_read(replace(frame, parts=tuple(parts)), block, _READ)
        self._said += parts

    def end(self) -> None:
        """End the message that is being said."""
        if self._said:
            self.draft.add(replace(self._frame, parts=tuple(self._said)))
        self._said = []

    def _answer(self, frame: Message, block: Mapping[str, Any]) -> None:
        """Add the result of a call: a text, parts, or anything else as JSON."""
        said = next((block[key] for key in _OUTPUTS if block.get(key) is not None), None)
        content = content_parts(said if said is None or isinstance(said, str | list) else compact_json(said))
        self.draft.checked(ToolResultPart("", tuple(content)), block, *_OUTPUTS)
        self.draft.answer(frame, content, first_text(block, _IDS), failed=block.get("is_error") is True)

    def _parts(self, block: Mapping[str, Any]) -> list[Part]:
        kind = block.get("type")
        if kind == "tool_use":
            arguments = next((block[key] for key in _INPUTS if block.get(key) is not None), None)
            return [self.draft.calls.call(first_text(block, _NAMES), arguments, first_text(block, _IDS))]
        if kind == "thinking":
            thought = first_text(block, ("thinking", "text"))
            return [ReasoningPart(thought, signature=text_value(block.get("signature")))] if thought else []
        return [*content_parts(block)]
