"""What a scan of a source found, as the source keeps it: kinds and places, and no value.

{"revision": 3, "isWhole": true, "items": 120, "rules": 26,
 "kinds": [{"kind": "AWS key", "values": 1, "places": 2}],
 "finds": [{"kind": "AWS key", "chars": 20, "count": 2,
            "places": [{"stream": "messages", "item": 13, "conversation": 0, "part": 0, "from": 120, "to": 140}]}]}

`item` counts from 0, in a conversation where there is one; `part` is the part of a message, None elsewhere; `from` and
`to` are characters of the text that stands there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from budgeteer.scanning.rules import PERSONAL
from budgeteer.scanning.scan import Find, Scan, ValueAt, kinds
from budgeteer.sources.files.contents import CONVERSATIONS, MESSAGES, Contents
from budgeteer.sources.scanning.item_texts import item_count

MOST_KEPT: Final = 100
"""The places of as many values are kept; of more, how many there are of each kind."""


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """In how many places of a source there is what looks like a secret, and what looks like personal data."""

    secrets: int
    personal: int

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> PlaceCounts:
        """Those of kept findings."""
        personal = sum(row["places"] for row in found["kinds"] if row["kind"] in PERSONAL)
        return cls(sum(row["places"] for row in found["kinds"]) - personal, personal)

    @property
    def sentence(self) -> str:
        """As in "2 places look like secrets, 3 like personal data"; "" where there are none."""
        if not self.secrets:
            return f"{_places(self.personal)} like personal data" if self.personal else ""
        told = f"{_places(self.secrets)} like {'a secret' if self.secrets == 1 else 'secrets'}"
        return f"{told}, {self.personal:,} like personal data" if self.personal else told


def _places(count: int) -> str:
    return "1 place looks" if count == 1 else f"{count:,} places look"


def findings_of(scan: Scan, contents: Contents, *, revision: int) -> dict[str, Any]:
    """What is kept of a scan of these contents."""
    starts = [row["start"] for row in contents.reader.read(CONVERSATIONS)]
    return {
        "revision": revision,
        "isWhole": scan.is_whole,
        "items": item_count(contents),
        "rules": len(kinds()),
        "kinds": _by_kind(scan.finds),
        "finds": [_kept(find, starts) for find in scan.finds[:MOST_KEPT]],
    }


def _by_kind(finds: Iterable[Find]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for find in finds:
        row = found.setdefault(find.kind, {"kind": find.kind, "values": 0, "places": 0})
        row["values"] += 1
        row["places"] += find.count
    return list(found.values())


def _kept(find: Find, starts: list[int]) -> dict[str, Any]:
    places = [_place(place, starts) for place in find.places]
    return {"kind": find.kind, "chars": len(find.value), "count": find.count, "places": places}


def _place(place: ValueAt, starts: list[int]) -> dict[str, Any]:
    stream, at, *inner = place.path
    item, conversation, part = int(at), None, None
    if stream == MESSAGES:
        conversation = bisect_right(starts, item) - 1
        item -= starts[conversation]
        part = inner[1] if inner[:1] == ["parts"] else None
    where = {"stream": stream, "item": item, "conversation": conversation, "part": part}
    return {**where, "from": place.start, "to": place.end}
