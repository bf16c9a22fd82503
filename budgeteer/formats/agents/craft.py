"""Sessions of Craft Agents: a line on the session, then its messages, each with a `type` and what was shown of it.

Certain: messages whose `type` is one of theirs, with a `content` and an `id`, and either the line on the session
(`workspaceRootPath`) or a call (`toolUseId`, `toolName`); also in an object under `messages`. A call stands with its
result. Errors, states and plans, which the interface shows, are left out, and so are the calls of sub-agents.

Source: https://github.com/craft-ai-agents/craft-agents-oss, `packages/core/src/types/message.ts`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, FilePart, ImagePart, Message, Part, ToolResultPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.bounds import iso_time
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, numbered_mappings, sampled
from budgeteer.formats.reading.importing import require

_TYPES: Final = frozenset({"user", "assistant", "tool", "error", "status", "info", "warning", "plan", "auth-request"})
_HEADER: Final = "workspaceRootPath"
_OF_A_CALL: Final = frozenset({"toolUseId", "toolName"})
_LOOKED_AT: Final = 40


def detect(document: Document) -> str | None:
    """Why a document is a session of Craft Agents, None when it is not."""
    rows = sampled(document)
    if document.shape == "jsonl":
        said = [row for row in rows if _HEADER not in row]
        fits = bool(said) and sum(map(_is_message, said)) * 2 >= len(said)
        is_session = fits and (len(said) < len(rows) or any(map(_is_call, said)))
    else:
        is_session = any(map(_holds_session, rows[:1]))
    if is_session:
        return (
            "holds messages of a `type` with their calls under `toolUseId` and `toolName`, as Craft Agents keeps them"
        )
    return None


def _holds_session(value: Mapping[str, Any]) -> bool:
    said = mappings(value.get("messages"))[:_LOOKED_AT]
    return all(map(_is_message, said)) and (any(map(_is_call, said)) or (bool(said) and _HEADER in value))


def _is_message(value: Mapping[str, Any]) -> bool:
    known = text_value(value.get("type")) in _TYPES and isinstance(value.get("content"), str)
    return known and isinstance(value.get("id"), str) and "role" not in value


def _is_call(value: Mapping[str, Any]) -> bool:
    return _is_message(value) and value["type"] == "tool" and value.keys() >= _OF_A_CALL


def read(document: Document) -> Imported:
    """Read every session.

    Raises:
        FormatError: no session holds a message.
    """
    skipped = list(document.skipped)
    if document.shape == "jsonl":
        found = [_of_lines(document, skipped)]
    else:
        found = [_of_object(entry, document, skipped) for entry in entries_of(document, skipped)]
    chats = tuple(chat for chat in found if chat.messages)
    require(chats, document, "Craft Agents")
    return Imported("", "", "conversation", conversations=chats, skipped=tuple(skipped))


def _of_lines(document: Document, skipped: list[Skipped]) -> Conversation:
    session = _Session(document, skipped, "line ")
    for entry in entries_of(document, skipped):
        if _HEADER in entry.value and not _is_message(entry.value):
            session.about(entry.value)
        else:
            session.read(entry.number, entry.where, entry.value)
    return session.conversation("c1")


def _of_object(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    place = f"{entry.where}, message "
    session = _Session(document, skipped, place)
    session.about({key: held for key, held in entry.value.items() if key != "messages"})
    for number, raw in numbered_mappings(entry.value.get("messages"), place, skipped):
        session.read(number, f"{place}{number}", raw)
    return session.conversation(f"c{entry.number}")


class _Session:
    """A session being read: what the model says and calls is gathered until a person speaks."""

    def __init__(self, document: Document, skipped: list[Skipped], place: str) -> None:
        self.draft = ConversationDraft(document.notes, place)
        self._stem = document.stem
        self._skipped = skipped
        self._steps: ReplySteps | None = None
        self._turn = ""
        self._id = self._title = ""

    def about(self, header: Mapping[str, Any]) -> None:
        """Read what a session says of itself."""
        self._id, self._title = text_value(header.get("id")), text_value(header.get("name"))
        self.draft.model = text_value(header.get("model"))
        self.draft.notes.leave_out(header)

    def read(self, number: int, where: str, raw: Mapping[str, Any]) -> None:
        """Read a message; one of another type is listed."""
        kind = text_value(raw.get("type")) if _is_message(raw) else ""
        if kind == "user":
            self._flush()
            self._ask(number, raw)
        elif kind == "tool" and text_value(raw.get("parentToolUseId")):
            self.draft.notes.count(
                "Calls of sub-agents that were shown, which this model was not sent, left out", of=raw
            )
        elif kind in ("assistant", "tool"):
            steps = self._steps_of(number, raw)
            if kind == "tool":
                self._call(raw, steps)
            for text in texts(raw["content"]) if kind == "assistant" else ():
                steps.say(text)
        elif kind:
            self.draft.notes.leave_line(kind, raw)
        else:
            self._skipped.append(Skipped(where, "no message of Craft Agents", compact_json(raw)[:500]))

    def conversation(self, given: str) -> Conversation:
        """The conversation, the last reply ended."""
        self._flush()
        return self.draft.conversation(self._id or given, self._title, self._stem or "Session")

    def _flush(self) -> None:
        if self._steps is not None:
            self.draft.add_all(self._steps.messages())
        self._steps = None

    def _ask(self, number: int, raw: Mapping[str, Any]) -> None:
        self.draft.calls.user_speaks()
        parts: list[Part] = [*map(_attached, mappings(raw.get("attachments"))), *texts(raw["content"])]
        self.draft.add(replace(_frame(number, raw), role="user", parts=tuple(parts)))

    def _steps_of(self, number: int, raw: Mapping[str, Any]) -> ReplySteps:
        """The reply that a message belongs to; another turn begins another message."""
        turn = text_value(raw.get("turnId"))
        if self._steps is not None and turn != self._turn:
            self._flush()
        self._turn = turn
        self._steps = self._steps or ReplySteps(_frame(number, raw))
        return self._steps

    def _call(self, raw: Mapping[str, Any], steps: ReplySteps) -> None:
        """A call with its result, without the words that were shown of it."""
        self.draft.notes.leave_out(raw["content"])
        given = text_value(raw.get("toolUseId"))
        told = raw.get("toolResult")
        call = self.draft.calls.call(
            text_value(raw.get("toolName")), raw.get("toolInput"), given, has_result=told is not None
        )
        if told is None:
            self.draft.notes.count("Calls without a result in the session")
            steps.call(call)
            return
        self.draft.calls.answer(given=call.id)
        said = told if isinstance(told, str) else compact_json(told)
        failed = raw.get("isError") is True or text_value(raw.get("toolStatus")) == "error"
        steps.call(call, ToolResultPart(call.id, texts(said), failed))


def _frame(number: int, raw: Mapping[str, Any]) -> Message:
    made = raw.get("timestamp")
    is_time = isinstance(made, int | float) and not isinstance(made, bool) and made > 0
    created = iso_time(made / 1_000) if is_time and made is not None else ""
    return Message("assistant", (), text_value(raw.get("id")), created=created, line=number)


def _attached(raw: Mapping[str, Any]) -> Part:
    """A file of a prompt, by its name."""
    return ImagePart(raw) if raw.get("type") == "image" else FilePart(raw, text_value(raw.get("name")))
