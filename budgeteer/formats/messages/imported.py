"""The result of an import: what was read, and everything that was not used, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from budgeteer.engine.content.conversation import (
    Conversation,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.source_items import SourceItems
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.lazy_messages import outlines_of
from budgeteer.formats.messages.accounting import Accounting
from budgeteer.formats.messages.branches import repeated_messages, repeated_tools
from budgeteer.formats.messages.outlines import with_parts

type Kind = Literal["conversation", "skills", "tools", "features", "chunks", "text", "usage"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """One thing not read. `where` names a line or an entry; `line` is the text itself, cut to 500 characters."""

    where: str
    why: str
    line: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What an import did with what it found, as data; `Imported.warnings` says the same in sentences.

    Attributes:
        counted: (what was merged, moved, mended or left out, how often), in the order it was met.
        unknown: (kind, how many) of the parts of a provider's own kind, which are kept as they came.
        other_lines: (type, how many) of the lines that are no messages.
        said: everything that has no number, as sentences.
    """

    counted: tuple[tuple[str, int], ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()
    other_lines: tuple[tuple[str, int], ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported(SourceItems):
    """The result of one import: what was read, and the report on it.

    Attributes:
        format: the importer's name, e.g. "openai-chat", "claude-code", "skills-zip".
        reason: why this format was chosen, one sentence.
        kind: what kind of source this makes.
        usage: how often skills and tools were used and when last, by the names the file gives them.
        skipped: every line or entry that was not read, with its reason.
        warnings: sentences about what was merged, replaced, left out (base64, repeated results, unknown kinds).
        findings: the same as data, with every number apart.
        encoding: how the bytes were read ("utf-8", "utf-16", …).
        accounting: what became of the characters of the file; None where nobody kept account.
    """

    format: str
    reason: str
    kind: Kind
    usage: Mapping[str, Use] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    findings: Findings = Findings()
    encoding: str = "utf-8"
    metadata: dict[str, Any] = field(default_factory=dict)
    accounting: Accounting | None = None


def report_json(imported: Imported) -> dict[str, Any]:
    """The report as plain data: exactly what `budgeteer import --json` prints."""
    kinds = [_kinds_of(with_parts(outlines_of(each.messages))) for each in imported.conversations]
    rows = map(_conversation_row, imported.conversations, kinds)
    return {
        "format": imported.format,
        "reason": imported.reason,
        "kind": imported.kind,
        "counts": _counts(imported, kinds),
        "conversations": list(rows),
        "skipped": [{"where": item.where, "why": item.why} for item in imported.skipped],
        "warnings": list(imported.warnings),
        "accounting": imported.accounting.to_json() if imported.accounting else None,
    }


def counts_of(imported: Imported) -> dict[str, int]:
    """How many of each thing an import found, sub-agents' runs included; what branches share counts once."""
    return _counts(imported, [])


def _counts(imported: Imported, kinds_of_each: Sequence[Counter[type[Part]]]) -> dict[str, int]:
    """As counts_of; `kinds_of_each` are the parts of each conversation by kind, where they were counted before."""
    repeated = set(repeated_messages(imported.conversations))
    messages = sum(len(conversation.messages) for conversation in imported.conversations) - len(repeated)
    if kinds_of_each and not repeated:
        kinds = sum(kinds_of_each, Counter[type[Part]]())
    else:
        every = (one for each in imported.conversations for one in with_parts(outlines_of(each.messages)))
        kinds = _kinds_of(message for place, message in enumerate(every) if place not in repeated)
    carried = sum(len(conversation.tools) for conversation in imported.conversations)
    carried -= len(repeated_tools(imported.conversations))
    return {
        "conversations": len(imported.conversations),
        "messages": messages,
        "toolCalls": kinds[ToolCallPart],
        "toolResults": kinds[ToolResultPart],
        "images": kinds[ImagePart],
        "reasoning": kinds[ReasoningPart],
        "skills": len(imported.skills),
        "tools": len(imported.tools) + carried,
        "features": len(imported.features),
        "chunks": len(imported.chunks),
        "usage": len(imported.usage),
        "skipped": len(imported.skipped),
    }


def _kinds_of(messages: Iterable[Message | None]) -> Counter[type[Part]]:
    """How many parts of each kind messages have, those of their results too; None has none that is counted."""
    kinds: Counter[type[Part]] = Counter()
    for message in messages:
        for part in message.parts if message is not None else ():
            kinds[type(part)] += 1
            if isinstance(part, ToolResultPart):
                kinds.update(map(type, part.content))
    return kinds


def _conversation_row(conversation: Conversation, kinds: Counter[type[Part]]) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "messages": len(conversation.messages),
        "toolCalls": kinds[ToolCallPart],
        "toolResults": kinds[ToolResultPart],
        "branches": conversation.branches,
        **({"branchOf": conversation.branch_of} if conversation.branch_of else {}),
    }
