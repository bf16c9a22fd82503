"""The budget bar as one line of a list: demand against the limit, without text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from budgeteer.engine.packing.ledger import DRAWN
from budgeteer.engine.packing.verdict_text import Level
from budgeteer.presentation.bar import BarPiece, BarSegment, Share, cut_at_limit, limit_px, place
from budgeteer.presentation.bar_labels import Variant, percent
from budgeteer.presentation.sent_words import SENT_WORDS


@dataclass(frozen=True, slots=True)
class MiniBarPart:
    """One stretch of a strip: its place and width in percent, and its classes."""

    left: str
    span: str
    css: str
    is_solid: bool


@dataclass(frozen=True, slots=True)
class MiniBar:
    """The bar as a line of a list: what is asked for against the limit, with no text of its own.

    `is_cut` where what is past the limit is longer than the strip: its end is drawn broken. `letters` are those of the
    categories that have a part, `has_free` and `has_unsent` whether there is one of what is free and not sent.
    """

    sentence: str
    parts: tuple[MiniBarPart, ...]
    limit_at: str
    letters: frozenset[str]
    has_free: bool
    has_unsent: bool
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class MiniBarLegend:
    """What the marks of a list's strips mean: letters with their categories, and which other marks there are."""

    categories: tuple[tuple[str, str], ...]
    has_free: bool
    has_unsent: bool


STRIP = Variant("strip", 240.0, 1)
#: Where the limit stands in every strip of a list, as a share of its width.
LIMIT_AT: Final = 0.6


def draw_strip(shares: Sequence[Share], *, limit: int, level: Level = "fits") -> MiniBar:
    """What is sent, then what is free up to the limit, then what is not sent, on a scale of its own."""
    segments = place([*_within(shares, limit), *_past(shares, limit)], STRIP)
    return _mini_bar(shares, limit, segments, limit_at=limit_px(segments), level=level)


def draw_listed_strip(shares: Sequence[Share], *, limit: int, level: Level = "fits") -> MiniBar:
    """The same for a list: every strip has its limit at one place, and what is past it stands on the same scale.

    What does not fit on the rest of the width fills it, and is marked as cut.
    """
    limit_at = LIMIT_AT * STRIP.width_px
    past = _past(shares, limit)
    whole = LIMIT_AT * sum(piece.tokens for piece in past) / max(limit, 1)
    share = min(1 - LIMIT_AT, whole)
    behind = (
        replace(one, x=one.x + limit_at, left=percent(one.x + limit_at, STRIP)) for one in place(past, STRIP, share)
    )
    segments = [*place(_within(shares, limit), STRIP, LIMIT_AT), *behind]
    strip = _mini_bar(shares, limit, segments, limit_at=limit_at, level=level)
    return replace(strip, is_cut=whole > share)


def legend_of(strips: Iterable[MiniBar]) -> MiniBarLegend | None:
    """The legend that these strips need, None for no strips."""
    drawn = list(strips)
    if not drawn:
        return None
    letters = frozenset[str]().union(*(strip.letters for strip in drawn))
    return MiniBarLegend(
        categories=tuple((letter, name) for letter, name in DRAWN.items() if letter in letters),
        has_free=any(strip.has_free for strip in drawn),
        has_unsent=any(strip.has_unsent for strip in drawn),
    )


def _within(shares: Sequence[Share], limit: int) -> list[BarPiece]:
    return [piece for piece in cut_at_limit(shares, limit=limit)[0] if piece.tokens > 0]


def _past(shares: Sequence[Share], limit: int) -> list[BarPiece]:
    """What is kept past the limit, and what is not sent."""
    not_sent = [BarPiece("notSent", share.letter, share.name, share.not_sent_tokens) for share in shares]
    return [piece for piece in (*cut_at_limit(shares, limit=limit)[1], *not_sent) if piece.tokens > 0]


def _mini_bar(
    shares: Sequence[Share], limit: int, segments: Sequence[BarSegment], *, limit_at: float, level: Level
) -> MiniBar:
    sent = sum(share.sent_tokens for share in shares)
    asked = sent + sum(share.not_sent_tokens for share in shares)
    return MiniBar(
        sentence=f"{sent:,} tokens {SENT_WORDS[level].past}, limit {limit:,}; {asked:,} requested",
        parts=tuple(MiniBarPart(s.left, s.span, s.css, s.is_solid) for s in segments),
        limit_at=percent(limit_at, STRIP),
        letters=frozenset(s.piece.letter for s in segments) & DRAWN.keys(),
        has_free=any(s.piece.kind == "free" for s in segments),
        has_unsent=any(s.piece.kind == "notSent" for s in segments),
    )
