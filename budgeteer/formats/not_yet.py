"""Formats that are known but not read yet: named in a refusal, never read as something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from budgeteer.engine.errors import FormatError
from budgeteer.formats.conversations import text_value
from budgeteer.formats.document import Document

_SAMPLE = 40


def known_but_unread(document: Document) -> str | None:
    """The title of the format a document has when it is one that is not read yet."""
    rows = _rows(document)
    for title, fits in _ROW_FORMATS:
        if rows and sum(1 for row in rows if fits(row)) * 2 >= len(rows):
            return title
    value = document.value
    if isinstance(value, Mapping):
        for title, fits in _OBJECT_FORMATS:
            if fits(value):
                return title
    return None


def refuse_unread(title: str, *, where: str = "") -> FormatError:
    """The refusal of a known format."""
    return FormatError(
        f"This looks like {title}, which Budgeteer does not read yet",
        where=where,
        mend="Convert it to OpenAI chat or Anthropic messages, or name its format if this is a mistake",
    )


def _rows(document: Document) -> Sequence[Mapping[str, Any]]:
    """The first objects of a JSONL file or JSON array."""
    if document.shape == "jsonl":
        return [line.value for line in document.lines[:_SAMPLE]]
    if isinstance(document.value, list):
        return [item for item in document.value[:_SAMPLE] if isinstance(item, Mapping)]
    return []


def _typed(row: Mapping[str, Any]) -> str:
    return text_value(row.get("type"))


def _is_codex(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("payload"), Mapping) and _typed(row) in (
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    )


def _is_copilot(row: Mapping[str, Any]) -> bool:
    return "." in _typed(row) and isinstance(row.get("data"), Mapping)


def _is_pi(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    wrapped = _typed(row) == "message" and isinstance(message, Mapping) and "role" in message
    return wrapped or _typed(row) in ("model_change", "thinking_level_change")


type _Test = Callable[[Mapping[str, Any]], bool]

_ROW_FORMATS: tuple[tuple[str, _Test], ...] = (
    ("a Codex rollout", _is_codex),
    ("a Copilot CLI session", _is_copilot),
    ("a pi session", _is_pi),
)

_OBJECT_FORMATS: tuple[tuple[str, _Test], ...] = (("a Codex rollout", _is_codex),)
