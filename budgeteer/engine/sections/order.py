"""The order in which skills and tools are taken: as given, last used, most used, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Use:
    """How often a thing was used, and when last (any growing number: a position, a time; 0 for never)."""

    count: int = 0
    last: float = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What lifts one thing above another: its use (by path, or by name), pins by id, tools that kept history calls."""

    usage: Mapping[str, Use] = field(default_factory=dict)
    pins: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()


def ordered(
    keys: Sequence[tuple[str, str]], *, prioritization: str | None, usage: Mapping[str, Use]
) -> tuple[list[int], str]:
    """The indices of `keys` (name, path) in the order asked for, and a sentence that says what decided.

    `recent`: last used first; `frequent`: most used first; `alphabetical`; None: as given. Ties by name, then path.
    `usage` is by path, or by name for what has no path. With no use known at all the order is by name, and said.
    """
    everything = list(range(len(keys)))
    if prioritization is None:
        return everything, "in the order given"

    def by_name(index: int) -> tuple[str, str]:
        name, path = keys[index]
        return name.casefold(), path

    if prioritization == "alphabetical":
        return sorted(everything, key=by_name), "by name"
    uses = [usage.get(path or name, Use()) for name, path in keys]
    ranks = [use.count if prioritization == "frequent" else use.last for use in uses]
    if not any(ranks):
        return sorted(everything, key=by_name), "by name: no use of any of them is known"
    words = "most used first" if prioritization == "frequent" else "last used or changed first"
    return sorted(everything, key=lambda i: (-ranks[i], *by_name(i))), words
