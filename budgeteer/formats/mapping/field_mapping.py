"""A mapping: where the messages of a JSON file stand, and which of their fields is the role, the text, a call.

As a document it is a small JSON object, which a user edits, saves as a format of their own, and hands on as a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ROLES, Role
from budgeteer.engine.errors import FormatError
from budgeteer.formats.mapping import paths

VERSION: Final = 1
LARGEST: Final = 20_000
"""Characters of a mapping as JSON."""

MOST_ROLES: Final = 50
LONGEST_TITLE: Final = 60
_ROLE_CHARACTERS: Final = 80

PATHS: Final[Mapping[str, str]] = {
    "conversations": "Conversations",
    "messages": "Messages of a conversation",
    "role": "Role",
    "text": "Text",
    "calls": "Calls",
    "call_name": "Name of a call",
    "call_arguments": "Arguments of a call",
    "call_id": "Id of a call",
    "call_result": "Result of a call",
    "result_of": "Id of the call that a result answers",
    "created": "Time",
}
"""The fields of a mapping that are paths, with their titles, in the order a form shows them.

`conversations` begins at the file (a list of all its lines, if it is lines), `messages` at a conversation, `call_…` at
a call, the others at a message."""


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Where things stand; "" is nowhere.

    Attributes:
        title: how the format is called.
        roles: what the file calls a speaker -> the role; what is not listed is reported and not read.
        role: without one, messages are a user's and an assistant's in turn.
    """

    messages: str
    title: str = "My format"
    conversations: str = "$"
    role: str = ""
    roles: Mapping[str, Role] = field(default_factory=dict)
    text: str = ""
    calls: str = ""
    call_name: str = ""
    call_arguments: str = ""
    call_id: str = ""
    call_result: str = ""
    result_of: str = ""
    created: str = ""

    def to_json(self) -> dict[str, Any]:
        """The mapping as the document."""
        return {"budgeteerMapping": VERSION, **{one.name: _plain(getattr(self, one.name)) for one in fields(self)}}

    def to_text(self) -> str:
        """The document as it is written to a file."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n"


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def mapping_from_text(text: str, *, where: str = "") -> FieldMapping:
    """The mapping of a document.

    Raises:
        FormatError: it is no JSON object, is too large, or names something that cannot be used.
    """
    if len(text) > LARGEST:
        raise FormatError("This is too long for a mapping", where=where, mend=f"{LARGEST:,} characters fit")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"The mapping is no JSON: {error}", where=where, mend=_MEND) from None
    try:
        return mapping_from_json(data)
    except FormatError as error:
        at = ", ".join(part for part in (where, error.where) if part)
        raise FormatError(error.what, where=at, mend=error.mend) from None


_MEND: Final = "Let `budgeteer import FILE --guess-mapping` write one, and edit that"


def mapping_from_json(data: Any) -> FieldMapping:
    """The mapping that plain data holds, every path checked.

    Raises:
        FormatError: a key is unknown or missing, or a value cannot be used; `where` names the key.
    """
    if not isinstance(data, Mapping) or data.get("budgeteerMapping") != VERSION:
        raise FormatError(f'A mapping is a JSON object with "budgeteerMapping": {VERSION}', mend=_MEND)
    known = {one.name for one in fields(FieldMapping)}
    given = {key: value for key, value in data.items() if key != "budgeteerMapping"}
    if unknown := sorted(str(key)[:40] for key in given.keys() - known):
        raise FormatError(f"A mapping has no key {unknown[0]!r}", mend=f"Its keys: {', '.join(sorted(known))}")
    roles = _roles(given.pop("roles", {}))
    for key, value in given.items():
        if not isinstance(value, str):
            raise FormatError("The value is no string", where=key, mend='Write a path, or "" for nowhere')
    mapping = replace(FieldMapping(""), **given, roles=roles)
    if not mapping.messages:
        raise FormatError("A mapping says where the messages stand", where="messages", mend="Write `$[*]`, for example")
    if not mapping.text and not mapping.calls:
        raise FormatError("A mapping says where the text stands", where="text", mend="Write `$.content`, for example")
    for key in PATHS:
        if expression := getattr(mapping, key):
            paths.check(expression, key)
    title = " ".join(mapping.title.replace("\x00", " ").split())[:LONGEST_TITLE]
    return replace(mapping, title=title or "My format", conversations=mapping.conversations or "$")


def _roles(given: Any) -> dict[str, Role]:
    if not isinstance(given, Mapping) or len(given) > MOST_ROLES:
        raise FormatError("Roles are an object of at most 50 names", where="roles", mend='{"human": "user"}')
    known: dict[str, Role] = {role: role for role in ROLES}
    found: dict[str, Role] = {}
    for name, role in given.items():
        if role not in known:
            what = f"{str(role)[:40]!r} is no role"
            raise FormatError(what, where=f"roles.{str(name)[:40]}", mend=f"Roles: {', '.join(ROLES)}")
        found[str(name)[:_ROLE_CHARACTERS]] = known[role]
    return found
