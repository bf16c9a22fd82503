"""Formats of other packages: rows found under the entry-point group, isolated from the built-in formats.

Whatever such a package does wrong becomes a sentence: what cannot be loaded is left out, what raises while it looks at
an upload is passed over, what raises while it reads one is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import get_args

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.errors import FormatError
from budgeteer.formats.format import Format
from budgeteer.formats.messages.imported import Imported, Kind
from budgeteer.formats.messages.numbering import Notes, numbered, short_line, title_of, unique_ids
from budgeteer.formats.reading.document import Document

GROUP = "budgeteer.formats"
"""The entry-point group; each of its entries is a Format."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_KINDS: tuple[str, ...] = get_args(Kind.__value__)
_WHY_CHARACTERS = 200


class PluginFailed(FormatError):
    """The format of another package could not read what it said is its own."""


@dataclass(frozen=True, slots=True)
class Plugins:
    """The usable formats of other packages, and a sentence for each that is not."""

    formats: tuple[Format, ...] = ()
    warnings: tuple[str, ...] = ()


def load_plugins(taken: Collection[str]) -> Plugins:
    """Every format that installed packages offer, by name; one whose name is among `taken` is left out."""
    used = set(taken)
    found: list[Format] = []
    warnings: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _package(entry))):
        try:
            row = _checked_row(entry.load(), used)
        except Exception as error:  # noqa: BLE001 - nobody knows what a stranger's module raises
            warnings.append(f"The format `{entry.name}` of {_package(entry)} is left out: {_why(error)}")
            continue
        used.add(row.name)
        found.append(_guarded(replace(row, package=_package(entry))))
    return Plugins(tuple(found), tuple(warnings))


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


def _why(error: Exception) -> str:
    if isinstance(error, _Unfit):
        return str(error)
    return short_line(f"{type(error).__name__}: {error}", _WHY_CHARACTERS)


class _Unfit(Exception):
    """What another package gave is not what was agreed."""


def _checked_row(row: object, used: Collection[str]) -> Format:
    if not isinstance(row, Format):
        raise _Unfit(f"it is no Format but of the type {type(row).__name__}")
    if not _NAME.fullmatch(str(row.name)):
        raise _Unfit("its name is not of small letters, digits and hyphens, at most 40")
    if row.name in used:
        raise _Unfit(f"the name `{row.name}` is taken; its author must choose another")
    if row.kind not in _KINDS:
        raise _Unfit(f"it makes no known kind; kinds are {', '.join(_KINDS)}")
    functions: tuple[object, ...] = (row.detect, row.read)
    if not all(map(callable, functions)):
        raise _Unfit("its `detect` and `read` must be functions")
    return row


def _guarded(row: Format) -> Format:
    """The row with functions that raise nothing but FormatError."""
    who = f"The format `{row.name}` of {row.package}"

    def detect(document: Document) -> str | None:
        try:
            reason = row.detect(document)
        except Exception as error:  # noqa: BLE001 - see load_plugins
            document.notes.say(f"{who} failed to look at the file and was passed over: {_why(error)}")
            return None
        return str(reason) if reason else None

    def read(document: Document) -> Imported:
        try:
            return _checked(row.read(document), row, document.notes)
        except FormatError:
            raise
        except Exception as error:  # noqa: BLE001 - see load_plugins
            mend = "Tell its author, or choose another format by name"
            raise PluginFailed(f"{who} failed to read the file: {_why(error)}", mend=mend) from None

    return replace(row, detect=detect, read=read)


def _checked(found: object, row: Format, notes: Notes) -> Imported:
    """What was read, every message and conversation with an id of its own and every conversation with a title."""
    if not isinstance(found, Imported):
        raise _Unfit(f"it returned no Imported but {type(found).__name__}")
    if found.kind != row.kind:
        raise _Unfit(f"it returned the kind {found.kind!r} where {row.kind!r} was announced")
    chats = tuple(_named(found.conversations, Notes(silent=notes.silent)))
    if row.kind == "conversation" and not chats:
        raise _Unfit("it returned no conversation")
    return replace(found, conversations=chats)


def _named(conversations: Collection[Conversation], notes: Notes) -> Iterator[Conversation]:
    if not all(isinstance(chat, Conversation) for chat in conversations):
        raise _Unfit("its conversations must be of the type Conversation")
    if not all(isinstance(message, Message) for chat in conversations for message in chat.messages):
        raise _Unfit("its messages must be of the type Message")
    ids = unique_ids(chat.id or f"c{number}" for number, chat in enumerate(conversations, 1))
    for number, (chat, given) in enumerate(zip(conversations, ids, strict=True), 1):
        title = chat.title or title_of(chat.messages, f"Conversation {number}")
        yield replace(chat, id=given, title=title, messages=numbered(chat.messages, notes))
