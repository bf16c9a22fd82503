"""The result of an import: what was read, and everything that was not used, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    calls_of,
    results_of,
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
    rows = [_conversation_row(conversation) for conversation in imported.conversations]
    return {
        "format": imported.format,
        "reason": imported.reason,
        "kind": imported.kind,
        "counts": counts_of(imported),
        "conversations": rows,
        "skipped": [{"where": item.where, "why": item.why} for item in imported.skipped],
        "warnings": list(imported.warnings),
        "accounting": imported.accounting.to_json() if imported.accounting else None,
    }


def counts_of(imported: Imported) -> dict[str, int]:
    """How many of each thing an import found, sub-agents' runs included; what branches share counts once."""
    messages = 0
    kinds: Counter[type[Part]] = Counter()
    for message in _counted_messages(imported.conversations):
        messages += 1
        for part in message.parts if message is not None else ():
            kinds[type(part)] += 1
            if isinstance(part, ToolResultPart):
                kinds.update(map(type, part.content))
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


def _counted_messages(conversations: Sequence[Conversation]) -> Iterator[Message | None]:
    """Every message, None for one that is a text or nothing; one that stands in several branches once."""
    repeated = set(repeated_messages(conversations))
    every = (message for each in conversations for message in with_parts(outlines_of(each.messages)))
    return (message for place, message in enumerate(every) if place not in repeated)


def _conversation_row(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "messages": len(conversation.messages),
        "toolCalls": sum(len(calls_of(message)) for message in outlines_of(conversation.messages)),
        "toolResults": sum(len(results_of(message)) for message in outlines_of(conversation.messages)),
        "branches": conversation.branches,
        **({"branchOf": conversation.branch_of} if conversation.branch_of else {}),
    }
