"""Which groups of the form hold their fields: a group's fields are drawn when it is opened.

The form has some hundred settings, of which few are looked at. A page says which groups it has drawn and which stand
open (two headers, set by the script); a page that is loaded takes them from its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.presentation.labels import GROUP_TITLES

OPEN_HEADER: Final = "X-Groups-Open"
DRAWN_HEADER: Final = "X-Groups-Drawn"

#: The groups that stand open where the inputs are not known yet.
OPEN_AT_FIRST = frozenset({"model", "skillsBudget", "tools", "history"})

#: The groups that stand open on a page that says nothing, each with the inputs of which it needs one; () needs none.
_NEEDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "model": (),
        "skillsBudget": ("skills", "tools"),
        "tools": ("tools",),
        "history": ("history",),
        "features": ("features",),
        "retrieval": ("chunks",),
    }
)


def groups_with_inputs(bundle: Bundle) -> frozenset[str]:
    """The groups that stand open on a page that says nothing, by what there is to pack."""
    return frozenset(
        key for key, needs in _NEEDS.items() if not needs or any(len(getattr(bundle, one)) for one in needs)
    )


@dataclass(frozen=True, slots=True)
class DrawnGroups:
    """The keys of the groups that hold their fields (`drawn`) and of those that stand open (`opened`).

    `usual` are those that stand open on a page that says nothing.
    """

    drawn: frozenset[str]
    opened: frozenset[str]
    usual: frozenset[str] = OPEN_AT_FIRST

    @classmethod
    def at_first(cls, asked: str = "", *, usual: frozenset[str] = OPEN_AT_FIRST) -> Self:
        """Those of a page that is loaded; `asked` are the keys that its address names as well, comma separated."""
        opened = usual | _known(asked.split(","))
        return cls(opened, opened, usual)

    @classmethod
    def of_request(cls, headers: Mapping[str, str], *, asked: str, usual: frozenset[str]) -> Self:
        """Those of the page that sends this request; as at first where it does not say."""
        if DRAWN_HEADER not in headers:
            return cls.at_first(asked, usual=usual)
        drawn = _known(headers[DRAWN_HEADER].split())
        return cls(drawn, _known(headers.get(OPEN_HEADER, "").split()) & drawn, usual)

    @classmethod
    def every(cls) -> Self:
        """Every group drawn, for a page that is nothing but the form."""
        return cls(frozenset(GROUP_TITLES), OPEN_AT_FIRST)

    def asking_for(self, key: str) -> str:
        """What an address names so that this group stands open too."""
        return ",".join(name for name in GROUP_TITLES if name in (self.opened | {key}) - self.usual)


def _known(keys: list[str]) -> frozenset[str]:
    return frozenset(key for key in keys if key in GROUP_TITLES)
