"""What the page of an evaluation is asked to show, as its address says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self
from urllib.parse import urlencode

from django.http import QueryDict

from budgeteer.collections.row_columns import LEVELS
from budgeteer.collections.row_search import SideChange, ValueRange
from budgeteer.engine.packing.verdict_text import level_of

VALUES: Final[Mapping[str, str]] = {"requested": "requested", "sent": "sent"}
DEFAULT_SESSIONS: Final = 1_000
MOST_SESSIONS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of the page.

    Attributes:
        config: the place of the configuration that is shown in detail.
        of: which tokens the chart shows, a key of VALUES.
        low, high: the bar that is looked at; both -1 for none.
        a, b: the pair of configurations whose verdicts are compared; both -1 where none is chosen.
        before, after: who changes sides between them; `before` is "" for nobody.
        sessions: how many sessions a day the costs are worked out for.
        page: of the list of conversations, from 1.
    """

    config: int = 0
    of: str = "requested"
    low: int = -1
    high: int = -1
    a: int = -1
    b: int = -1
    before: str = ""
    after: str = ""
    sessions: int = DEFAULT_SESSIONS
    page: int = 1

    @classmethod
    def read(cls, data: QueryDict, *, configs: int) -> Self:
        """What an address says; what makes no sense is the default."""

        def number(name: str, default: int, most: int) -> int:
            text = data.get(name, "")
            is_number = text.isascii() and text.isdigit() and len(text) < 16
            return int(text) if is_number and int(text) <= most else default

        before, after = data.get("before", ""), data.get("after", "")
        is_change = before in LEVELS and after in LEVELS and configs > 1
        # Of a pair that is chosen, an address may leave out the first two configurations.
        has_pair = configs > 1 and (is_change or "a" in data or "b" in data)
        return cls(
            config=number("config", 0, configs - 1),
            of=data.get("of", "") if data.get("of", "") in VALUES else "requested",
            low=number("low", -1, 10**15),
            high=number("high", -1, 10**15),
            a=number("a", 0, configs - 1) if has_pair else -1,
            b=number("b", 1, configs - 1) if has_pair else -1,
            before=before if is_change else "",
            after=after if is_change else "",
            sessions=max(number("sessions", DEFAULT_SESSIONS, MOST_SESSIONS), 1),
            page=max(number("page", 1, 10**7), 1),
        )

    @property
    def pair(self) -> tuple[int, int] | None:
        """The chosen pair, the earlier configuration first; None where no two are chosen."""
        a, b = self.sides
        is_chosen = a != b and (self.before or self.a >= 0)
        return (min(a, b), max(a, b)) if is_chosen else None

    @property
    def sides(self) -> tuple[int, int]:
        """The configurations before and after a change of sides: the first two where none are chosen."""
        return (self.a, self.b) if self.a >= 0 and self.b >= 0 else (0, 1)

    @property
    def wanted(self) -> ValueRange | SideChange | None:
        """The conversations that are listed, None for none."""
        if self.before:
            return SideChange(*self.sides, level_of(self.before), level_of(self.after))
        if self.low >= 0 and self.high >= self.low:
            return ValueRange(self.config, self.of, self.low, self.high)
        return None

    def query(self, **changes: Any) -> str:
        """The address's query with some of it changed, only what differs from the default; `?` in front."""
        changed = replace(self, **changes)
        plain = RunState()
        pairs = [
            (name, getattr(changed, name))
            for name in self.__dataclass_fields__
            if getattr(changed, name) != getattr(plain, name)
        ]
        return f"?{urlencode(pairs)}"
