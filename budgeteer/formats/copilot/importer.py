"""GitHub Copilot CLI sessions: JSONL of `{type, data, id, timestamp, parentId}`, one event a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.errors import FormatError
from budgeteer.formats.copilot.session_events import CopilotConversation, Events, data_of, read_events
from budgeteer.formats.copilot.stored_sessions import is_stored_session, read_stored_session
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.numbering import (
    Compactions,
    Notes,
    listed_counts,
    note_compactions,
    note_opaque,
    numbered,
    short_line,
    text_value,
    title_of,
)
from budgeteer.formats.messages.result_order import behind_calls
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mostly

_FAMILIES: Final = ("session.", "user.", "assistant.", "tool.", "system.", "hook.", "permission.", "subagent.")


def detect(document: Document) -> str | None:
    """Why a document is a Copilot CLI session, None when it is not."""
    if is_stored_session(document):
        return "holds `chatMessages` and a `timeline` with a `sessionId`, as Copilot CLI stored sessions in 2025"
    if mostly(document, _is_event):
        return "has events like `user.message` and `session.start` with the `data` of Copilot CLI"
    return None


def read(document: Document) -> Imported:
    """Read a session and the runs of its sub-agents.

    Raises:
        FormatError: the file holds no message.
    """
    skipped = list(document.skipped)
    if is_stored_session(document):
        return read_stored_session(document, skipped)
    notes = document.notes
    whole = document.options.whole
    entries = entries_of(document, skipped)
    events = read_events(entries, notes, skipped, whole=whole)
    found = [_conversation(agent, talk, events, document) for agent, talk in events.talks.items() if talk.says_anything]
    if not found:
        raise FormatError(
            f"This Copilot CLI session holds no message, only {listed_counts(notes.other_lines) or 'its header'}",
            where=document.name,
            mend="Choose a session with `user.message` and `assistant.message` events",
        )
    return Imported(format="", reason="", kind="conversation", conversations=tuple(found), skipped=tuple(skipped))


def _is_event(value: Mapping[str, Any]) -> bool:
    return text_value(value.get("type")).startswith(_FAMILIES) and isinstance(data_of(value), Mapping)


def _conversation(agent: str, talk: CopilotConversation, events: Events, document: Document) -> Conversation:
    system = [] if agent or events.system is None else [events.system]
    messages = numbered(behind_calls([*system, *talk.messages], document.notes), document.notes, place="line ")
    note_opaque(messages, document.notes)
    fallback = f"Sub-agent {agent}" if agent else document.stem or "Copilot session"
    title = short_line(talk.prompt) or title_of(messages, fallback)
    _say_compactions(talk, title, document.notes, whole=document.options.whole)
    return Conversation(
        id=f"agent-{agent}" if agent else events.session or "c1",
        title=title,
        messages=messages,
        model=talk.model or events.model,
        reported_input_tokens=None if agent else events.reported,
        is_subagent=bool(agent),
        metadata={
            "source": "copilot-cli",
            "session": events.session,
            "whole": document.options.whole,
            "compactions": talk.compactions,
            "messagesBeforeCompaction": talk.before,
        },
    )


def _say_compactions(talk: CopilotConversation, title: str, notes: Notes, *, whole: bool) -> None:
    note_compactions(notes, title, Compactions(talk.compactions, talk.before, "message"), whole=whole)
