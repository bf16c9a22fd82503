"""The packed prompt of a report, as page fragments and as plain text."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.presentation.labels import FATE_ICONS, FATE_NAMES, FATE_TONES
from budgeteer.reports.document import Document

NOT_SENT = frozenset({"dropped", "summarised"})
PIECES_A_PAGE = 100
PIECE_CHARS = 20_000
"""The most of one piece a page shows; the text file has the rest."""


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One stretch of the prompt; a piece that was not sent is a placeholder. `cut` says how much is not shown."""

    role: str
    fate: str
    icon: str
    tone: str
    label: str
    text: str
    is_sent: bool
    cut: str


def prompt_pieces(document: Document) -> list[PromptPiece]:
    """Every piece in prompt order."""
    return [_piece(each) for each in document["prompt"] or []]


def prompt_text(document: Document) -> str:
    """What is sent, as plain text: each piece under its role, placeholders left out."""
    pieces = [each for each in document["prompt"] or [] if each["fate"] not in NOT_SENT]
    return "\n\n".join(f"=== {each['role']} ===\n{each['text']}" for each in pieces) + "\n"


def _piece(span: dict[str, str]) -> PromptPiece:
    fate, text = span["fate"] or "kept", span["text"]
    shown = text[:PIECE_CHARS]
    return PromptPiece(
        role=span["role"],
        fate=fate,
        icon=FATE_ICONS.get(fate, "check"),
        tone=FATE_TONES.get(fate, "ok"),
        label=FATE_NAMES.get(fate, fate),
        text=shown,
        is_sent=fate not in NOT_SENT,
        cut=f"{len(text) - len(shown):,} more characters in the text file" if len(text) > len(shown) else "",
    )
