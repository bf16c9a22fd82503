"""The samples on the first page, each with its measured bar and verdict.

The figures were measured by `scripts/make_samples.py` with the sample's own preset; a test measures them again.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from budgeteer.engine.packing.ledger import DRAWN
from budgeteer.presentation.bar import Share
from budgeteer.presentation.header import Glance, glance_of
from budgeteer.presentation.mini_bar import MiniBar, draw_strip
from budgeteer.samples import SAMPLES, Sample, measured


@dataclass(frozen=True, slots=True)
class SampleCard:
    """One sample with its figures. `strip` shows what is sent and what is not, on a scale of what is `requested`."""

    sample: Sample
    glance: Glance
    requested: str
    strip: MiniBar


@functools.cache
def sample_cards() -> tuple[SampleCard, ...]:
    """Every sample, in the order offered."""
    return tuple(_card(sample) for sample in SAMPLES)


def _card(sample: Sample) -> SampleCard:
    snapshot = measured(sample.slug)
    shares = tuple(Share(letter, DRAWN[letter], sent, not_sent) for letter, sent, not_sent in snapshot["shares"])
    limit = min(snapshot["limit"], sum(share.sent_tokens for share in shares))
    requested = sum(share.sent_tokens + share.not_sent_tokens for share in shares)
    return SampleCard(sample, glance_of(snapshot), f"{requested:,}", draw_strip(shares, limit=limit))
