"""Reduce a report to titles and sizes: everything of numbers only, the names of library items and files, no text.

A name is let through where its section has names of its own (a message's is cut from its text), and only if no
RUN_CHARS characters of it stand in a message. The prompt keeps its pieces, each with its role, fate and length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ROLES,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.packing.ledger import FATES
from budgeteer.engine.packing.result import Packing
from budgeteer.reports.document import Document
from budgeteer.reports.levels.text_runs import names_within
from budgeteer.reports.redaction import numbers_only

TITLED_SECTIONS: Final = frozenset({"system", "tools", "skills", "features"})
"""Sections whose items are called by a name of their own; a chunk or a message is called by its first words."""

_ROLES: Final = frozenset({*ROLES, "tools", ""})
_NOT_SENT: Final = frozenset({"dropped", "summarised"})
"""Fates of what a placeholder stands for: a piece of no message, in no role (see rendering.text.render_spans)."""


def redacted(document: Mapping[str, Any], *, message_texts: Iterable[str]) -> Document:
    """A copy of a full report with titles and sizes, and no text.

    Args:
        document: the full report.
        message_texts: the texts of every message that went into its packing, sent or not.

    Raises:
        FormatError: a value is not of its kind.
    """
    safe = numbers_only(document)
    given = document["packing"]["decisions"]
    titles = {at: each["name"] for at, each in enumerate(given) if each["section"] in TITLED_SECTIONS}
    files = [each["name"] for each in document["inputs"]]
    quoted = names_within({*titles.values(), *files}, message_texts)
    for at, title in titles.items():
        if title and title not in quoted:
            safe["packing"]["decisions"][at]["name"] = title
    for each, name in zip(safe["inputs"], files, strict=True):
        each["name"] = each["name"] if name in quoted else name
    ordinals = {of["id"]: each["id"] for of, each in zip(given, safe["packing"]["decisions"], strict=True)}
    safe["prompt"] = [_piece(each, ordinals) for each in document["prompt"]]
    return safe


def _piece(span: Mapping[str, Any], ordinals: Mapping[str, str]) -> dict[str, Any]:
    """A piece of the prompt with its length in the place of its text; a placeholder that only counts stays."""
    text = span["text"]
    only_counts = span["id"] is None and not span["role"] and span["fate"] in _NOT_SENT
    return {
        "id": ordinals.get(span["id"]),
        "role": span["role"] if span["role"] in _ROLES else "",
        "fate": span["fate"] if span["fate"] in FATES else "kept",
        "text": text if only_counts else f"[masked: {len(text):,} characters]",
    }


def message_texts(packing: Packing) -> Iterator[str]:
    """The texts of every message that went into a packing: system, history, query; calls' arguments and results too."""
    bundle = packing.bundle
    for text in bundle.system:
        yield text.text
    for message in bundle.history:
        yield from texts_of(message)
    if bundle.query is not None:
        yield from texts_of(bundle.query)


def texts_of(message: Message) -> Iterator[str]:
    """The texts of one message's parts."""
    for part in message.parts:
        yield from _texts_in(part)


def _texts_in(part: Part) -> Iterator[str]:
    match part:
        case TextPart(text=text) | ReasoningPart(text=text):
            yield text
        case ToolCallPart(arguments=arguments):
            yield arguments
        case FilePart(name=name):
            yield name
        case OpaquePart(raw=raw):
            yield compact_json(raw)
        case ToolResultPart(content=content):
            for inner in content:
                yield from _texts_in(inner)
        case _:
            return
