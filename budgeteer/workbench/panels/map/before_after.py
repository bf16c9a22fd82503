"""Two comparisons of one packing: each component before and after its rules, and feature specs in both modes."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.analysis.before_after import Component, before_after
from budgeteer.engine.analysis.feature_modes import FeatureModes, feature_modes
from budgeteer.engine.packing.result import Packing


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One component: its name, and on either side where it is sent and its tokens."""

    name: str
    before_where: str
    before_tokens: str
    after_where: str
    after_tokens: str


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The table, its sums, and a sentence on the modes of feature specs ("" where there are none)."""

    rows: tuple[ComparedRow, ...]
    before_total: str
    after_total: str
    modes_sentence: str


def comparison_of(packing: Packing) -> BeforeAfter:
    """Everything loaded before the user's first message, beside what is sent."""
    components = before_after(packing)
    modes = feature_modes(
        packing.bundle, packing.config.features, pins=frozenset(packing.config.pins), texts=packing.config.texts
    )
    return BeforeAfter(
        rows=tuple(map(_row, components)),
        before_total=f"{sum(one.before.size.tokens for one in components):,}",
        after_total=f"{sum(one.after.size.tokens for one in components):,}",
        modes_sentence=_sentence(modes) if modes else "",
    )


def _row(one: Component) -> ComparedRow:
    before, after = one.before, one.after
    return ComparedRow(one.name, before.where, f"{before.size.tokens:,}", after.where, f"{after.size.tokens:,}")


def _sentence(modes: FeatureModes) -> str:
    own = modes.tool.tokens + modes.instructions.tokens
    wanted = f"a search for {', '.join(modes.keywords)}" if modes.keywords else "the list of files, without a keyword,"
    return (
        f"All {modes.specs:,} feature specs take {modes.all.tokens:,} tokens; {wanted} takes {modes.search.tokens:,}. "
        f"A model that searches by itself carries a tool and instructions of {own:,} instead."
    )
