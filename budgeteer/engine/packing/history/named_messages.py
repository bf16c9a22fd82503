"""What a configuration says of single messages by their ids: priorities, and which messages are kept together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.config.schema import HistoryConfig
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.view import HistoryView, of_groups


@dataclass(frozen=True, slots=True)
class NamedMessages:
    """The rows of messages that `history.priorities` and `history.keepWith` name; ids that nobody has are left out."""

    priorities: Mapping[int, int]
    pairs: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, config: HistoryConfig, ids: Sequence[str]) -> NamedMessages:
        """By the ids of a history's messages, in its order."""
        named = {*config.priorities, *config.keep_with, *config.keep_with.values()}
        rows = {key: row for row, key in enumerate(ids) if key in named}
        pairs = [(rows[one], rows[other]) for one, other in config.keep_with.items() if {one, other} <= rows.keys()]
        return cls({rows[key]: value for key, value in config.priorities.items() if key in rows}, pairs)

    def moved(self, rows: Ints) -> NamedMessages:
        """The same where messages stand elsewhere; `rows` are the earlier rows of what is there now, -1 for the new."""
        now = {earlier: at for at, earlier in enumerate(rows.tolist()) if earlier >= 0}
        pairs = [(now[one], now[other]) for one, other in self.pairs if one in now and other in now]
        return NamedMessages({now[row]: value for row, value in self.priorities.items() if row in now}, pairs)

    def applied(self, view: HistoryView) -> HistoryView:
        """The view with priorities, and with one group for messages that are kept together."""
        if self.priorities:
            priority = np.zeros(len(view), np.int64)
            priority[list(self.priorities)] = list(self.priorities.values())
            view = replace(view, priority=priority)
        if not self.pairs:
            return view
        group = merged_groups(view.group, self.pairs)
        beside = of_groups(group, view.system & view.alive)
        return replace(view, group=group, pinned=of_groups(group, view.pinned), beside_system=beside)


def merged_groups(group: Ints, pairs: Sequence[tuple[int, int]]) -> Ints:
    """The groups with those of each pair of rows made one, under the smaller number."""
    parent = list(range(int(group.max(initial=-1)) + 1))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for one, other in pairs:
        first, second = sorted((root(int(group[one])), root(int(group[other]))))
        parent[second] = first
    roots = np.array([root(number) for number in range(len(parent))], np.int64)
    return roots[group]
