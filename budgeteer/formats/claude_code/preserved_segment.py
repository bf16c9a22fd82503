"""Messages that a compaction of newer Claude Code kept verbatim (`compactMetadata.preservedSegment`).

They stand before the boundary in the file and keep their parents there; when the session is read again they follow the
line named `anchorUuid` (the summary, or the boundary itself), from `headUuid` to `tailUuid`, and what hung under the
anchor follows them. Only the last boundary's segment counts, and only if the way from its tail leads to its head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from budgeteer.formats.claude_code.session_lines import SessionRecord
from budgeteer.formats.messages.numbering import text_value


@dataclass(frozen=True, slots=True)
class PreservedSegment:
    """A segment by the places of its lines.

    Attributes:
        anchor: the line it follows.
        tail: its last line.
        places: all its lines.
        parents: the lines whose parent is another one after the compaction, with that parent.
        summary: the boundary and the lines between it and the segment or behind it.
    """

    anchor: int
    tail: int
    places: frozenset[int]
    parents: Mapping[int, int]
    summary: frozenset[int]

    def order(self, place: int) -> tuple[int, int]:
        """Where a line stands after the compaction: up to the anchor, in the segment, after it."""
        return (1 if place in self.places else 0 if place <= self.anchor else 2, place)

    def goes_on(self, place: int) -> bool:
        """Whether the branch goes on before a summary, because the segment stands between it and the boundary."""
        return place in self.parents


def preserved_segment(
    records: Sequence[SessionRecord], by_uuid: Mapping[str, int], parent: Callable[[int], int | None]
) -> PreservedSegment | None:
    """The segment that the last compaction kept, None when it kept none or the file does not hold all of it."""
    boundary = next((i for i in range(len(records) - 1, -1, -1) if records[i].is_compaction), None)
    metadata = None if boundary is None else records[boundary].raw.get("compactMetadata")
    given = metadata.get("preservedSegment") if isinstance(metadata, Mapping) else None
    if boundary is None or not isinstance(given, Mapping):
        return None
    named = [by_uuid.get(text_value(given.get(key))) for key in ("headUuid", "tailUuid", "anchorUuid")]
    head, tail, anchor = named
    if head is None or tail is None or anchor is None:
        return None
    places: set[int] = set()
    at: int | None = tail
    while at is not None and at not in places and head not in places:
        places.add(at)
        at = parent(at)
    if head not in places:
        return None
    under = [i for i, record in enumerate(records) if record.parent == records[anchor].uuid and i not in places]
    between = [i for i in range(boundary, len(records)) if records[i].is_summary]
    return PreservedSegment(
        anchor=anchor,
        tail=tail,
        places=frozenset(places),
        parents={**dict.fromkeys(under, tail), head: anchor},
        summary=frozenset((boundary, anchor, *between)),
    )
