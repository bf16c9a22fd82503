"""Rows of a prompt with its reply that name the conversation they are of, as logs of applications have them.

Rows of one conversation are read as that conversation, in the order of their times. Those of data sets seldom name one,
and where each row names another, each is a conversation of its own.
Source: the messages of Dify's API (`conversation_id`, `query`, `answer`, https://docs.dify.ai), and what
`llm logs --json` prints (`conversation_id`, `prompt`, `response`, https://llm.datasette.io), and AnythingLLM's
`workspace_chats` (`workspaceId`, `thread_id`, whose `response` is a JSON text), 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, sampled

CONVERSATION: Final = (
    "conversation_id", "conversationid", "thread_id", "threadid", "session_id", "chat_id", "chatid", "workspaceid",
)  # fmt: skip
"""Columns that name the conversation of a row, in small letters; those that a row has name it together."""
_TIMES: Final = ("created_at", "createdat", "datetime_utc", "timestamp", "sent_at", "time", "date")
_ONE_ROW: Final = frozenset({"rejected", "chosen", "history"})
"""Columns of rows that are a conversation of their own, whatever they name."""


def talks_of(document: Document, skipped: list[Skipped]) -> Iterator[tuple[str, Sequence[Entry]]]:
    """The rows of each conversation under its name; each row alone, without a name, where they name none together."""
    if not _has_talks(document):
        yield from (("", (entry,)) for entry in entries_of(document, skipped))
        return
    talks: dict[str, list[Entry]] = {}
    for entry in entries_of(document, skipped):
        talks.setdefault(_name(entry.value), []).append(entry)
    for name, rows in talks.items():
        yield name, rows if name and _in_order(rows) else rows[::-1] if name else rows


def _has_talks(document: Document) -> bool:
    """Whether the first rows name conversations, and some of them the same one."""
    rows = sampled(document)
    names = [_name(row) for row in rows]
    return all(names) and len(set(names)) < len(names) and all(_ONE_ROW.isdisjoint(row) for row in rows)


def _name(row: Mapping[str, Any]) -> str:
    """The name of a row's conversation, "" where it names none."""
    named = {key.lower(): held for key, held in row.items() if key.lower() in CONVERSATION}
    held = (named.get(column) for column in CONVERSATION)
    return "/".join(str(one)[:200] for one in held if one and isinstance(one, str | int) and one is not True)


def _in_order(rows: Sequence[Entry]) -> bool:
    """Whether rows stand as they were said, and not from the newest on."""
    first, last = (next((row.value[key] for key in _TIMES if key in row.value), None) for row in (rows[0], rows[-1]))
    if isinstance(first, str) and isinstance(last, str):
        return first <= last
    if isinstance(first, int | float) and isinstance(last, int | float):
        return first <= last
    return True
