"""The order of skills and tools: as given, last used, most used, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class OrderBasis(StrEnum):
    """What decided an order; the value is how a sentence says it."""

    AS_GIVEN = "in the order given"
    BY_NAME = "by name"
    BY_NAME_UNUSED = "by name: no use of any of them is known"
    MOST_USED = "most used first"
    LAST_USED = "last used or changed first"

    @property
    def reads_usage(self) -> bool:
        """Whether the order comes from how often or when things were used."""
        return self in {OrderBasis.MOST_USED, OrderBasis.LAST_USED}


@dataclass(frozen=True, slots=True)
class Use:
    """How often a thing was used, and when last (any growing number: a position, a time; 0 for never)."""

    count: int = 0
    last: float = 0


@dataclass(frozen=True, slots=True)
class Priority:
    """What lifts one thing above another: its use (by path, or by name), pins by id, tools that kept history calls.

    `leave_out` names the tools that are sent only where they are pinned or called.
    """

    usage: Mapping[str, Use] = field(default_factory=dict)
    pins: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    leave_out: frozenset[str] = frozenset()


def ordered(
    keys: Sequence[tuple[str, str]], *, prioritization: str | None, usage: Mapping[str, Use]
) -> tuple[list[int], OrderBasis]:
    """The indices of `keys` (name, path) in the order asked for, and what decided it.

    `recent`: last used first; `frequent`: most used first; `alphabetical`; None: as given. Ties by name, then path.
    `usage` is by path, or by name for what has no path. With no use known at all the order is by name, and said.
    """
    everything = list(range(len(keys)))
    if prioritization is None:
        return everything, OrderBasis.AS_GIVEN

    def by_name(index: int) -> tuple[str, str]:
        name, path = keys[index]
        return name.casefold(), path

    if prioritization == "alphabetical":
        return sorted(everything, key=by_name), OrderBasis.BY_NAME
    uses = [usage.get(path or name, Use()) for name, path in keys]
    ranks = [use.count if prioritization == "frequent" else use.last for use in uses]
    if not any(ranks):
        return sorted(everything, key=by_name), OrderBasis.BY_NAME_UNUSED
    decided = OrderBasis.MOST_USED if prioritization == "frequent" else OrderBasis.LAST_USED
    return sorted(everything, key=lambda i: (-ranks[i], *by_name(i))), decided
