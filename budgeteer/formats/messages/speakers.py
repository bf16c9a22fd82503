"""Rows that say who spoke and what was said: under which columns, and the names of speakers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from budgeteer.engine.content.conversation import Role

ROLE_OF_SPEAKER: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("user", "human", "you", "me", "person"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "copilot", "chatgpt", "gpt", "claude", "gemini"), "assistant"),
    "system": "system",
}
"""By the name of a speaker in small letters."""

_SPEAKERS: Final = ("author", "speaker", "sender")
_SAID: Final = ("message", "text", "utterance")
_LOOKED_AT: Final = 40
"""As many rows as formats look at."""


def spoken_columns(names: Collection[str]) -> tuple[str, str] | None:
    """The columns of a row with its speaker and what was said, None where it has not one of each."""
    speaker = next((name for name in _SPEAKERS if name in names), "")
    said = next((name for name in _SAID if name in names), "")
    return (speaker, said) if speaker and said else None


def is_talk(rows: Iterable[Mapping[str, Any]], column: str) -> bool:
    """Whether the first rows name a person and a model, and nobody else: others are authors of anything."""
    roles = {ROLE_OF_SPEAKER.get(str(row.get(column)).strip().lower()) for row in islice(rows, _LOOKED_AT)}
    return {"user", "assistant"} <= roles and None not in roles
