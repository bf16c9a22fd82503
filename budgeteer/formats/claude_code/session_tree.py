"""The branches of a Claude Code session: the one the model saw last, and the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from budgeteer.formats.claude_code.preserved_segment import preserved_segment
from budgeteer.formats.claude_code.session_lines import ABSENT, SessionRecord
from budgeteer.formats.messages.branches import other_leaves
from budgeteer.formats.messages.progress import ProgressHeartbeat


@dataclass(frozen=True, slots=True)
class SessionBranch:
    """One branch, in the order the model saw it.

    Attributes:
        records: its messages, after the last compaction unless the whole transcript was wanted.
        entire: its messages with what was compacted away.
        compactions: how often it was compacted.
        before_compaction: how many of `entire` are not in `records`.
        kept: lines of messages that the last compaction kept as they were; their usage is that from before it.
    """

    records: list[SessionRecord]
    entire: list[SessionRecord] = field(default_factory=list)
    compactions: int = 0
    before_compaction: int = 0
    kept: frozenset[int] = frozenset()


class _Places:
    """The places of the lines with an id; most ids have one."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._others: dict[str, list[int]] = {}

    def add(self, key: str, place: int) -> None:
        """Add a place."""
        if self._first.setdefault(key, place) != place:
            self._others.setdefault(key, []).append(place)

    def of(self, key: str) -> tuple[int, ...]:
        """The places with an id, in order of their lines."""
        first = self._first.get(key)
        return () if first is None else (first, *self._others.get(key, ()))


class SessionTree:
    """The lines of one run, with parents by their place in the list.

    Attributes:
        others: where the other branches end, the newest first.
        dangling: message lines whose parent is not in the file.
    """

    def __init__(self, records: Sequence[SessionRecord], *, whole: bool = False, telling: ProgressHeartbeat) -> None:
        self.records = records
        self.whole = whole
        self._over = telling.over
        self.by_uuid = {record.uuid: index for index, record in enumerate(self._over(records)) if record.uuid}
        self.linked = any(record.parent in self.by_uuid for record in records if record.is_message)
        lost = sum(1 for r in records if r.is_message and r.parent not in ("", ABSENT) and r.parent not in self.by_uuid)
        self.dangling = lost * self.linked
        self._by_message_id = _Places()
        self._answers = _Places()
        for index, record in enumerate(self._over(records)):
            if record.message_id:
                self._by_message_id.add(record.message_id, index)
            if record.kind == "user":
                for call_id in record.answers:
                    self._answers.add(call_id, index)
        self.segment = preserved_segment(records, self.by_uuid, self.parent)
        self.last = next((i for i in range(len(records) - 1, -1, -1) if records[i].is_message), None)
        self._is_compacted = any(record.is_boundary for record in records)
        self._main: set[int] = set() if self.last is None else self._entire(self.last)
        self.others = self._others()

    def main(self) -> SessionBranch:
        """The branch that ends in the last message."""
        return SessionBranch([]) if self.last is None else self.branch(self.last)

    def branch(self, leaf: int) -> SessionBranch:
        """The branch that ends in a message; after its last compaction unless the whole transcript is wanted.

        Lines that share a message id with the branch, and results that answer its calls, belong to it wherever they
        hang: parallel calls fork the tree without being a user's branch.
        """
        entire = self._main if leaf == self.last else self._entire(leaf)
        is_cut = self._is_compacted and not self.whole
        chosen = self._with_siblings(self._since_compaction(leaf)) if is_cut else entire
        segment = self.segment if self.segment and not self.whole and self.segment.anchor in chosen else None
        boundaries = sum(1 for index in self._over(entire) if self.records[index].is_compaction)
        summaries = sum(1 for index in self._over(entire) if self.records[index].is_summary)
        kept = [self.records[index].number for index in chosen if segment and index in segment.places]
        return SessionBranch(
            records=self._messages(sorted(chosen, key=segment.order) if segment else sorted(chosen)),
            entire=self._messages(sorted(entire)),
            compactions=max(boundaries, summaries),
            before_compaction=len(self._messages(entire - chosen)),
            kept=frozenset(kept),
        )

    def parent(self, index: int) -> int | None:
        """The line before this one; the line above where the file does not tell."""
        record = self.records[index]
        if record.parent in self.by_uuid:
            return self.by_uuid[record.parent]
        if record.context.logical_parent in self.by_uuid:
            return self.by_uuid[record.context.logical_parent]
        is_root = record.parent == "" and self.linked and not record.is_boundary
        return None if is_root or index == 0 else index - 1

    def _messages(self, places: Iterable[int]) -> list[SessionRecord]:
        return [self.records[index] for index in self._over(places) if self.records[index].is_message]

    def _entire(self, leaf: int) -> set[int]:
        """The lines from one up to its root, and the summary that stands beside messages kept through a compaction."""
        found: set[int] = set()
        for at in self._over(self._up(leaf)):
            if at in found:
                break
            found.add(at)
        if self.segment and self.segment.tail in found:
            found |= self.segment.summary
        return self._with_siblings(found)

    def _up(self, leaf: int) -> Iterator[int]:
        """A line, the line before it, and so on; in a circle without end."""
        at: int | None = leaf
        while at is not None:
            yield at
            at = self.parent(at)

    def _since_compaction(self, leaf: int) -> set[int]:
        """The lines from one up to the last compaction, through what that kept."""
        segment = self.segment
        found: set[int] = set()
        at: int | None = leaf
        while at is not None and at not in found:
            found.add(at)
            if self.records[at].is_boundary and not (segment and segment.goes_on(at)):
                break
            after = segment.parents.get(at) if segment else None
            at = self.parent(at) if after is None else after
        return found

    def _with_siblings(self, path: set[int]) -> set[int]:
        """The path with every line of its assistant messages and every result of their calls."""
        found = set(path)
        for message_id in {self.records[index].message_id for index in self._over(path)} - {""}:
            found.update(self._by_message_id.of(message_id))
        calls = {call_id for index in self._over(found) for call_id in self.records[index].calls}
        for call_id in self._over(calls - {""}):
            found.update(self._answers.of(call_id))
        return found

    def _others(self) -> list[int]:
        """The leaves outside the main branch, those left out that belong to another one by their message or call.

        An attachment that nothing follows is no branch.
        """
        covered = set(self._main)
        newest_first = [i for i in range(len(self.records) - 1, -1, -1) if self.records[i].is_talk]
        found: list[int] = []
        for leaf in other_leaves(self.parent, newest_first, covered):
            if leaf in covered:
                continue
            way: set[int] = set()
            for at in self._up(leaf):
                if at in covered or at in way:
                    break
                way.add(at)
            covered |= self._with_siblings(way)
            found.append(leaf)
        return found
