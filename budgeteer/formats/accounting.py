"""The accounting of an import: the strings of a file held against everything that was read of it or left out.

The strings of a file larger than `LOOKED_AT` are a sample of it. What was read is gone through once, and once more
where something seems to be missing. Messages that lie in a scratch file are seen as they are put there, of a large file
those near the lines of the sample.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from itertools import batched, chain, islice
from typing import Any, Final, NamedTuple

import numpy as np

from budgeteer.engine.content.conversation import Message
from budgeteer.engine.counting.lazy_messages import ConcatenatedMessages
from budgeteer.formats.field_table import OTHER_FILES, FieldPath, is_metadata, left_out_fields, markup_words, read_files
from budgeteer.formats.format import Format
from budgeteer.formats.messages.accounting import Accounting, largest
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.message_spool import MessageSpool, SpooledMessages
from budgeteer.formats.messages.outlines import merged_in, places_of
from budgeteer.formats.messages.string_ledger import (
    DEEPEST,
    StringLedger,
    characters_of,
    is_payload,
    json_in,
    strings_beside,
    strings_in,
    strings_of,
)
from budgeteer.formats.reading.archives import Archive
from budgeteer.formats.reading.decoding import without_surrogates
from budgeteer.formats.reading.document import HEAD_BYTES, Document
from budgeteer.formats.reading.lazy_jsonl import LazyLines
from budgeteer.formats.reading.lazy_members import MemberReader

LOOKED_AT: Final = 1_000_000
"""Characters of a file, about, whose strings are looked at; of a larger one a sample of so many. Source: ours."""

SAMPLED_FROM: Final = 20
"""Entries of a list or an object from which on a sample takes some of them; of fewer it takes all."""

_AT_ONCE: Final = 4_096
"""Messages whose ids and names are looked at together."""

_TOGETHER: Final = 16
"""Lines of a sample that are taken in a row, at most."""

_PLACES: Final = 256
"""Places of a file from which a sample is taken at least, if it has so many lines."""

_NEAR: Final = 16
"""Lines of a file between a string and the line at which its message is made: importers join a few."""

_SEEN, _KEPT = 1, 2
"""What is known of a message in a scratch file: it was seen, and a conversation has it."""

_ID: Final = re.compile(r"(?=\D*\d)[0-9A-Za-z_-]{16,}|[0-9a-f-]{8,}|\d+")
_LONGEST_KEY: Final = 40
_MOST_PATHS: Final = 5_000
_OTHER_PATHS: Final = "…"


class _Place(Enum):
    """What is known of a string from where it stands."""

    CONTENT = auto()
    METADATA = auto()
    LEFT_OUT = auto()


class _Text(NamedTuple):
    """A string of a file with its path, its place, and the number of its entry (0 in a file that has none)."""

    text: str
    path: str
    place: _Place
    entry: int


def read_accounted(document: Document, row: Format, *, part: Document | None = None) -> Imported:
    """What a format reads of a document, with its accounting; that of transcripts in an archive is their reader's.

    With a `part` of the document only that is read; the account is of the whole.

    Raises:
        FormatError: as the format's `read`.
    """
    if document.shape == "archive" and row.kind == "conversation":
        return row.read(document)
    account = Account(document, row.name)
    found = row.read(part or document)
    return replace(found, accounting=account.close(found))


class Account:
    """The accounting of one document: opened before it is read, closed with what was read.

    Args:
        document: its notes are shown what an importer leaves out, from now on.
        format_name: whose fields are left out.
    """

    def __init__(self, document: Document, format_name: str) -> None:
        aside = document.notes.aside
        self._ledger = StringLedger(markup_words(format_name), is_held=aside is None)
        self._step = max(1, _size_of(document) // LOOKED_AT)
        sample = _Sample.of(document, self._step)
        self._aside = None if aside is None else _SpooledMessages(aside, self._ledger, _Nearness.of(document, sample))
        self._fields = left_out_fields(format_name)
        walk = _Walk(self._fields, self._step)
        self._entry_of = _files_in(document, self._step)
        if document.archive is not None:
            self._texts = _texts_in(document.archive, self._entry_of, walk, read_files(format_name))
        else:
            self._texts = _texts_of(document, walk, sample)
            named = "line" if document.shape == "jsonl" else "element" if isinstance(document.value, list) else ""
            self._entry_of = {f"{named} {one.entry}": one.entry for one in self._texts} if named else {}
        for one in self._texts:
            self._ledger.expect_entry(one.entry)
            if one.place is not _Place.METADATA:
                self._ledger.expect(one.text)
        document.notes.ledger = self._ledger

    def close(self, found: Imported) -> Accounting:
        """The figures, after everything was read."""
        self._see(found)
        told = self._told()
        if told.is_lossy and self._aside is not None and self._aside.see_others():
            told = self._told()
        if told.is_lossy:
            self._see_runs(found)
            told = self._told()
        return told

    def _see(self, found: Imported) -> None:
        """Show the ledger what was read; messages in a scratch file were seen when they were put there."""
        ledger = self._ledger
        ledger.see_strings(_strings_of(found))
        ledger.leave_entries(self._entry_of[one.where] for one in found.skipped if one.where in self._entry_of)
        spooled: list[SpooledMessages] = []
        for chat in found.conversations:
            if self._aside is not None and isinstance(chat.messages, SpooledMessages):
                spooled.append(chat.messages)
            else:
                for message in chat.messages:
                    ledger.see_message(message)
        if self._aside is not None:
            self._aside.keep(spooled)
            self._aside.forget_others()

    def _see_runs(self, found: Imported) -> None:
        """Look once more, by runs of words, for the contents that seem to be missing."""
        ledger = self._ledger
        for one in self._texts:
            if one.place is _Place.CONTENT:
                ledger.expect_runs(one.text)
        ledger.see_runs(_strings_of(found))
        for chat in found.conversations:
            for message in chat.messages:
                ledger.see_runs(strings_of(message))
        ledger.leave_out_runs()

    def _told(self) -> Accounting:
        tally = _Tally(self._ledger, self._fields)
        for one in self._texts:
            tally.add(one)
        return tally.accounting(is_estimate=self._step > 1)


class _SpooledMessages:
    """Messages in a scratch file: seen as they are put there, and forgotten in the end if no conversation has them.

    Args:
        nearness: which lines stand near one of the sample; None where all do. What is made of others is not looked at,
            unless something seems to be missing in the end.
    """

    def __init__(self, spool: MessageSpool, ledger: StringLedger, nearness: _Nearness | None) -> None:
        self._spool = spool
        self._ledger = ledger
        self._nearness = nearness
        self._states = bytearray(len(spool))
        self._messages = ConcatenatedMessages(())
        spool.watch = self._see

    def keep(self, conversations: Sequence[SpooledMessages]) -> None:
        """Note that conversations have these messages."""
        outlines = [one.outlines for one in conversations]
        self._messages = ConcatenatedMessages(outlines)
        places = array("Q")
        for one in outlines:
            places.extend(places_of(one))
        if not places:
            return
        self._extend(len(self._spool))
        states = np.frombuffer(self._states, dtype=np.uint8)
        at = np.frombuffer(places, dtype=np.uint64)
        states[at] |= _KEPT
        for outline in chain.from_iterable(map(merged_in, outlines)):
            states[[*outline.more]] |= _KEPT
        self._see_beside(np.flatnonzero(states[at] & _SEEN).tolist())

    def _see_beside(self, positions: Iterable[int]) -> None:
        """See what stands beside the parts of the messages of conversations, at these places among all of them."""
        for some in batched(positions, _AT_ONCE):
            beside = (strings_beside(self._messages[at]) for at in some)
            self._ledger.see_strings(list(chain.from_iterable(beside)))

    def forget_others(self) -> None:
        """Take back what was seen of messages that no conversation has."""
        for place in self._places(_SEEN):
            self._ledger.forget_parts(self._spool.parts(place))

    def see_others(self) -> bool:
        """See the messages of conversations that were not seen yet; whether there are any."""
        others = self._places(_KEPT)
        self._see_beside(range(len(self._messages)) if others else ())
        for place in others:
            self._states[place] |= _SEEN
            self._ledger.see_parts(self._spool.parts(place))
        return bool(others)

    def _see(self, message: Message, place: int) -> None:
        """See a message that is put aside, once: the same contents lie in one place."""
        if self._nearness is not None:
            read, step, near = self._nearness
            if (read.current + _NEAR) % step > near:
                return
        if place >= len(self._states):
            self._extend(place + 1)
        if not self._states[place] & _SEEN:
            self._states[place] |= _SEEN
            self._ledger.see_parts(message.parts)

    def _extend(self, count: int) -> None:
        self._states.extend(bytes(max(0, count - len(self._states))))

    def _places(self, state: int) -> list[int]:
        """The places of the messages in a state, in order."""
        found: list[int] = []
        at = self._states.find(state)
        while at >= 0:
            found.append(at)
            at = self._states.find(state, at + 1)
        return found


@dataclass(frozen=True, slots=True)
class _Sample:
    """Which lines, elements or members of a file are looked at: of so many (`step`), the first ones (`together`).

    Lines are taken some in a row, as importers join a few: what is near to one is near to the others.
    """

    step: int
    together: int = 1

    @classmethod
    def of(cls, document: Document, step: int) -> _Sample:
        """The sample of one in `step`."""
        if document.shape != "jsonl":
            return cls(step)
        together = min(max(1, len(document.lines) // step // _PLACES), _TOGETHER)
        return cls(step * together, together)

    def places(self, count: int) -> Iterator[int]:
        """The places of the sample among so many."""
        for start in range(0, count, self.step):
            yield from range(start, min(start + self.together, count))


class _Nearness(NamedTuple):
    """Which lines or members that are read stand near one of the sample: of each `step` so many (`near` and one)."""

    read: LazyLines | MemberReader
    step: int
    near: int

    @classmethod
    def of(cls, document: Document, sample: _Sample) -> _Nearness | None:
        """What is near to the sample of a document; None where every line or member is."""
        read = document.members or document.lines
        step, near = sample.step, 2 * _NEAR + sample.together - 1
        return cls(read, step, near) if isinstance(read, LazyLines | MemberReader) and step > near else None


def _size_of(document: Document) -> int:
    if document.archive is not None:
        return sum(entry.size for entry in document.archive.entries)
    return document.size or len(document.text)


def _texts_of(document: Document, walk: _Walk, sample: _Sample) -> list[_Text]:
    """The strings of a document, or of a sample of it."""
    step = sample.step
    if document.shape == "text":
        pieces = range(0, len(document.text), LOOKED_AT * step)
        return [_Text(document.text[at : at + LOOKED_AT], "text", _Place.CONTENT, 0) for at in pieces]
    if document.shape == "jsonl":
        for at in sample.places(len(document.lines)):
            line = document.lines[at]
            walk.enter(line.value, "", line.number)
    elif isinstance(document.value, list):
        for at in range(0, len(document.value), step if len(document.value) >= SAMPLED_FROM else 1):
            walk.enter(document.value[at], "[]", at + 1)
    else:
        walk.enter(document.value, "", 0)
    return walk.found


def _files_in(document: Document, step: int) -> dict[str, int]:
    """The files of an archive, or of a sample of them, by their path, each with a number from 1."""
    entries = document.archive.entries if document.archive is not None else ()
    sampled = entries[:: step if len(entries) >= SAMPLED_FROM else 1]
    return {entry.path: number for number, entry in enumerate(sampled, 1)}


def _texts_in(archive: Archive, numbers: Mapping[str, int], walk: _Walk, read: tuple[str, ...]) -> list[_Text]:
    """The strings of the files of an archive; a file that is no text has none, and one of another name is left out."""
    for entry in archive.entries:
        data = (archive.read(entry) or b"") if entry.path in numbers else b""
        if not data or b"\x00" in data[:HEAD_BYTES]:
            continue
        text = data.decode("utf-8", errors="replace")
        ending = f"*.{entry.name.rpartition('.')[2].lower()}" if "." in entry.name else entry.name
        is_read = not read or entry.name.endswith(read)
        held = {ending: json_in(text) or text}
        walk.enter(held if is_read else {OTHER_FILES: held}, "", numbers[entry.path])
    return walk.found


class _Walk:
    """A walk through JSON that collects its strings, base64 left aside.

    Args:
        left_out: the paths of the fields that are left out, by their last key.
        step: of the first list or object on the way down that is long enough, each how-manieth entry is looked at.
    """

    def __init__(self, left_out: Mapping[str, tuple[FieldPath, ...]], step: int = 1) -> None:
        self.found: list[_Text] = []
        self._left_out = left_out
        self._step = step
        self._keys: list[str] = []
        self._entry = 0

    def enter(self, value: Any, path: str, entry: int) -> None:
        """Collect the strings of an entry of the file, or of the only one (0)."""
        self._entry = entry
        self._into(value, path, _Place.CONTENT, 0, 1 if entry else self._step)

    def _into(self, value: Any, path: str, place: _Place, depth: int, step: int) -> None:
        if isinstance(value, str):
            if value and not is_payload(value):
                self.found.append(_Text(value, path, place, self._entry))
        elif depth > DEEPEST:
            return
        elif isinstance(value, dict | Mapping):
            self._into_object(value, path, place, depth, step)
        elif isinstance(value, list):
            if step > 1 and len(value) >= SAMPLED_FROM:
                value, step = value[::step], 1
            for item in value:
                self._into(item, f"{path}[]", place, depth + 1, step)

    def _into_object(self, value: Mapping[str, Any], path: str, place: _Place, depth: int, step: int) -> None:
        items: Iterable[tuple[str, Any]] = value.items()
        if step > 1 and len(value) >= SAMPLED_FROM:
            items, step = islice(items, 0, None, step), 1
        for key, item in items:
            if isinstance(item, str | dict | list | Mapping):
                self._keys.append(key)
                inner = f"{path}.{_shown(key)}" if path else _shown(key)
                self._into(item, inner, self._place_of(key, item, place), depth + 1, step)
                self._keys.pop()

    def _place_of(self, key: str, value: Any, place: _Place) -> _Place:
        if place is not _Place.CONTENT:
            return place
        for path in self._left_out.get(key, ()):
            if tuple(self._keys[-len(path) :]) == path:
                return _Place.LEFT_OUT
        return _Place.METADATA if is_metadata(key, value) else place


class _Tally:
    """The characters of strings by what became of them; `left_out` is for the walks through JSON inside strings."""

    def __init__(self, ledger: StringLedger, left_out: Mapping[str, tuple[FieldPath, ...]]) -> None:
        self._ledger = ledger
        self._fields = left_out
        self._all = self._read = self._metadata = self._set_aside = 0
        self._left_out: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()

    def add(self, one: _Text) -> None:
        """Add a string; what of JSON in it was read counts by its own strings."""
        if one.place is _Place.METADATA:
            characters = characters_of(one.text)
            self._all += characters
            self._metadata += characters
            return
        if self._ledger.is_left_out(one.entry):
            characters = characters_of(one.text)
            self._all += characters
            self._set_aside += characters
            self._count(self._left_out, one.path, characters)
            return
        read, left_out, unread = self._ledger.fate_of(one.text)
        is_left_out = one.place is _Place.LEFT_OUT
        if unread and not is_left_out and one.place is _Place.CONTENT and (inner := json_in(one.text)) is not None:
            nested = _Tally(self._ledger, self._fields)
            walk = _Walk(self._fields)
            walk.enter(inner, "", 0)
            for each in walk.found:
                nested.add(each)
            if nested.unread < unread + left_out:  # by runs, its keys and marks alone may seem left out
                self._include(nested, one.path)
                return
        self._all += read + left_out + unread
        if is_left_out:
            left_out, unread = left_out + unread, 0
        self._read += read
        self._set_aside += left_out
        self._count(self._left_out, one.path, left_out)
        self._count(self._unread, one.path, unread)

    @property
    def unread(self) -> int:
        """The characters nobody read."""
        return self._all - self._read - self._metadata - self._set_aside

    def accounting(self, *, is_estimate: bool) -> Accounting:
        """The figures."""
        return Accounting(
            characters=self._all,
            read=self._read,
            metadata=self._metadata,
            left_out=self._set_aside,
            is_estimate=is_estimate,
            left_out_keys=largest(self._left_out),
            unread_keys=largest(self._unread),
        )

    def _include(self, other: _Tally, path: str) -> None:
        self._all += other._all
        self._read += other._read
        self._metadata += other._metadata
        self._set_aside += other._set_aside
        for mine, theirs in ((self._left_out, other._left_out), (self._unread, other._unread)):
            for inner, count in theirs.items():
                self._count(mine, f"{path}.{inner}", count)

    def _count(self, counts: Counter[str], path: str, characters: int) -> None:
        if characters:
            counts[path if path in counts or len(counts) < _MOST_PATHS else _OTHER_PATHS] += characters


@lru_cache(maxsize=4_096)
def _shown(key: str) -> str:
    """A key as a path shows it; `*` where it is an id."""
    if _ID.fullmatch(key):
        return "*"
    shown = " ".join(without_surrogates(key[:_LONGEST_KEY]).replace("\x00", "\ufffd").split())
    return f"{shown}…" if len(key) > _LONGEST_KEY else shown or '""'


def _strings_of(found: Imported) -> list[str]:
    """Every string that was read, but those of the messages."""
    strings = [text for chat in found.conversations for text in (chat.id, chat.title, chat.model)]
    strings += strings_in(list(_values_of(found)))
    strings += (skipped.line for skipped in found.skipped)
    return strings


def _values_of(found: Imported) -> Iterator[Any]:
    """Everything that was read, but the messages, and what conversations are called."""
    for chat in found.conversations:
        yield from (*chat.tools, chat.metadata)
        yield from (one.model for one in chat.recorded)
    for skill in found.skills:
        yield [skill.name, skill.description, skill.path, skill.body]
        yield skill.metadata
    for tool in found.tools or ():
        yield [tool.name, tool.description]
        yield tool.raw
    for spec in found.features:
        yield [spec.path, spec.title, spec.text]
    for chunk in found.chunks:
        yield [chunk.text, chunk.id, chunk.source]
    for name, use in found.usage.items():
        yield [name, use.last]
    yield found.text
    yield found.metadata
