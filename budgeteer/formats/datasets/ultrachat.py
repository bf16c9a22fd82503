"""UltraChat: `data`, a list of texts that a person and an assistant said in turn, the person first.

Rows have an `id` and `data` alone: two texts at least, of which the first has several words.
Source: https://huggingface.co/datasets/stingning/ultrachat, and https://github.com/thunlp/UltraChat, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mostly
from budgeteer.formats.reading.envelopes import imported_from_entries

_SPEAKERS: Final[tuple[Role, ...]] = ("user", "assistant")
_WORDS: Final = 2
"""Words that the first text has more of: lists of names and values under `data` are no dialogue. Source: ours."""


def detect(document: Document) -> str | None:
    """Why a document is of UltraChat, None when it is not."""
    if mostly(document, _is_dialogue):
        return "holds `data` of texts in turn, as UltraChat does"
    return None


def _is_dialogue(value: Mapping[str, Any]) -> bool:
    said = value.get("data")
    if set(value) != {"id", "data"} or not isinstance(said, list) or len(said) < len(_SPEAKERS):
        return False
    return all(isinstance(text, str) for text in said) and len(said[0].split(maxsplit=2)) > _WORDS


def read(document: Document) -> Imported:
    """Read a conversation of each row.

    Raises:
        FormatError: no row has turns.
    """
    return imported_from_entries(document, _conversation, "UltraChat", without="no texts under `data`")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, f"{entry.where}, turn ")
    said = entry.value.get("data")
    for number, text in enumerate(said if isinstance(said, list) else (), 1):
        if isinstance(text, str):
            draft.add(Message(_SPEAKERS[(number - 1) % len(_SPEAKERS)], texts(text), line=number))
        else:
            skipped.append(Skipped(f"{entry.where}, turn {number}", "not a text", compact_json(text)[:500]))
    given = text_value(entry.value.get("id"))
    return draft.conversation(given or f"c{entry.number}", "", f"Row {entry.number}")
