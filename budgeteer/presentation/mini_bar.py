"""The budget bar as one line of a list: demand against the limit, without text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgeteer.presentation.bar import BarPiece, Share, cut_at_limit, limit_px, place
from budgeteer.presentation.bar_labels import Variant, percent


@dataclass(frozen=True, slots=True)
class MiniBarPart:
    """One stretch of a strip: its place and width in percent, and its classes."""

    left: str
    span: str
    css: str
    is_solid: bool


@dataclass(frozen=True, slots=True)
class MiniBar:
    """The bar as a line of a list: what is asked for against the limit, with no text of its own."""

    sentence: str
    parts: tuple[MiniBarPart, ...]
    limit_at: str


STRIP = Variant("strip", 240.0, 1, full_labels=False)


def draw_strip(shares: Sequence[Share], *, limit: int) -> MiniBar:
    """What is sent, then what is free up to the limit, then what is not sent, on a scale of its own."""
    sent = sum(share.sent_tokens for share in shares)
    asked = sent + sum(share.not_sent_tokens for share in shares)
    within, past_limit = cut_at_limit(shares, limit=limit)
    not_sent = [BarPiece("notSent", share.letter, share.name, share.not_sent_tokens) for share in shares]
    segments = place([piece for piece in (*within, *past_limit, *not_sent) if piece.tokens > 0], STRIP)
    return MiniBar(
        sentence=f"{sent:,} tokens sent, limit {limit:,}; {asked:,} requested",
        parts=tuple(MiniBarPart(s.left, s.span, s.css, s.is_solid) for s in segments),
        limit_at=percent(limit_px(segments), STRIP),
    )
