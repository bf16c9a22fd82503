"""Events of OpenCode's server, as captures of its `/event` and `/global/event` hold them: the sessions they come to.

An event is a `type` with `properties`, alone or under `event` or `payload` of a line, or a row of the table `event` of
its database: `aggregate_id`, `seq`, `data`, and a `type` that ends with the version of its form (`message.updated.1`).
Of each message and part the last state counts; pieces of a text count where no whole one follows them.
Source: https://github.com/anomalyco/opencode, `packages/sdk/js/src/gen/types.gen.ts` and
`packages/opencode/src/sync/event.sql.ts`, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading.entries import Entry

_WRAPPERS: Final = ("event", "payload")
_KIND: Final = re.compile(r"[\w-]{1,40}(?:\.[\w-]{1,40}){1,6}")
_VERSION: Final = re.compile(r"\.\d{1,4}\Z")
_GROWING: Final = "text"
"""The field that grows by pieces, which a part may not have yet; others it has already."""
_SUPERSEDED: Final = "Earlier states of messages and of their parts, left out"


def event_of(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The type and the properties of an event; "" and {} of any other object."""
    held = next((inner for key in _WRAPPERS if isinstance(inner := value.get(key), OBJECT)), value)
    kind, properties = text_value(held.get("type")), held.get("properties")
    if "aggregate_id" in held and _VERSION.search(kind):
        kind, properties = _VERSION.sub("", kind), held.get("data")
    return (kind, properties) if _KIND.fullmatch(kind) and isinstance(properties, OBJECT) else ("", {})


def is_event_of_a_message(value: Mapping[str, Any]) -> bool:
    """Whether an object is an event that holds a message or a part of a session."""
    kind, properties = event_of(value)
    key = {"message.updated": "info", "message.part.updated": "part"}.get(kind, "")
    return bool(key) and "sessionID" in object_under(properties, key)


@dataclass(slots=True)
class SessionStates:
    """What the events of a capture come to, in the order in which they first name it.

    Attributes:
        notes: where is counted what is left out.
        sessions: what each session says of itself, by its id.
        messages: the place of each message and what it says of itself, by its id.
        parts: the parts of each message, by their ids.
    """

    notes: Notes
    sessions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    messages: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    parts: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    _pieces: dict[tuple[str, str], dict[str, list[str]]] = field(default_factory=dict)

    def read(self, entries: Iterable[Entry], skipped: list[Skipped]) -> None:
        """Read events; what is none is added to `skipped`, and so are parts whose message there is not."""
        for entry in entries:
            kind, properties = event_of(entry.value)
            if not kind:
                skipped.append(Skipped(entry.where, "no event with `properties`", compact_json(entry.value)[:500]))
            elif not self._take(kind, properties, entry.where):
                self.notes.leave_line(kind, entry.value)
        for place, fields in self._pieces.items():
            self._add_pieces(*place, fields)
        for message, left in self.parts.items():
            if message not in self.messages:
                why = f"{len(left):,} parts of a message that is not in the file"
                skipped.append(Skipped(message, why, compact_json(list(left.values()))[:500]))
                self.notes.leave_out(left)

    def _take(self, kind: str, properties: Mapping[str, Any], where: str) -> bool:
        """Take an event, whether it is one of a session, a message or a part."""
        match kind:
            case "session.created" | "session.updated":
                return self._session(object_under(properties, "info"))
            case "message.updated":
                return self._message(object_under(properties, "info"), where)
            case "message.part.updated":
                return self._part(object_under(properties, "part"))
            case "message.part.delta":
                return self._piece(properties)
            case "message.removed":
                gone = self.messages.pop(text_value(properties.get("messageID")), None)
                parts = self.parts.pop(text_value(properties.get("messageID")), None)
                self.notes.count("Messages that were taken back, left out", int(gone is not None), of=[gone, parts])
                return True
            case "message.part.removed":
                held = self.parts.get(text_value(properties.get("messageID")), {})
                part = held.pop(text_value(properties.get("partID")), None)
                self.notes.count("Parts that were taken back, left out", int(part is not None), of=part)
                return True
            case _:
                return False

    def _session(self, info: Mapping[str, Any]) -> bool:
        given = text_value(info.get("id"))
        if given:
            self.notes.leave_out(self.sessions.get(given))
            self.sessions[given] = info
        return bool(given)

    def _message(self, info: Mapping[str, Any], where: str) -> bool:
        given = text_value(info.get("id"))
        if not given or not text_value(info.get("sessionID")):
            return False
        before = self.messages.get(given)
        self.notes.count(_SUPERSEDED, int(before is not None), of=before)
        self.messages[given] = (before[0] if before else where, info)
        return True

    def _part(self, part: Mapping[str, Any]) -> bool:
        given, message = text_value(part.get("id")), text_value(part.get("messageID"))
        if not given or not message:
            return False
        held = self.parts.setdefault(message, {})
        self.notes.count(_SUPERSEDED, int(given in held), of=held.get(given))
        self.notes.leave_out(self._pieces.pop((message, given), None))
        held[given] = part
        return True

    def _add_pieces(self, message: str, part: str, fields: Mapping[str, list[str]]) -> None:
        """Add the pieces of texts to a part that no whole state follows; those of a part taken back are left out."""
        held = self.parts.get(message, {})
        if part not in held:
            self.notes.leave_out(fields)
            return
        self.notes.see(fields)
        added = {key: text_value(held[part].get(key)) + "".join(said) for key, said in fields.items()}
        held[part] = {**held[part], **added}

    def _piece(self, properties: Mapping[str, Any]) -> bool:
        place = (text_value(properties.get("messageID")), text_value(properties.get("partID")))
        key, said = text_value(properties.get("field")), text_value(properties.get("delta"))
        part = self.parts.get(place[0], {}).get(place[1])
        if part is None or not isinstance(part.get(key, "" if key == _GROWING else None), str):
            return False
        self._pieces.setdefault(place, {}).setdefault(key, []).append(said)
        return True
