"""Rows of a question with what was said before it, and no reply, as sets of questions to an assistant have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.formats.messages.numbering import first_text
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.envelopes.chat_messages import is_message

_HISTORY: Final = "history"
_ASKED: Final = ("question", "query")
_TOLD: Final = ("output", "response", "answer", "completion")
_READ: Final = frozenset({_HISTORY, *_ASKED, "id", "conversation_id", "task_id"})


def is_asked_behind(value: Any) -> bool:
    """Whether a row has a column for a question behind messages, of which the last may be it, and none for a reply."""
    given = value.get(_HISTORY) if isinstance(value, OBJECT) else None
    if not isinstance(given, list) or not given or not all(map(is_message, given)):
        return False
    return _is_open(value) and any(isinstance(value.get(key), str) for key in _ASKED)


def with_question(value: Any) -> Any:
    """A row with its question as the last message of its history; anything else as it is."""
    given = value.get(_HISTORY) if isinstance(value, OBJECT) else None
    if not isinstance(given, list):
        return value
    question = _question(value)
    if not question.strip() or _repeats(given, question):
        return value
    return {**value, _HISTORY: [*given, {"role": "user", "content": question}]}


def beside_question(value: Mapping[str, Any]) -> list[Any]:
    """What stands in a row beside its question and its history."""
    return [held for key, held in value.items() if key not in _READ and isinstance(held, str | list | Mapping) and held]


def _question(value: Mapping[str, Any]) -> str:
    """What a row asks, "" where it asks nothing, or is answered."""
    return first_text(value, _ASKED) if _is_open(value) else ""


def _is_open(value: Mapping[str, Any]) -> bool:
    return not any(value.get(key) for key in _TOLD)


def _repeats(history: Sequence[Any], question: str) -> bool:
    """Whether the last of the messages is a question already."""
    last = history[-1] if history else None
    said = last.values() if isinstance(last, OBJECT) else ()
    return any(isinstance(text, str) and text.strip() == question.strip() for text in said)
