"""The entries of a pi session: which branch they belong to, and what a compaction keeps.

Sources: pi's own session format (`session-manager`, versions 1 to 3). Version 1 has no ids: each entry follows the
line before it, and a compaction names the first entry it keeps by its place in the file (`firstKeptEntryIndex`, the
header is 0). Later versions have `id` and `parentId`, and `firstKeptEntryId`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.branches import other_leaves, path_to
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.entries import Entry, mappings

_SAYING: Final = frozenset({"message", "custom_message", "branch_summary", "compaction"})
_UNFINISHED: Final = frozenset({"aborted", "error"})


@dataclass(frozen=True, slots=True)
class PiRecord:
    """One entry: what finds its place is held, its contents are read from the file where that is too large to hold.

    Attributes:
        entry: what it was read from.
        kind: its type, "unreadable" for a message without a role.
        id: its id, "" for none.
        parent: the id of the entry before it, None where entries follow the line above.
        role: the role of its message, "" where it has none.
        model: the model that it names.
        reported: of a reply what was reported of its request.
    """

    entry: Entry
    kind: str
    id: str
    parent: str | None
    role: str
    model: str
    reported: RecordedRequest | None

    @property
    def number(self) -> int:
        """Its place in the file."""
        return self.entry.number

    @property
    def raw(self) -> Mapping[str, Any]:
        """The whole of it."""
        return self.entry.value

    @property
    def message(self) -> Mapping[str, Any]:
        """Its API message, {} where it has none."""
        message: Mapping[str, Any] = self.entry.value["message"] if self.kind == "message" else {}
        return message

    @property
    def is_message(self) -> bool:
        """Whether the model read or wrote it."""
        return self.kind in _SAYING

    @property
    def is_said(self) -> bool:
        """Whether it is more than a text that an extension put in."""
        return self.is_message and self.kind != "custom_message"


@dataclass(frozen=True, slots=True)
class PiBranch:
    """One branch.

    Attributes:
        records: what the model would see of it, the last compaction first; everything when that was wanted.
        entire: all its entries.
        model: the model of the last reply or change.
        reported: what was reported of the requests that came back after the last compaction, or of all where
            everything was wanted; each with the line of its reply.
    """

    records: list[PiRecord]
    entire: list[PiRecord] = field(default_factory=list)
    compactions: int = 0
    before: int = 0
    model: str = ""
    reported: tuple[tuple[int, RecordedRequest], ...] = ()


def records_of(entries: Iterable[Entry], notes: Notes, skipped: list[Skipped]) -> list[PiRecord]:
    """Every entry; those that are no messages are counted by their type, unreadable messages are skipped."""
    records: list[PiRecord] = []
    for entry in entries:
        value = entry.value
        kind = text_value(value.get("type")) or "line without a type"
        given = value.get("message")
        message = given if kind == "message" and isinstance(given, Mapping) else {}
        if kind == "message" and not text_value(message.get("role")):
            why = "a `message` line without a readable message"
            skipped.append(Skipped(entry.where, why, compact_json(value)[:500]))
            kind = "unreadable"
        elif kind not in _SAYING:
            notes.leave_line(kind, None)
            notes.leave_entries((entry.number,))
        role = text_value(message.get("role"))
        parent = text_value(value["parentId"]) if "parentId" in value else None
        if records and parent == records[-1].id:
            parent = records[-1].id
        records.append(
            PiRecord(
                entry=entry,
                kind=sys.intern(kind),
                id=text_value(value.get("id")),
                parent=parent,
                role=sys.intern(role),
                model=sys.intern(text_value(value.get("modelId")) or text_value(message.get("model"))),
                reported=_recorded(message) if role == "assistant" else None,
            )
        )
    return records


class PiTree:
    """Parents by position in the list of records."""

    def __init__(self, records: Sequence[PiRecord]) -> None:
        self.records = records
        self.place_of = {
            record.id: place for place, record in enumerate(records) if record.kind != "session" and record.id
        }
        self._sessions = {record.id for record in records if record.kind == "session"}
        self._calls: dict[str, int] | None = None

    def parent(self, place: int) -> int | None:
        """The entry before this one: by `parentId` where entries have one, else the line above."""
        parent = self.records[place].parent
        if parent is not None:
            above = self.place_of.get(parent)
            if above is not None or not parent or parent in self._sessions:
                return above
            called = self._call(parent, place)
            return self._behind_unread(place) if called is None else called
        return place - 1 if place else None

    def _behind_unread(self, place: int) -> int | None:
        """The entry above lines that could not be read, below which one stands whose parent was among them."""
        is_gap = place > 0 and self.records[place].number - self.records[place - 1].number > 1
        return place - 1 if is_gap and self.records[place - 1].kind != "session" else None

    def _call(self, given: str, place: int) -> int | None:
        """The reply before an entry that made a call: OpenClaw's results name that instead of the reply."""
        if self._calls is None:
            replies = ((at, one.message) for at, one in enumerate(self.records) if one.role == "assistant")
            calls = ((at, part) for at, message in replies for part in mappings(message.get("content")))
            self._calls = {text_value(part.get("id")): at for at, part in calls if part.get("type") == "toolCall"}
        at = self._calls.get(given)
        return at if at is not None and at < place else None

    def main(self, *, whole: bool) -> PiBranch:
        """The branch that ends in the last entry, which is where pi goes on."""
        return self.branch(len(self.records) - 1, whole=whole) if self.records else PiBranch([])

    def branch(self, leaf: int, *, whole: bool) -> PiBranch:
        """The branch that ends in an entry."""
        path = path_to(self.parent, leaf)
        last = max((at for at, place in enumerate(path) if self.records[place].kind == "compaction"), default=None)
        entire = [self.records[place] for place in path]
        seen = entire if whole or last is None else self._after(path, last)
        since = entire if whole or last is None else entire[last:]
        return PiBranch(
            records=seen,
            entire=entire,
            compactions=sum(record.kind == "compaction" for record in entire),
            before=sum(record.is_message for record in entire) - sum(record.is_message for record in seen),
            model=_model(entire),
            reported=tuple((one.number, one.reported) for one in since if one.reported is not None),
        )

    def other_leaves(self, main: PiBranch) -> list[int]:
        """Where the other branches end, the newest first; a text of an extension that nothing follows is none."""
        inside = {id(record) for record in main.entire}
        places = range(len(self.records) - 1, -1, -1)
        on_main = {place for place in places if id(self.records[place]) in inside}
        return other_leaves(self.parent, [place for place in places if self.records[place].is_said], on_main)

    def _after(self, path: Sequence[int], last: int) -> list[PiRecord]:
        """The compaction, what it kept of the entries before it, and what follows."""
        compaction = self.records[path[last]]
        first = self._first_kept(compaction)
        start = path.index(first, 0, last) if first in path[:last] else last
        kept = [self.records[place] for place in path[start:last] if self.records[place].kind != "compaction"]
        return [compaction, *kept, *(self.records[place] for place in path[last + 1 :])]

    def _first_kept(self, compaction: PiRecord) -> int | None:
        index = compaction.raw.get("firstKeptEntryIndex")
        if isinstance(index, int) and not isinstance(index, bool):
            return index
        return self.place_of.get(text_value(compaction.raw.get("firstKeptEntryId")))


def is_unfinished(message: Mapping[str, Any]) -> bool:
    """Whether a reply was broken off or failed: pi does not send it again."""
    return text_value(message.get("stopReason")) in _UNFINISHED


def _model(records: Sequence[PiRecord]) -> str:
    return next((record.model for record in reversed(records) if record.model), "")


def _recorded(reply: Mapping[str, Any]) -> RecordedRequest | None:
    """What the provider reported of a reply's request: pi writes what was cached beside `input`."""
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        return None
    given, read, written, output = (token_count(usage.get(k)) for k in ("input", "cacheRead", "cacheWrite", "output"))
    if not given + read + written:
        return None
    model = sys.intern(text_value(reply.get("model")))
    return RecordedRequest(0, given + read + written, read, written, output, model=model)
