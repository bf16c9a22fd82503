"""A ledger of the strings of a file: which of their lines were read, which were left out and said so, which neither.

Strings are held against each other by their lines, without the white space around each, so that an importer may join,
cut and trim texts, and what a file says twice counts as read wherever it stands. JSON inside a string is also held
against what was read of it. What no line tells (a text that became part of a line, or a piece of one) is looked for
once more by runs of three words. Only lines of the file are kept: what is read is looked up and forgotten, so memory
grows with the part of the file that is looked at, which has a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

PAYLOAD_CHARACTERS: Final = 500
"""From so many characters on, base64 without a space is bytes (a picture, a seal) and no text. Source: ours."""

DEEPEST: Final = 300
"""Nesting beyond which nothing is looked at: a file has at most 200, JSON in its strings may have more."""

KEPT_CHARACTERS: Final = 1_000_000
"""Characters of what was left out that are kept, to be looked at once more by runs of words."""

RUN: Final = 3
"""Words in a run: two words meet by chance all over a long conversation, three do not often. Source: ours."""

_PAYLOAD: Final = re.compile(r"(?:data:[^,\s]{0,200};base64,)?[A-Za-z0-9+/_-]+={0,2}\s*\Z")
_WORDS: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"_|[_\d]+(?:T\d+)?Z?_?")
"""Words that are numbers, or pieces of times: in texts with a structure of their own they are of that."""


class StringLedger:
    """The lines of the strings of a file, or of a sample of them, and what became of each.

    First the strings of the file are announced (`expect`), then everything that is read or left out is shown to it
    (`see`, `see_message`, `leave_out`), then each string is asked for (`fate_of`).

    Args:
        markup: words that structure a text of this format (`User`, `summary`): they are read as the structure, and so
            are numbers and times.
    """

    def __init__(self, markup: frozenset[str] = frozenset()) -> None:
        self._markup = markup
        self._lines: set[str] = set()
        self._read: set[str] = set()
        self._left_out: set[str] = set()
        self._runs: set[int] = set()
        self._read_runs: set[int] = set()
        self._short: set[int] = set()
        self._read_short: set[int] = set()
        self._kept: list[str] = []
        self._kept_characters = 0
        self._left_runs: set[int] = set()
        self._entries: dict[int, bool] = {}

    def expect_entry(self, number: int) -> None:
        """Announce an entry of the file, a line or an element of its list, by its number from 1."""
        self._entries[number] = False

    def leave_entries(self, numbers: Iterable[int]) -> None:
        """Note that whole entries were left out, and that the report says so."""
        known = self._entries
        for number in numbers:
            if number in known:
                known[number] = True

    def is_left_out(self, number: int) -> bool:
        """Whether an entry was left out whole."""
        return self._entries.get(number, False)

    def expect(self, text: str) -> None:
        """Announce a string of the file."""
        self._lines.update(lines_of(text))

    def expect_runs(self, text: str) -> None:
        """Announce the runs of words of a string's lines that neither were read nor left out."""
        for line in lines_of(text):
            if line not in self._read and line not in self._left_out:
                words = _WORDS.findall(line)
                if len(words) < RUN:
                    self._short.add(hash(tuple(words)))
                for length in range(1, RUN + 1):
                    self._runs.update(map(hash, _runs_of(words, length)))

    def see(self, value: Any) -> None:
        """Note that a value was read: its strings, and what JSON in them holds."""
        self._walk(value, self._see_lines)

    def see_runs(self, value: Any) -> None:
        """Note that a value was read, by runs of its words."""
        self._walk(value, self._see_runs)

    def leave_out_runs(self) -> None:
        """Note by runs of words what was left out so far."""
        for text in self._kept:
            for line in lines_of(text):
                words = _WORDS.findall(line)
                runs = map(hash, _runs_of(words, min(RUN, len(words))))
                self._left_runs.update(self._runs.intersection(runs))

    def leave_out(self, value: Any) -> None:
        """Note that a value, or a message, was left out, and that the report says so."""
        if isinstance(value, Message):
            value = list(values_of(value))
        self._walk(value, self._leave_lines)

    def see_message(self, message: Message) -> None:
        """Note that a message was read."""
        for value in values_of(message):
            self._walk(value, self._see_lines)

    def fate_of(self, text: str) -> tuple[int, int, int]:
        """How many characters of a string were read, left out, neither."""
        read = left_out = unread = 0
        for line in lines_of(text):
            if line in self._read:
                read += len(line)
            elif line in self._left_out:
                left_out += len(line)
            else:
                seen, left = self._seen_by_runs(line) if self._runs else (0, 0)
                read += seen
                left_out += left
                unread += len(line) - seen - left
        return read, left_out, unread

    def _seen_by_runs(self, line: str) -> tuple[int, int]:
        """The characters of a line whose words stand in a run that was read, and in one that was left out."""
        words = _WORDS.findall(line)
        if hash(tuple(words)) in self._read_short:
            return len(line), 0
        seen = [self._is_structure(word) for word in words]
        for length in range(1, RUN + 1):
            for at, run in enumerate(_runs_of(words, length)):
                if hash(run) in self._read_runs:
                    seen[at : at + length] = [True] * length
        left = [False] * len(words)
        for length in range(1, RUN + 1) if self._left_runs else ():
            for at, run in enumerate(_runs_of(words, length)):
                if hash(run) in self._left_runs:
                    left[at : at + length] = [True] * length
        total = sum(map(len, words))
        if not total:
            return len(line), 0
        read = sum(len(word) for word, is_read in zip(words, seen, strict=True) if is_read)
        others = sum(len(word) for word, *is_known in zip(words, seen, left, strict=True) if is_known == [False, True])
        return len(line) * read // total, len(line) * others // total

    def _is_structure(self, word: str) -> bool:
        return word in self._markup or (bool(self._markup) and _NUMBER.fullmatch(word) is not None)

    def _see_lines(self, text: str) -> None:
        self._read.update(self._lines.intersection(lines_of(text)))

    def _leave_lines(self, text: str) -> None:
        self._left_out.update(self._lines.intersection(lines_of(text)))
        if self._kept_characters + len(text) <= KEPT_CHARACTERS:
            self._kept.append(text)
            self._kept_characters += len(text)

    def _see_runs(self, text: str) -> None:
        """A line of fewer words than a run is one of its own; such a line of the file may stand within a longer one."""
        for line in lines_of(text):
            words = _WORDS.findall(line)
            runs = map(hash, _runs_of(words, min(RUN, len(words))))
            self._read_runs.update(self._runs.intersection(runs))
            for length in range(1, RUN) if self._short else ():
                self._read_short.update(self._short.intersection(map(hash, _runs_of(words, length))))

    def _walk(self, value: Any, note: Callable[[str], None], depth: int = 0) -> None:
        if isinstance(value, str):
            note(value)
            if (inner := json_in(value)) is not None:
                self._walk(inner, note, depth + 1)
        elif depth > DEEPEST:
            return
        elif isinstance(value, Mapping):
            for key, item in value.items():
                note(str(key))
                self._walk(item, note, depth + 1)
        elif isinstance(value, list | tuple):
            for item in value:
                self._walk(item, note, depth + 1)


def lines_of(text: str) -> Iterable[str]:
    """The lines of a text that hold anything, without the white space around them; in order."""
    if "\n" not in text:
        bare = text.strip()
        return (bare,) if bare else ()
    return filter(None, map(str.strip, text.split("\n")))


def _runs_of(words: Sequence[str], length: int) -> Iterable[tuple[str, ...]]:
    """The runs of so many words, in order; none of no words."""
    return zip(*(words[start:] for start in range(length)), strict=False) if length else ()


def is_payload(text: str) -> bool:
    """Whether a string is base64: bytes, and no text."""
    return len(text) >= PAYLOAD_CHARACTERS and " " not in text[:PAYLOAD_CHARACTERS] and bool(_PAYLOAD.match(text))


def json_in(text: str) -> Any:
    """The JSON object, list or string that a string holds, None for any other."""
    start = text[:20].lstrip()[:1]
    if start not in ("{", "[", '"') or not start:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def values_of(message: Message) -> Iterator[Any]:
    """Everything of a message that is a string, or holds some."""
    yield message.id
    yield message.name
    yield message.created
    if message.origin is not None:
        yield message.origin.fields
    for part in message.parts:
        yield from _values_of(part)


def _values_of(part: Part) -> Iterator[Any]:
    match part:
        case TextPart():
            yield part.text
        case ToolCallPart():
            yield part.id
            yield part.name
            yield part.arguments
        case ToolResultPart():
            yield part.call_id
            for inner in part.content:
                yield from _values_of(inner)
        case ReasoningPart():
            yield part.text
            yield part.signature
            yield part.encrypted
            yield part.id
        case ImagePart() | AudioPart():
            yield part.raw
        case FilePart():
            yield part.raw
            yield part.name
        case OpaquePart():
            yield part.kind
            yield part.raw
    origin = getattr(part, "origin", None)
    if origin is not None:
        yield origin.fields
