"""The lines of a Claude Code branch as messages in the order the API saw them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from budgeteer.engine.content.conversation import Message, Part, Role, ToolCallPart, calls_of, results_of
from budgeteer.formats.anthropic.messages import split_message
from budgeteer.formats.claude_code.attachments import is_typed_attachment
from budgeteer.formats.claude_code.session_lines import SessionRecord
from budgeteer.formats.messages.message_spool import merged
from budgeteer.formats.messages.numbering import Notes, last_text, numbered, put_aside, text_value
from budgeteer.formats.messages.opaque import lean

_NOT_TYPED = re.compile(
    r"\s*<(command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat"
    r"|bash-input|bash-stdout|bash-stderr|user-memory-input|task-notification)>"
)


@dataclass(slots=True)
class _Turn:
    """One message and the results of its calls, which stand right behind it."""

    message: Message
    results: tuple[Message, ...] = ()


def build_messages(records: Sequence[SessionRecord], notes: Notes) -> Sequence[Message]:
    """Merge lines by message id, put each result behind the message that called it, drop repeated results."""
    writer = _Writer(notes)
    for record in records:
        if record.raw.get("isApiErrorMessage") is True:
            notes.count("API errors shown to the user, left out because the model never saw them")
            notes.leave_entries((record.number,))
        elif record.raw.get("isVisibleInTranscriptOnly") is True and record.raw.get("isCompactSummary") is not True:
            notes.count("Lines shown in the transcript only, left out")
            notes.leave_entries((record.number,))
        elif record.kind == "assistant":
            writer.add_assistant(record)
        else:
            writer.add_user(record)
    return writer.finish()


class _Writer:
    """Turns being written, found again by message id and by call id."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.turns: list[_Turn] = []
        self.by_message_id: dict[str, _Turn] = {}
        self.by_call: dict[str, _Turn] = {}
        self.answered: set[str] = set()

    def add_assistant(self, record: SessionRecord) -> None:
        parts = self._fresh(_message(record, "assistant", self.notes)[0].parts)
        message = self._put(Message("assistant", parts, record.uuid, "", _created(record), record.number))
        turn = self.by_message_id.get(record.message_id)
        if turn is None:
            turn = _Turn(message)
            self.turns.append(turn)
            if record.message_id:
                self.by_message_id[record.message_id] = turn
        else:
            self.notes.count("Lines merged into their assistant message by its message id")
            turn.message = merged(turn.message, message)
        for call in calls_of(turn.message):
            self.by_call[call.id] = turn

    def add_user(self, record: SessionRecord) -> None:
        if record.raw.get("toolUseResult") is not None:
            self.notes.count("Tool results that `toolUseResult` repeats, counted once")
        for message in _message(record, "user", self.notes):
            if message.role == "tool":
                self._add_result(self._put(message))
            else:
                self.turns.append(_Turn(self._put(replace(message, typed=self._typed(record, message)))))

    def finish(self) -> Sequence[Message]:
        """The messages in order, with unique ids."""
        return numbered(
            (message for turn in self.turns for message in (turn.message, *turn.results)), self.notes, place="line "
        )

    def _put(self, message: Message) -> Message:
        return put_aside(lean(message, self.notes), self.notes.aside)

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
            self.turns.append(_Turn(message))
            return
        if turn is not self.turns[-1]:
            self.notes.count("Tool results put right behind their call, as the API saw them")
        self.answered.add(call_id)
        turn.results += (message,)

    def _typed(self, record: SessionRecord, message: Message) -> bool:
        """Whether a person typed it: not a command, its output, a skill's text, or a compaction's summary."""
        if record.raw.get("type") == "attachment" and not is_typed_attachment(record.raw):
            self.notes.count("Attachments that the model read as messages, kept with the text the file has")
            return False
        if record.raw.get("isMeta") is True or _NOT_TYPED.match(last_text(message.parts)):
            self.notes.count(
                "User messages nobody typed (commands, their output, skill texts), kept: the model saw them"
            )
            return False
        return record.raw.get("isCompactSummary") is not True


def _message(record: SessionRecord, role: Role, notes: Notes) -> list[Message]:
    """The line's message; a user line with results becomes several."""
    content = notes.content_of(record.message)
    said = split_message(role, content, line=record.number, uid=record.uuid, created=_created(record))
    notes.check_read(said[0], record.message, f"line {record.number}", read=("content", "text"))
    return said


def _created(record: SessionRecord) -> str:
    return text_value(record.raw.get("timestamp"))
