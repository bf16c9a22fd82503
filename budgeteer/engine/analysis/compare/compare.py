"""Compare: two configurations on the same sources, item by item, and which difference moved each item.

That a difference moved an item is no guess: the first configuration is packed with that difference alone. Where none
does it alone, differences are taken away from the second configuration as long as the item stays where it is; what is
left then is a combination of which no part can be missed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from budgeteer.engine.analysis.compare.differences import Difference, differences, mixed
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.counting.library_measures import Progress
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.history.summary import extractive_summary
from budgeteer.engine.packing.ledger import SECTIONS, Decision, Size
from budgeteer.engine.packing.pack import Summariser, pack
from budgeteer.engine.packing.result import CountedWith, Packing

type BundleOf = Callable[[BudgetConfig], Bundle]
"""The same sources as a bundle for a configuration: measured with its tokenizer, with the use of skills it asks for."""
type _Place = tuple[int, int]
"""Where an item is: its fate, and the characters of it that are sent (tokens differ between tokenizers)."""


@dataclass(frozen=True, slots=True)
class MoveCause:
    """What moved an item.

    Attributes:
        paths: the difference that alone moves it, or a combination of which no part can be missed.
        others: further differences each of which would move it alone.
        rule, sentence: the decision on the side where it is not sent, or not whole.
    """

    paths: tuple[str, ...]
    others: tuple[str, ...]
    rule: str
    sentence: str

    @property
    def is_alone(self) -> bool:
        """Whether one difference does it."""
        return len(self.paths) == 1

    def to_json(self) -> dict[str, Any]:
        """`{paths, alone, others, rule, sentence}`."""
        return {
            "paths": list(self.paths),
            "alone": self.is_alone,
            "others": list(self.others),
            "rule": self.rule,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Moved:
    """One item whose fate or size is not the same on both sides; a side without it (an added text) is None."""

    id: str
    section: str
    name: str
    a: Decision | None
    b: Decision | None
    cause: MoveCause

    def to_json(self) -> dict[str, Any]:
        """`{id, section, name, a, b, cause}`; a side is `{fate, rule, sentence, tokens, chars}` or null."""
        return {
            "id": self.id,
            "section": self.section,
            "name": self.name,
            "a": _side(self.a),
            "b": _side(self.b),
            "cause": self.cause.to_json(),
        }


@dataclass(frozen=True, slots=True)
class SectionDelta:
    """One section on both sides: the items that are sent, and what it takes."""

    name: str
    a: CountedWith
    b: CountedWith

    def to_json(self) -> dict[str, Any]:
        """`{name, a, b, delta}`, each with items, tokens and chars."""
        delta = CountedWith(self.b.items - self.a.items, self.b.size - self.a.size)
        return {"name": self.name, "a": self.a.to_json(), "b": self.b.to_json(), "delta": delta.to_json()}


@dataclass(frozen=True)
class Comparison:
    """Two packings of the same sources.

    Attributes:
        a, b: the packings.
        differences: what the configurations differ in.
        moved: the items that are not in the same place, in prompt order.
    """

    a: Packing
    b: Packing
    differences: tuple[Difference, ...]
    moved: tuple[Moved, ...]

    @cached_property
    def sections(self) -> tuple[SectionDelta, ...]:
        """Every section that either side has."""
        sides = [{section.name: section.after for section in side.sections} for side in (self.a, self.b)]
        none = CountedWith(0, Size())
        return tuple(
            SectionDelta(name, sides[0].get(name, none), sides[1].get(name, none))
            for name in SECTIONS
            if name in sides[0] or name in sides[1]
        )

    @property
    def delta(self) -> Size:
        """What b sends more than a."""
        return self.b.total - self.a.total

    def to_json(self) -> dict[str, Any]:
        """`{a, b, delta, differences, sections, moved}`."""
        return {
            "a": _packing(self.a),
            "b": _packing(self.b),
            "delta": {**self.delta.to_json(), "uncached": self._dearer("uncached"), "cached": self._dearer("cached")},
            "differences": [difference.to_json() for difference in self.differences],
            "sections": [section.to_json() for section in self.sections],
            "moved": [moved.to_json() for moved in self.moved],
        }

    def _dearer(self, how: str) -> float | None:
        a, b = getattr(self.a.cost, how), getattr(self.b.cost, how)
        return None if a is None or b is None else round(b - a, 6)


def compare(
    bundle_of: BundleOf,
    a: BudgetConfig,
    b: BudgetConfig,
    *,
    summarise: Summariser = extractive_summary,
    progress: Progress | None = None,
) -> Comparison:
    """Both packings, and for every item that moved what moved it.

    Raises:
        ConfigError: one of the configurations cannot be used.
    """
    mixtures = _Mixtures(bundle_of, a, differences(a, b), summarise)
    first, second = mixtures.packed(()), mixtures.packed(mixtures.changes)
    before, after = _places(first), _places(second)
    rows = [{one: row for row, one in enumerate(_ids(side))} for side in (first, second)]
    found: list[Moved] = []
    moved = [one for one in dict.fromkeys((*before, *after)) if before.get(one) != after.get(one)]
    for one in moved:
        sides = (
            first.ledger.decision(rows[0][one]) if one in rows[0] else None,
            second.ledger.decision(rows[1][one]) if one in rows[1] else None,
        )
        paths, others = mixtures.cause(one, before.get(one), after.get(one))
        found.append(_moved(sides, paths, others))
        if progress is not None:
            progress(len(found), len(moved))
    found.sort(key=lambda one: SECTIONS.index(one.section))
    return Comparison(first, second, mixtures.changes, tuple(found))


def _moved(sides: tuple[Decision | None, Decision | None], paths: tuple[str, ...], others: tuple[str, ...]) -> Moved:
    """An item with what moved it; the rule is that of the side on which less of it is sent."""
    there = [side for side in sides if side is not None]
    least = min(there, key=lambda side: side.after.chars)
    cause = MoveCause(paths, others, least.rule, least.sentence)
    return Moved(least.id, least.section, least.name, *sides, cause)


class _Mixtures:
    """Packings of the first configuration with some of the second one's values, each made once."""

    def __init__(
        self, bundle_of: BundleOf, base: BudgetConfig, changes: tuple[Difference, ...], summarise: Summariser
    ) -> None:
        self._bundle_of = bundle_of
        self._base = base
        self._summarise = summarise
        self._places: dict[frozenset[str], dict[str, _Place] | None] = {}
        self.changes = changes

    def packed(self, changes: Sequence[Difference]) -> Packing:
        """The packing with these changes."""
        config = mixed(self._base, changes)
        counter = counter_for(tokenizer_of(config))
        return pack(self._bundle_of(config), config, counter=counter, summarise=self._summarise)

    def cause(self, one: str, before: _Place | None, after: _Place | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The paths that move an item from one place to the other, and further ones that would do it alone."""
        alone = [change.path for change in self.changes if self._moves((change,), one, before, after)]
        if alone:
            return (alone[0],), tuple(alone[1:])
        needed, looked_at = list(self.changes), 0
        while looked_at != len(needed):  # one that could not be missed may be, once another is gone
            looked_at = len(needed)
            for change in tuple(needed):
                fewer = [other for other in needed if other is not change]
                if self._moves(fewer, one, before, after):
                    needed = fewer
        return tuple(change.path for change in needed), ()

    def _moves(self, changes: Sequence[Difference], one: str, before: _Place | None, after: _Place | None) -> bool:
        """Whether these changes bring an item where it is in the end; where its fate differs, the fate is enough."""
        places = self._places_with(changes)
        if places is None:
            return False
        place = places.get(one)
        if place is None or after is None or before is None or before[0] == after[0]:
            return place == after
        return place[0] == after[0]

    def _places_with(self, changes: Sequence[Difference]) -> dict[str, _Place] | None:
        """Where everything is with these changes; None where they cannot be used without the others."""
        key = frozenset(change.path for change in changes)
        if key not in self._places:
            try:
                self._places[key] = _places(self.packed(changes))
            except ConfigError:
                self._places[key] = None
        return self._places[key]


def _ids(packing: Packing) -> list[str]:
    return [one for part in packing.ledger.parts for one in part.ids]


def _places(packing: Packing) -> dict[str, _Place]:
    ledger = packing.ledger
    places = zip(ledger.fate.tolist(), ledger.after_chars.tolist(), strict=True)
    return dict(zip(_ids(packing), places, strict=True))


def _side(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    sizes = {"before": decision.before.to_json(), "after": decision.after.to_json()}
    return {"fate": decision.fate, "rule": decision.rule, "sentence": decision.sentence, **sizes}


def _packing(packing: Packing) -> dict[str, Any]:
    cost = packing.cost
    return {
        "fits": packing.fits,
        "verdict": packing.verdict.sentence,
        "model": packing.model,
        "tokenizer": packing.tokenizer,
        "kind": packing.kind,
        "inputBudget": packing.input_budget,
        "total": packing.total.to_json(),
        "cost": {
            "currency": cost.currency,
            "uncached": cost.uncached,
            "cached": cost.cached,
            "priceDate": cost.price_date,
        },
    }
