"""Sessions of Continue up to 2023, whose server kept a timeline of steps, each with what it added to the chat.

Certain: a `history` with a `timeline` of nodes, each a `step` with a `class_name`. Sent were the messages that a step
put into the chat, and what it told of itself, unless it manages its own. Hidden and deleted steps were not sent.

Source: https://github.com/continuedev/continue, `continuedev/src/continuedev/core/main.py` of 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from budgeteer.engine.content.conversation import Conversation
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import numbered, text_value, title_of
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly
from budgeteer.formats.reading.importing import imported_from_entries


def detect(document: Document) -> str | None:
    """Why a document is an older session of Continue, None when it is not."""
    if mostly(document, lambda value: any("class_name" in _step(node) for node in _nodes(value)[:5])):
        return "holds a `timeline` of steps with their `class_name`, as Continue kept it in 2023"
    return None


def _nodes(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    history = value.get("history")
    return mappings(history.get("timeline")) if isinstance(history, OBJECT) else []


def _step(node: Mapping[str, Any]) -> Mapping[str, Any]:
    step = node.get("step")
    return step if isinstance(step, OBJECT) else {}


def read(document: Document) -> Imported:
    """Read the chat of every session.

    Raises:
        FormatError: no step is in it.
    """
    return imported_from_entries(document, _conversation, "Continue", without="no step that was sent")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    notes = document.notes
    raws: list[tuple[int, Any]] = []
    for number, node in enumerate(_nodes(entry.value), 1):
        step = _step(node)
        if step.get("hide") is True or node.get("deleted") is True:
            notes.count("Steps that were hidden or deleted, which were not sent, left out", of=node)
            continue
        raws += ((number, raw) for raw in _sent(step))
        notes.leave_out([node.get("observation"), node.get("logs"), node.get("context_used")])
    notes.leave_out({key: held for key, held in entry.value.items() if key not in ("history", "session_info")})
    messages = numbered(messages_of(raws, notes, skipped, f"{entry.where}, step "), notes)
    about = entry.value.get("session_info")
    info: Mapping[str, Any] = about if isinstance(about, OBJECT) else {}
    title = text_value(info.get("title")) or title_of(messages, document.stem or f"Session {entry.number}")
    return Conversation(text_value(info.get("session_id"))[:200] or f"c{entry.number}", title, messages)


def _sent(step: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The messages of a step; of a prompt without one, what was typed."""
    said = mappings(step.get("chat_context"))
    yield from ({key: held for key, held in raw.items() if key != "summary"} for raw in said)
    typed, told = text_value(step.get("user_input")), text_value(step.get("description"))
    if typed and not said:
        yield {"role": "user", "content": typed}
    elif told and not typed and step.get("manage_own_chat_context") is not True:
        yield {"role": "assistant", "content": told}
