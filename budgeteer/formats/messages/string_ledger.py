"""A ledger of the strings of a file: which of their lines were read, which were left out and said so, which neither.

Strings are held against each other by their lines, without the white space around each, so that an importer may join,
cut and trim texts, and what a file says twice counts as read wherever it stands. JSON inside a string is also held
against what was read of it. A string that was read just as it stands needs no look at its lines. What no line tells (a
text that became part of a line, or a piece of one) is looked for once more by runs of three words. Only strings of the
file are kept: of a file that is not held, what is read is looked up and forgotten, so memory grows with the part of the
file that is looked at, which has a limit.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from pydantic_core import from_json

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
from budgeteer.formats.messages.objects import OBJECT

PAYLOAD_CHARACTERS: Final = 500
"""From so many characters on, base64 without a space is bytes (a picture, a seal) and no text. Source: ours."""

DEEPEST: Final = 300
"""Nesting beyond which nothing is looked at: a file has at most 200, JSON in its strings may have more."""

KEPT_CHARACTERS: Final = 1_000_000
"""Characters of what was left out that are kept, each text once, to be looked at once more by runs of words."""

RUN: Final = 3
"""Words in a run: two words meet by chance all over a long conversation, three do not often. Source: ours."""

_PAYLOAD: Final = re.compile(r"(?:data:[^,\s]{0,200};base64,)?[A-Za-z0-9+/_-]+={0,2}\s*\Z")
_JSON_STARTS: Final = frozenset('{["')
_WORDS: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"_|[_\d]+(?:T\d+)?Z?_?")
"""Words that are numbers, or pieces of times: in texts with a structure of their own they are of that."""


class _NotedStrings:
    """The strings that were shown as read, or as left out.

    Attributes:
        texts: how often each string of the file was shown as it stands in the file.
        lines: how often each line of the file was shown in other strings.
        others: other strings whose lines are not looked at yet.
        known: the lines of all of these that are asked for, once they are settled.
    """

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()
        self.lines: Counter[str] = Counter()
        self.others: list[str] = []
        self.known: set[str] = set()


class StringLedger:
    """The strings of a file, or of a sample of them, and what became of each.

    First the strings of the file are announced (`expect`), then everything that is read or left out is shown to it
    (`see`, `see_message`, `leave_out`), then each string is asked for (`fate_of`). A string that was read as it stands
    in the file is known by that; lines are compared only where some string was not.

    Args:
        markup: words that structure a text of this format (`User`, `summary`): they are read as the structure, and so
            are numbers and times.
        is_held: whether what is shown stays in memory anyway, so that its lines can be looked at in the end, if at all.
            Otherwise they are looked at at once, when every string of the file has been announced.
    """

    def __init__(self, markup: frozenset[str] = frozenset(), *, is_held: bool = True) -> None:
        self._markup = markup
        self._is_held = is_held
        self._texts: set[str] = set()
        self._lines: set[str] = set()
        self._read = _NotedStrings()
        self._left_out = _NotedStrings()
        self._is_settled = False
        self._runs: set[int] = set()
        self._read_runs: set[int] = set()
        self._run_through: set[int] = set()
        self._short: set[int] = set()
        self._read_short: set[int] = set()
        self._kept: dict[str, None] = {}
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
        self._texts.add(text)
        self._is_settled = False
        if not self._is_held:
            self._lines.update(lines_of(text))

    def expect_runs(self, text: str) -> None:
        """Announce the runs of words of a string's lines that neither were read nor left out."""
        self._settle()
        if text in self._read.texts:
            return
        for line in chain.from_iterable(map(lines_of, _with_inner((text,)))):  # JSON escapes glue letters to words
            if line not in self._read.known and line not in self._left_out.known:
                words = _WORDS.findall(line)
                if len(words) < RUN:
                    self._short.add(hash(tuple(words)))
                for length in range(1, RUN + 1):
                    self._runs.update(map(hash, _runs_of(words, length)))

    def see(self, value: Any) -> None:
        """Note that a value was read: its strings, and what JSON in them holds."""
        self._note(self._read, strings_in(value))

    def see_strings(self, strings: Sequence[str]) -> None:
        """Note that strings were read."""
        self._note(self._read, strings)

    def see_message(self, message: Message) -> None:
        """Note that a message was read."""
        self._note(self._read, strings_of(message))

    def see_parts(self, parts: Sequence[Part]) -> None:
        """Note that parts of a message were read."""
        self._note(self._read, strings_of_parts(parts))

    def forget_parts(self, parts: Sequence[Part]) -> None:
        """Take back that parts were read, as nothing was made of them. Only where what is shown is not held."""
        self._note(self._read, strings_of_parts(parts), -1)

    def see_runs(self, strings: Iterable[str]) -> None:
        """Note that strings were read, by runs of their words.

        A line of fewer words than a run is one of its own; such a line of the file may stand within a longer one. A
        text that many messages share is gone through once.
        """
        for text in _with_inner(self._not_run_through(strings)):
            for line in lines_of(text):
                words = _WORDS.findall(line)
                runs = map(hash, _runs_of(words, min(RUN, len(words))))
                self._read_runs.update(self._runs.intersection(runs))
                for length in range(1, RUN) if self._short else ():
                    self._read_short.update(self._short.intersection(map(hash, _runs_of(words, length))))

    def _not_run_through(self, strings: Iterable[str]) -> Iterator[str]:
        for text in strings:
            if hash(text) not in self._run_through:
                self._run_through.add(hash(text))
                yield text

    def leave_out(self, value: Any) -> None:
        """Note that a value, or a message, was left out, and that the report says so."""
        strings = strings_of(value) if isinstance(value, Message) else strings_in(value)
        self._note(self._left_out, strings)
        for text in strings:
            if text not in self._kept and self._kept_characters + len(text) <= KEPT_CHARACTERS:
                self._kept[text] = None
                self._kept_characters += len(text)

    def leave_out_runs(self) -> None:
        """Note by runs of words what was left out so far."""
        for text in _with_inner(self._kept):
            for line in lines_of(text):
                words = _WORDS.findall(line)
                runs = map(hash, _runs_of(words, min(RUN, len(words))))
                self._left_runs.update(self._runs.intersection(runs))

    def fate_of(self, text: str) -> tuple[int, int, int]:
        """How many characters of a string were read, left out, neither."""
        self._settle()
        if text in self._read.texts:
            return characters_of(text), 0, 0
        read = left_out = unread = 0
        for line in lines_of(text):
            if line in self._read.known:
                read += len(line)
            elif line in self._left_out.known:
                left_out += len(line)
            else:
                seen, left = self._seen_by_runs(line) if self._runs else (0, 0)
                read += seen
                left_out += left
                unread += len(line) - seen - left
        return read, left_out, unread

    def _note(self, shown: _NotedStrings, strings: Sequence[str], times: int = 1) -> None:
        """Add strings to what was shown: those of the file as they are, of others the lines, now or in the end."""
        known = self._texts
        others = [text for text in strings if text not in known]
        if len(others) < len(strings):
            _add(shown.texts, [text for text in strings if text in known], times)
        if others and self._is_held:
            shown.others += others
        elif others:
            _add(shown.lines, _lines_within(self._lines, others), times)
        self._is_settled = False

    def _settle(self) -> None:
        """Look at the lines of what was shown that are asked for: those of strings that were not read as they stand."""
        if self._is_settled:
            return
        self._is_settled = True
        unread = [text for text in self._texts if text not in self._read.texts]
        wanted = set(chain.from_iterable(map(lines_of, unread)))
        for shown in (self._read, self._left_out):
            shown.known = wanted.intersection(shown.lines)
            wanted -= shown.known
            if wanted:
                shown.known.update(_lines_within(wanted, list(dict.fromkeys(chain(shown.texts, shown.others)))))
                wanted -= shown.known

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


def _add(counts: Counter[str], found: Iterable[str], times: int) -> None:
    """Count what was found, or take it back; what is left no time goes."""
    if times > 0:
        counts.update(found)
        return
    for one in found:
        counts[one] -= 1
        if counts[one] <= 0:
            del counts[one]


def _lines_within(wanted: set[str], texts: Sequence[str]) -> list[str]:
    """The lines of texts, and of what JSON in them holds, that are among those wanted."""
    found: list[str] = []
    while texts:
        rows = "\n".join(texts).split("\n")
        found += filter(wanted.__contains__, map(str.strip, rows))
        texts = [inner for text in texts if (value := json_in(text)) is not None for inner in strings_in(value)]
    return found


def _with_inner(texts: Iterable[str]) -> Iterator[str]:
    """Texts, each followed by the strings of the JSON in it."""
    for text in texts:
        yield text
        if (value := json_in(text)) is not None:
            yield from _with_inner(strings_in(value))


def characters_of(text: str) -> int:
    """The characters of a text's lines, without the white space around them."""
    return sum(map(len, map(str.strip, text.split("\n")))) if "\n" in text else len(text.strip())


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
    if text[:1] not in _JSON_STARTS and text[:20].lstrip()[:1] not in _JSON_STARTS:
        return None
    try:
        return from_json(text, cache_strings="keys")
    except ValueError:
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def strings_in(value: Any) -> list[str]:
    """The strings of JSON, keys among them."""
    found: list[str] = []
    _gather(value, found, 0)
    return found


def strings_of(message: Message) -> list[str]:
    """Every string of a message."""
    return [*strings_beside(message), *strings_of_parts(message.parts)]


def strings_beside(message: Message) -> list[str]:
    """The strings of a message beside its parts."""
    found = [one for one in (message.id, message.name, message.created) if one]
    if message.origin is not None:
        _gather(message.origin.fields, found, 0)
    return found


def strings_of_parts(parts: Sequence[Part]) -> list[str]:
    """Every string of the parts of a message."""
    found: list[str] = []
    for part in parts:
        _gather_part(part, found)
    return found


def _gather(value: Any, found: list[str], depth: int) -> None:
    if isinstance(value, str):
        found.append(value)
    elif depth > DEEPEST:
        return
    elif isinstance(value, (list, tuple)):
        for item in value:
            _gather(item, found, depth + 1)
    elif isinstance(value, OBJECT):
        found += map(str, value)
        for item in value.values():
            _gather(item, found, depth + 1)


def _gather_part(part: Part, found: list[str]) -> None:
    match part:
        case TextPart():
            found.append(part.text)
        case ToolCallPart():
            found += (part.id, part.name, part.arguments)
        case ToolResultPart():
            found.append(part.call_id)
            for inner in part.content:
                _gather_part(inner, found)
        case ReasoningPart():
            found += (part.text, part.signature, part.encrypted, part.id)
        case ImagePart() | AudioPart():
            _gather(part.raw, found, 0)
        case FilePart():
            _gather(part.raw, found, 0)
            found.append(part.name)
        case OpaquePart():
            found.append(part.kind)
            _gather(part.raw, found, 0)
    origin = getattr(part, "origin", None)
    if origin is not None:
        _gather(origin.fields, found, 0)
