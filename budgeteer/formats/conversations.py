"""What every conversation importer shares: numbering, titles, and notes that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from budgeteer.engine.chat import Message, OpaquePart, Part, TextPart, ToolResultPart

TITLE_CHARACTERS = 80


@dataclass(slots=True)
class Notes:
    """What an import merged, replaced or did not know, counted; each becomes one sentence of the report."""

    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def add(self, sentence: str) -> None:
        """Count one more case of a sentence that holds `{n}`."""
        self.counts[sentence] += 1

    def sentences(self) -> tuple[str, ...]:
        """Every note with its number, unknown kinds last."""
        said = [sentence.replace("{n}", f"{count:,}") for sentence, count in self.counts.items()]
        if self.unknown:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in self.unknown.most_common(12))
            said.append(f"Kept as they came, without a reading of their own: {kinds}")
        return tuple(said)


def note_opaque(messages: Iterable[Message], notes: Notes) -> None:
    """Count the opaque parts of messages by kind."""
    for message in messages:
        for part in message.parts:
            inner = part.content if isinstance(part, ToolResultPart) else (part,)
            notes.unknown.update(piece.kind for piece in inner if isinstance(piece, OpaquePart))


def numbered(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with an id each: the source's own where it is there and unique, else `m1`, `m2`, … by position."""
    used: set[str] = set()
    result: list[Message] = []
    for position, message in enumerate(messages, 1):
        wanted = message.id or f"m{position}"
        unique, copy = wanted, 2
        while unique in used:
            unique, copy = f"{wanted}#{copy}", copy + 1
        used.add(unique)
        result.append(message if unique == message.id else replace(message, id=unique))
    return tuple(result)


def title_of(messages: Iterable[Message], fallback: str) -> str:
    """The beginning of the first user message that holds text, or the fallback."""
    for message in messages:
        if message.role == "user":
            line = short_line(first_text(message.parts))
            if line:
                return line
    return fallback


def first_text(parts: Iterable[Part]) -> str:
    """The text of the last text part (pasted references come before what the user typed), or ""."""
    texts = [part.text for part in parts if isinstance(part, TextPart) and part.text.strip()]
    return texts[-1] if texts else ""


def short_line(text: str) -> str:
    """A text as one short line: white space collapsed, cut at 80 characters with an ellipsis."""
    line = " ".join(text[: TITLE_CHARACTERS * 8].split())
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1].rstrip() + "…"


def text_value(value: Any) -> str:
    """A string as it is, "" for anything else."""
    return value if isinstance(value, str) else ""
