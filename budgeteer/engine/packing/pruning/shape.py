"""Validation input of compress ranges: the messages, the permitted cuts, and what is always kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.conversation import ROLES
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.packing.pruning.message_ids import Numbering

type Mask = NDArray[np.bool_]

_ASSISTANT = ROLES.index("assistant")


@dataclass(frozen=True, slots=True)
class HistoryShape:
    """One history as ranges see it, one entry a message.

    Attributes:
        numbering: the ids.
        first, last: the first and last message of the stretch that no range may cut: a group, with what stands in it.
        opener: the first of a stretch that shows its id: reasoning alone shows none, it goes with what it led to.
        stays: what no range covers: system texts and pinned groups. They stay in their place.
        bodies: number of a block that was read back -> what it says under its header.
    """

    numbering: Numbering
    first: Ints
    last: Ints
    opener: Ints
    stays: Mask
    bodies: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.first)


def leads(measures: MessageMeasures) -> Mask:
    """The messages of reasoning alone that lead to the assistant's message after them."""
    assistant = measures.role == _ASSISTANT
    found = np.zeros(len(measures), np.bool_)
    found[:-1] = assistant[:-1] & assistant[1:] & (measures.group[:-1] == measures.group[1:])
    return found


def shape_of(
    measures: MessageMeasures, numbering: Numbering, *, stays: Mask, bodies: Mapping[int, str]
) -> HistoryShape:
    """The shape of a measured history."""
    size = len(measures)
    rows = np.arange(size)
    ends = np.zeros(int(measures.group.max(initial=-1)) + 1, np.int64)
    np.maximum.at(ends, measures.group, rows)
    reach = np.maximum.accumulate(ends[measures.group]) if size else rows
    begins = np.concatenate([[True], reach[:-1] < rows[1:]])[:size].astype(np.bool_)
    stretch = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    last = np.append(first[1:], size) - 1
    lead = leads(measures)
    shown = np.flatnonzero(~lead)
    opener = shown[np.searchsorted(shown, first)] if size else first
    return HistoryShape(numbering, first[stretch], last[stretch], opener[stretch], stays, bodies)
