"""The lines of a Claude Code branch as messages in the order the API saw them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from budgeteer.engine.content.conversation import Message, Part, Role, ToolCallPart, calls_of, results_of
from budgeteer.formats.anthropic.messages import split_message
from budgeteer.formats.claude_code.attachments import is_typed_attachment
from budgeteer.formats.claude_code.iflow import as_sent_by_iflow
from budgeteer.formats.claude_code.sent_calls import as_sent
from budgeteer.formats.claude_code.session_lines import SessionRecord
from budgeteer.formats.messages.message_order import in_slots
from budgeteer.formats.messages.message_spool import merged
from budgeteer.formats.messages.numbering import Notes, last_text, numbered, put_aside, text_value
from budgeteer.formats.messages.opaque import lean

_NOT_TYPED = re.compile(
    r"\s*<(command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat"
    r"|bash-input|bash-stdout|bash-stderr|user-memory-input|task-notification)>"
)


def build_messages(records: Sequence[SessionRecord], notes: Notes) -> Sequence[Message]:
    """Merge lines by message id, put each result behind the message that called it, drop repeated results."""
    writer = _Writer(notes)
    for record in records:
        raw = record.raw
        if raw.get("isApiErrorMessage") is True:
            notes.count("API errors shown to the user, left out because the model never saw them")
            notes.leave_entries((record.number,))
        elif raw.get("isVisibleInTranscriptOnly") is True and raw.get("isCompactSummary") is not True:
            notes.count("Lines shown in the transcript only, left out")
            notes.leave_entries((record.number,))
        elif record.kind == "assistant":
            writer.add_assistant(record, raw)
        else:
            writer.add_user(record, raw)
    return writer.finish()


class _Writer:
    """Turns being written, each a message and the results of its calls; found again by message id and by call id.

    A turn is known by the place of its message among all, which is the slot of its results.
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.messages = notes.message_list()
        self.slots = array("q")
        self.last = -1
        self.by_message_id: dict[str, int] = {}
        self.by_call: dict[str, int] = {}
        self.answered: set[str] = set()

    def add_assistant(self, record: SessionRecord, raw: Mapping[str, Any]) -> None:
        said = _message(record, raw, "assistant", self.notes)[0]
        parts = self._fresh(said.parts)
        if len(parts) < len(said.parts):
            said = replace(said, parts=parts)
            if not parts:
                self.notes.count("Lines that repeat calls made before, read once")
                return
        message = lean(said, self.notes)
        turn = self.by_message_id.get(record.message_id)
        if turn is None:
            turn = self._begin(message)
            if record.message_id:
                self.by_message_id[record.message_id] = turn
        else:
            self.notes.count("Lines merged into their assistant message by its message id")
            self.messages[turn] = merged(self.messages[turn], put_aside(message, self.notes.aside))
        for call in calls_of(message):
            self.by_call[call.id] = turn

    def add_user(self, record: SessionRecord, raw: Mapping[str, Any]) -> None:
        if raw.get("toolUseResult") is not None:
            self.notes.count("Tool results that `toolUseResult` repeats, counted once")
        for message in _message(record, raw, "user", self.notes):
            if message.role == "tool":
                self._add_result(lean(message, self.notes))
            else:
                typed = self._typed(raw, message)
                self._begin(lean(message if typed else replace(message, typed=False), self.notes))

    def finish(self) -> Sequence[Message]:
        """The messages in order, with unique ids."""
        return numbered(in_slots(self.messages, self.slots), self.notes, place="line ")

    def _begin(self, message: Message) -> int:
        """Begin a turn; its place."""
        self.last = len(self.messages)
        self.messages.append(message)
        self.slots.append(self.last)
        return self.last

    def _fresh(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts without calls that were already made: some versions write a message's blocks again."""
        return tuple(part for part in parts if not (isinstance(part, ToolCallPart) and part.id in self.by_call))

    def _add_result(self, message: Message) -> None:
        call_id = results_of(message)[0].call_id
        if call_id in self.answered:
            self.notes.count("Tool results for a call that was answered before, left out", of=message)
            return
        turn = self.by_call.get(call_id)
        if turn is None:
            self._begin(message)
            return
        if turn != self.last:
            self.notes.count("Tool results put right behind their call, as the API saw them")
        self.answered.add(call_id)
        self.messages.append(message)
        self.slots.append(turn)

    def _typed(self, raw: Mapping[str, Any], message: Message) -> bool:
        """Whether a person typed it: not a command, its output, a skill's text, or a compaction's summary."""
        if raw.get("type") == "attachment" and not is_typed_attachment(raw):
            self.notes.count("Attachments that the model read as messages, kept with the text the file has")
            return False
        if raw.get("isMeta") is True or _NOT_TYPED.match(last_text(message.parts)):
            self.notes.count(
                "User messages nobody typed (commands, their output, skill texts), kept: the model saw them"
            )
            return False
        return raw.get("isCompactSummary") is not True


def _message(record: SessionRecord, raw: Mapping[str, Any], role: Role, notes: Notes) -> list[Message]:
    """The line's message; a user line with results becomes several."""
    message, line, created = record.message, record.number, text_value(raw.get("timestamp"))
    content = notes.content_of(message)
    content = as_sent(content, raw, notes) if role == "assistant" else as_sent_by_iflow(content)
    said = split_message(role, content, line=line, uid=record.uuid, created=created)
    notes.check_read(said[0], message, f"line {line}", read=("content", "text"))
    return said
