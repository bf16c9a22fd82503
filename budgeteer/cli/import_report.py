"""The report of an import: as plain data, and as lines a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgeteer.cli.reading import KIND_WORDS
from budgeteer.cli.tables import shortened, table
from budgeteer.engine.chat import Conversation, ImagePart, Message, Part, ReasoningPart, ToolCallPart, ToolResultPart
from budgeteer.engine.errors import InputError
from budgeteer.formats.report import Imported

#: How much of a long report a person is shown; `--json` has all of it.
SHOWN_ROWS = 20


def import_report(imported: Imported) -> dict[str, Any]:
    """The report of an import as plain data: the shape `--json` prints."""
    return {
        "format": imported.format,
        "reason": imported.reason,
        "kind": imported.kind,
        "counts": _counts(imported),
        "conversations": [
            {
                "id": conversation.id,
                "title": conversation.title,
                "messages": len(conversation.messages),
                "toolCalls": _count(conversation, ToolCallPart),
                "toolResults": _count(conversation, ToolResultPart),
                "branches": conversation.branches,
            }
            for conversation in imported.conversations
        ],
        "skipped": [{"where": skipped.where, "why": skipped.why} for skipped in imported.skipped],
        "warnings": list(imported.warnings),
    }


def _counts(imported: Imported) -> dict[str, int]:
    conversations = imported.conversations

    def total(kind: type[Part]) -> int:
        return sum(_count(conversation, kind) for conversation in conversations)

    return {
        "conversations": len(conversations),
        "messages": sum(len(conversation.messages) for conversation in conversations),
        "toolCalls": total(ToolCallPart),
        "toolResults": total(ToolResultPart),
        "images": total(ImagePart),
        "reasoning": total(ReasoningPart),
        "skills": len(imported.skills),
        "tools": len(imported.tools) + sum(len(conversation.tools) for conversation in conversations),
        "features": len(imported.features),
        "chunks": len(imported.chunks),
        "skipped": len(imported.skipped),
    }


def _count(conversation: Conversation, kind: type[Part]) -> int:
    return sum(isinstance(part, kind) for message in conversation.messages for part in _parts(message))


def _parts(message: Message) -> Iterator[Part]:
    for part in message.parts:
        yield part
        if isinstance(part, ToolResultPart):
            yield from part.content


def conversation_number(file: str, imported: Imported, number: int) -> Conversation:
    """Conversation `number`, counted from 1.

    Raises:
        InputError: the file does not hold that many.
    """
    if number > len(imported.conversations):
        what = f"there is no conversation {number}"
        raise InputError(what, where=file, mend=f"The file holds {len(imported.conversations)}")
    return imported.conversations[number - 1]


def report_lines(file: str, imported: Imported) -> Iterator[str]:
    """The report as a person reads it."""
    yield f"{file}: {KIND_WORDS[imported.kind]}, read as {imported.format}"
    yield f"  {imported.reason}"
    counts = [(name, count) for name, count in _counts(imported).items() if count]
    if imported.text:
        counts.append(("characters", len(imported.text)))
    yield ""
    yield table(("what", "count"), counts, indent=2)
    if len(imported.conversations) > 1:
        rows = [
            (f"#{number}", len(one.messages), _count(one, ToolCallPart), shortened(one.title, 60))
            for number, one in enumerate(imported.conversations[:SHOWN_ROWS], start=1)
        ]
        yield ""
        yield table(("conversation", "messages", "calls", "title"), rows, indent=2)
        yield from _rest(len(imported.conversations))
    if imported.skipped:
        yield ""
        yield table(("not read", "why"), [(one.where, one.why) for one in imported.skipped[:SHOWN_ROWS]], indent=2)
        yield from _rest(len(imported.skipped))
    for warning in imported.warnings:
        yield f"  note: {warning}"


def _rest(total: int) -> Iterator[str]:
    if total > SHOWN_ROWS:
        yield f"  … and {total - SHOWN_ROWS:,} more; --json lists all"
