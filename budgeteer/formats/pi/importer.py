"""Sessions of the pi coding agent: JSONL of entries, in newer versions a tree by `parentId`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.counting.lazy_messages import outlines_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.branches import with_branches
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
from budgeteer.formats.messages.outlines import lines_of
from budgeteer.formats.messages.recorded_requests import placed_requests
from budgeteer.formats.pi.session_messages import message_of, messages_of
from budgeteer.formats.pi.session_tree import PiBranch, PiRecord, PiTree, records_of
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, sampled

_OWN_LINES: Final = frozenset(
    {"model_change", "thinking_level_change", "compaction", "branch_summary", "custom_message"}
)

_PARTS_OF_OTHERS: Final = frozenset({"tool_use", "tool_result", "tool-call", "tool-result", "toolRequest"})
_STARTS_OF_OTHERS: Final = frozenset({"session_start", "start"})
_ROLES_OF_OTHERS: Final = frozenset({"tool", "function", "model"})
_FIELDS_OF_OTHERS: Final = frozenset({"convId", "tool_calls", "parts"})


def detect(document: Document) -> str | None:
    """Why a document is a pi session, None when it is not."""
    if not any(map(_is_of_others, sampled(document))) and mostly(document, _is_entry):
        return "has `message` lines whose `message` has the roles of pi"
    return None


def read(document: Document) -> Imported:
    """Read a session's main branch, the one that ends in the last entry, and offer its other branches.

    Raises:
        FormatError: the file holds no message.
    """
    skipped = list(document.skipped)
    notes = document.notes
    records = records_of(entries_of(document, skipped), notes, skipped)
    tree = PiTree(records)
    branch = tree.main(whole=document.options.whole)
    header = next((record.raw for record in records if record.kind == "session"), {})
    main = _conversation(branch, header, records, document, notes)
    if not main.messages:
        raise FormatError(
            f"This pi session holds no message, only {listed_counts(notes.other_lines) or 'its header'}",
            where=document.name,
            mend="Choose a session with `message` lines",
        )
    _say_compactions(main, notes)
    leaves = tree.other_leaves(branch)
    others = _others(tree, leaves, header, document)
    conversations = with_branches(main, others, notes, total=len(leaves))
    read = bytearray(max((record.number for record in records), default=0) + 1)
    for chat in conversations:
        for line in lines_of(outlines_of(chat.messages)):
            read[line] = 1
    beside = sum(record.kind == "custom_message" and not read[record.number] for record in records)
    made = max(chat.metadata["compactions"] for chat in conversations)
    notes.count("Texts of extensions beside the branches, left out", 0 if made else beside)
    notes.leave_entries(record.number for record in records if not read[record.number])
    return Imported(format="", reason="", kind="conversation", conversations=conversations, skipped=tuple(skipped))


def _is_entry(value: Mapping[str, Any]) -> bool:
    message = value.get("message")
    wrapped = value.get("type") == "message" and isinstance(message, Mapping) and "role" in message
    is_header = value.get("type") == "session" and "cwd" in value
    return wrapped or is_header or text_value(value.get("type")) in _OWN_LINES


def _is_of_others(value: Mapping[str, Any]) -> bool:
    """Whether an entry begins the session of another maker, or its message holds what pi does not write."""
    if text_value(value.get("type")) in _STARTS_OF_OTHERS:
        return True
    message = value.get("message")
    if not isinstance(message, Mapping):
        return False
    if text_value(message.get("role")) in _ROLES_OF_OTHERS or not _FIELDS_OF_OTHERS.isdisjoint(message):
        return True
    kinds = {text_value(part.get("type")) for part in mappings(message.get("content"))}
    return not kinds.isdisjoint(_PARTS_OF_OTHERS)


def _others(
    tree: PiTree, leaves: Sequence[int], header: Mapping[str, Any], document: Document
) -> Iterator[Conversation]:
    """The other branches, built when asked for; their notes would repeat those of the main one."""
    for leaf in leaves:
        branch = tree.branch(leaf, whole=document.options.whole)
        yield _conversation(branch, header, branch.entire, document, document.notes.fresh())


def _conversation(
    branch: PiBranch, header: Mapping[str, Any], records: Sequence[PiRecord], document: Document, notes: Notes
) -> Conversation:
    messages = numbered(messages_of(branch.records, notes), notes, place="line ")
    note_opaque(messages, notes)
    recorded = placed_requests(branch.reported, messages)
    title = _name(records) or _first_prompt(branch, document.stem or "Session")
    metadata: dict[str, Any] = {
        "source": "pi",
        "session": text_value(header.get("id")),
        "whole": document.options.whole,
        "compactions": branch.compactions,
        "messagesBeforeCompaction": branch.before,
    }
    origin = text_value(header.get("parentSession")) or text_value(header.get("branchedFrom"))
    if origin:
        metadata["forkedFrom"] = origin
    return Conversation(
        id=text_value(header.get("id")) or "c1",
        title=title,
        messages=messages,
        model=branch.model or text_value(header.get("modelId")),
        reported_input_tokens=recorded[-1].input_tokens if recorded else None,
        recorded=recorded,
        metadata=metadata,
    )


def _name(records: Sequence[PiRecord]) -> str:
    """The name a person gave the session last, "" for none."""
    given = (text_value(record.raw.get("name")) for record in reversed(records) if record.kind == "session_info")
    return short_line(next((name for name in given if name), ""))


def _first_prompt(branch: PiBranch, fallback: str) -> str:
    """The beginning of what the user typed first, also before a compaction; no more is read than that takes."""
    said = (message_of(record, Notes()) for record in branch.entire)
    return title_of((message for message in said if message is not None and message.typed), fallback)


def _say_compactions(chat: Conversation, notes: Notes) -> None:
    made = Compactions(chat.metadata["compactions"], chat.metadata["messagesBeforeCompaction"], "message line")
    note_compactions(notes, chat.title, made, whole=chat.metadata["whole"])
