"""Sets of instructions, completions and preferences: Alpaca, `prompt` and `completion`, `prompt`, `chosen`, `rejected`.

Certain: rows that have exactly one of those groups of columns, as texts or as lists of messages. What was rejected is a
branch beside what was chosen.
Source: https://huggingface.co/docs/trl/dataset_formats, and https://github.com/tatsu-lab/stanford_alpaca, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.branches import with_branches
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly
from budgeteer.formats.reading.envelopes import require

_ANSWERS: Final = ("completion", "response", "output", "answer")
_ASKED: Final = ("prompt", "question")
_TURN: Final = re.compile(r"\n\n(Human|Assistant): ?")
"""How a turn begins in a conversation that is one text (Anthropic's hh-rlhf)."""
_SYSTEM: Final = ("system", "system_prompt")


def detect(document: Document) -> str | None:
    """Why a document is a set of instructions or preferences, None when it is not."""
    for fits, what in (
        (_is_alpaca, "`instruction` and `output`, as Alpaca's"),
        (_is_written, "`chosen` and `rejected`, each a conversation as a text, as sets of preferences have"),
        (_is_preference, "`chosen` and `rejected`, as sets of preferences have"),
        (_is_pair, "`prompt` and `completion` or `response`, as sets of completions have"),
    ):
        if mostly(document, fits):
            return f"holds rows of {what}"
    return None


def _says(value: Any) -> bool:
    """Whether a column holds a text or messages."""
    return isinstance(value, str) or any("role" in raw and "content" in raw for raw in mappings(value)[:3])


def _is_alpaca(value: Mapping[str, Any]) -> bool:
    replied = any(isinstance(value.get(key), str) for key in ("output", "response"))
    return isinstance(value.get("instruction"), str) and replied


def _is_preference(value: Mapping[str, Any]) -> bool:
    alone = any(_says(value.get(key)) for key in _ASKED) or not isinstance(value.get("chosen"), str)
    return _says(value.get("chosen")) and _says(value.get("rejected")) and alone


def _is_pair(value: Mapping[str, Any]) -> bool:
    if "messages" in value:
        return False
    if "system_prompt" in value and isinstance(value.get("question"), str):
        return isinstance(value.get("response"), str)
    replied = _says(value.get("completion")) or isinstance(value.get("response"), str)
    return _says(value.get("prompt")) and replied


def _is_written(value: Mapping[str, Any]) -> bool:
    """Whether both answers are whole conversations as texts, a person's turns and an assistant's."""
    return all(bool(_TURN.match(text_value(value.get(key)))) for key in ("chosen", "rejected"))


def read(document: Document) -> Imported:
    """Read a conversation of each row.

    Raises:
        FormatError: no row has those columns.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for entry in entries_of(document, skipped):
        value = entry.value
        reply = next((key for key in ("chosen", *_ANSWERS) if _says(value.get(key))), "")
        if not reply:
            why = "no reply under " + ", ".join(("chosen", *_ANSWERS))
            skipped.append(Skipped(entry.where, why, compact_json(value)[:500]))
            continue
        main = _conversation(entry, reply, document.notes, skipped)
        others = [_conversation(entry, "rejected", document.notes.fresh(), skipped)] if "rejected" in value else []
        found += with_branches(main, others, document.notes, total=len(others))
    require(found, document, "instruction")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


def _conversation(entry: Entry, reply: str, notes: Notes, skipped: list[Skipped]) -> Conversation:
    value = entry.value
    draft = ConversationDraft(notes, f"{entry.where}, message ")
    for key in _SYSTEM:
        draft.add_all([Message("system", texts(value[key]))] if text_value(value.get(key)) else [])
    history = value.get("history")
    for pair in history if isinstance(history, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            draft.add(Message("user", texts(text_value(pair[0]))))
            draft.add(Message("assistant", texts(text_value(pair[1]))))
    said = list(_said(value.get(reply), "assistant", draft, skipped))
    asked = list(_asked(value, draft, skipped))
    if asked and [each.parts for each in said[: len(asked)]] == [each.parts for each in asked]:
        draft.notes.count("Prompts that the reply begins with, counted once", len(asked))
        asked = []
    draft.add_all(asked)
    draft.add_all(said)
    given = next((str(value[key]) for key in ("id", "task_id", "prompt_id") if value.get(key)), "")
    return draft.conversation(given or f"c{entry.number}", "", f"Row {entry.number}")


def _asked(value: Mapping[str, Any], draft: ConversationDraft, skipped: list[Skipped]) -> Iterator[Message]:
    instruction = text_value(value.get("instruction"))
    more = text_value(value.get("input")) or text_value(value.get("context"))
    if instruction:
        yield Message("user", texts(f"{instruction}\n\n{more}" if more.strip() else instruction))
        return
    for key in _ASKED:
        if _says(value.get(key)):
            yield from _said(value[key], "user", draft, skipped)
            return


def _written(text: str) -> Iterator[Message]:
    """The turns of a conversation that is one text."""
    turns = list(_TURN.finditer(text))
    for turn, after in zip_longest(turns, turns[1:]):
        said = text[turn.end() : after.start() if after else len(text)].strip()
        yield Message("user" if turn[1] == "Human" else "assistant", texts(said))


def _said(given: Any, role: str, draft: ConversationDraft, skipped: list[Skipped]) -> Iterator[Message]:
    if isinstance(given, str) and role == "assistant" and _TURN.match(given):
        yield from _written(given)
    elif isinstance(given, str):
        yield Message("user" if role == "user" else "assistant", texts(given))
    elif isinstance(given, list):
        yield from messages_of(tuple(enumerate(given, 1)), draft.notes, skipped, draft.place.removesuffix("message "))
