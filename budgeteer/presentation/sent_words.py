"""How what is sent is named: a prompt that does not fit is not sent, and its figures say what would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from budgeteer.engine.packing.verdict_text import Level


@dataclass(frozen=True, slots=True)
class SentWords:
    """The words for one level: behind a number ("tokens sent"), of tokens ("are sent"), and of a side ("B sends")."""

    past: str
    passive: str
    verb: str

    @property
    def title(self) -> str:
        """As the head of a column."""
        return self.past.capitalize()


_SENT: Final = SentWords("sent", "are sent", "sends")
SENT_WORDS: Final[Mapping[Level, SentWords]] = MappingProxyType(
    {"fits": _SENT, "limited": _SENT, "cannotFit": SentWords("would be sent", "would be sent", "would send")}
)
